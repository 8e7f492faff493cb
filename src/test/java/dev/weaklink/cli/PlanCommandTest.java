package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans that a case in text cannot describe. Other plans are in test-fixtures/cases. */
class PlanCommandTest {
    private static final String OLD = "5.14.0-1.el9";
    private static final String MIDDLE = "5.14.0-2.el9";
    private static final String NEW = "5.14.0-3.el9";

    @TempDir
    Path directory;

    private TreeBuilder image;

    @BeforeEach
    void installKernels() throws IOException {
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        image.depmodConfig("dist.conf", "search updates extra built-in weak-updates");
        install(OLD, 5);
        install(MIDDLE, 5);
        install(NEW, 5);
    }

    private void install(String release, int printk) {
        image.module(release, "kernel/own.ko", built("own", release))
                .symvers(
                        SymversPlace.MODULES_XZ,
                        release,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk));
    }

    private static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    private static ModuleBuilder built(String name, String release, int printk) {
        return built(name, release).importing("_printk", printk);
    }

    private WholeRun plan(String... more) {
        List<String> words =
                new ArrayList<>(List.of("plan", "--root", image.root().toString()));
        words.addAll(List.of(more));
        return WholeRun.of(words.toArray(new String[0]));
    }

    @Test
    void proposesNoOverrideForAPathThatDepmodCannotRead() throws IOException {
        image.module(NEW, "kernel/a.ko", built("a", NEW));
        image.module(OLD, "extra/x * updates\\/a.ko", built("a", OLD, 5));
        WholeRun run = plan("--kernel", NEW, "--format", "json");
        JsonNode unused = new ObjectMapper().readTree(run.out()).at("/kernels/0/modules/0/unused");
        assertThat(unused.has("chosen")).isTrue();
        assertThat(unused.has("override")).isFalse();
    }

    /** A list of 41 modules on four kernels would otherwise have 480 lines. */
    @Test
    void fitsManyModulesOnManyKernelsOnAScreen() {
        install("5.14.0-4.el9", 6);
        for (int i = 0; i < 38; i++) {
            image.module(MIDDLE, "extra/big/m" + i + ".ko", built("m" + i, MIDDLE, 5));
        }
        for (String name : List.of("x", "y", "z")) {
            image.module(OLD, "extra/" + name + ".ko", built(name, OLD));
        }
        List<String> lines = plan().out().lines().toList();
        assertThat(lines)
                .containsSequence(
                        "5.14.0-4.el9 (boots next)",
                        "  REBUILD NEEDED  38 modules of extra/big",
                        "    m0, m1, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, and 26 more: would",
                        "      be refused, _printk has changed",
                        "  CAN BE LINKED  3 modules: x, y, z",
                        "    link the build for 5.14.0-1.el9: x, y, z",
                        "",
                        "5.14.0-3.el9");
        assertThat(lines).hasSizeLessThan(35);
        assertThat(lines).allMatch(line -> line.length() <= 80 || line.contains("weaklink "));
    }
}
