package dev.weaklink.cli;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.RpmImage;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An image in SUSE's layout, with kernels and packages of modules in its RPM database. */
final class SuseImage {
    final TreeBuilder tree;
    final RpmImage rpm;
    final Map<String, String> environment = new TreeMap<>();

    SuseImage(Path directory) throws IOException {
        Path root = Files.createDirectories(directory.resolve("image"));
        Path scratch = Files.createDirectories(directory.resolve("rpm"));
        this.rpm = RpmImage.orSkip(scratch, root);
        this.tree = TreeBuilder.in(root).mergedUsr();
    }

    /** Installs a kernel that exports {@code _printk} with this CRC, and the kernel's image. */
    SuseImage kernel(String release, int printk) {
        tree.module(release, "kernel/own.ko", built("own", release))
                .modulesOrder(release, List.of("kernel/own.ko"))
                .builtin(release, List.of("kernel/inside.ko"))
                .file("usr/lib/modules/" + release + "/vmlinuz", new byte[1])
                .file(
                        "usr/lib/modules/" + release + "/modules.builtin.modinfo",
                        "inside.license=GPL\0".getBytes(StandardCharsets.UTF_8))
                .symvers(
                        SymversPlace.MODULES_GZIP,
                        release,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk));
        return this;
    }

    static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Writes a module below a kernel's {@code updates} that imports {@code _printk}, and returns its path. */
    String module(String release, String directory, String name, int printk) {
        return module(release, directory, built(name, release).importing("_printk", printk), name);
    }

    /** Writes a module below a kernel's {@code updates}, and returns its path in the image. */
    String module(String release, String directory, ModuleBuilder module, String name) {
        String place = "updates/" + directory + "/" + name + ".ko";
        tree.module(release, place, module);
        return "/usr/lib/modules/" + release + "/" + place;
    }

    Path host(String inside) {
        return tree.root().resolve(inside.substring(1));
    }

    /** Returns the path of a kernel's link to a module. */
    Path link(String kernel, String file) {
        String place = file.substring("/usr/lib/modules/".length());
        return tree.modules(kernel).resolve("weak-updates").resolve(place.substring(place.indexOf('/') + 1));
    }

    /** Returns the target of a kernel's link to a module, null if there is no link. */
    String linked(String kernel, String file) throws IOException {
        Path link = link(kernel, file);
        return Files.isSymbolicLink(link) ? Files.readSymbolicLink(link).toString() : null;
    }

    WholeRun run(String stdin, String... options) {
        List<String> words = new ArrayList<>(List.of("weak-modules2"));
        words.addAll(List.of(options));
        words.addAll(1, List.of("--basedir", tree.root().toString()));
        return WholeRun.reading(stdin.getBytes(StandardCharsets.UTF_8), environment, words.toArray(new String[0]));
    }

    /** Returns all files with their times, except the RPM database, which only rpm changes. */
    List<String> listing() throws IOException {
        try (Stream<Path> paths = Files.walk(tree.root())) {
            return paths.filter(path -> !path.toString().contains("/sysimage"))
                    .map(path -> path + " " + path.toFile().lastModified())
                    .sorted()
                    .toList();
        }
    }
}
