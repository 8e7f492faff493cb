package dev.weaklink.cli;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two kernels in Red Hat's layout in an image, and runs of weak-modules on the image. */
abstract class RedHatImage {
    static final String OLD = "5.14.0-1.el9";
    static final String NEW = "5.14.0-2.el9";

    @TempDir
    Path directory;

    TreeBuilder image;

    @BeforeEach
    void installKernels() throws IOException {
        ExternalTool.orSkip("depmod");
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        install(OLD, 5);
        install(NEW, 5);
    }

    void install(String release, int printk) {
        image.module(release, "kernel/own.ko", built("own", release))
                .modulesOrder(release, List.of("kernel/own.ko"))
                .builtin(release, List.of("kernel/inside.ko"))
                .file(
                        "lib/modules/" + release + "/modules.builtin.modinfo",
                        "inside.license=GPL\0".getBytes(StandardCharsets.UTF_8))
                .symvers(
                        SymversPlace.MODULES_XZ,
                        release,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk));
    }

    static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    void extra(String name, int printk) {
        image.module(OLD, "extra/demo/" + name + ".ko", built(name, OLD).importing("_printk", printk));
    }

    Path file(String name) {
        return image.modules(OLD).resolve("extra/demo/" + name + ".ko");
    }

    Path link(String name) {
        return image.modules(NEW).resolve("weak-updates/demo/" + name + ".ko");
    }

    boolean isLinked(String name) {
        return Files.exists(link(name), LinkOption.NOFOLLOW_LINKS);
    }

    WholeRun run(String stdin, String... options) {
        List<String> words = new ArrayList<>(List.of("weak-modules"));
        words.addAll(List.of(options));
        words.addAll(List.of("--no-initramfs", "--basedir", image.root().toString()));
        return WholeRun.reading(stdin.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
    }

    String list(String... names) {
        StringBuilder list = new StringBuilder();
        for (String name : names) {
            list.append(file(name)).append('\n');
        }
        return list.toString();
    }

    List<String> listing() throws IOException {
        try (Stream<Path> paths = Files.walk(image.root())) {
            return paths.map(path -> path + " " + path.toFile().lastModified())
                    .sorted()
                    .toList();
        }
    }
}
