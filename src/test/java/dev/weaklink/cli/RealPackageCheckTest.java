package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.RealPackages;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the whole program on packages that the distributions' own tools made. */
class RealPackageCheckTest {
    private static final String RELEASE = "6.1.0-9-test";

    @TempDir
    Path directory;

    private Path root;
    private Path tree;
    private Path symvers;

    @BeforeEach
    void lay() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        byte[] rows = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", Kind.EXPORT_SYMBOL, 5)
                .bytes();
        symvers = Files.write(directory.resolve("Module.symvers"), rows);
        byte[] module = ModuleBuilder.typical(Machine.X86_64, "m")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ")
                .importing("_printk", 5)
                .build();
        tree = TreeBuilder.in(directory.resolve("tree")).root();
        Files.write(
                Files.createDirectories(tree.resolve("lib/modules/" + RELEASE + "/extra"))
                        .resolve("m.ko"),
                module);
    }

    private WholeRun check(Path module, Path kernel, String... more) {
        Stream<String> words =
                Stream.of("check", "--root", root.toString(), module.toString(), "--kernel", kernel.toString());
        return WholeRun.of(Stream.concat(words, Stream.of(more)).toArray(String[]::new));
    }

    @Test
    void tableNamesThePackageOfTheModules() throws IOException {
        assertThat(check(RealPackages.rpm(directory, tree), symvers)
                        .out()
                        .lines()
                        .findFirst())
                .hasValue("modules of kmod-m 1.0-3 (rpm)");
        assertThat(check(RealPackages.deb(directory, tree), symvers)
                        .out()
                        .lines()
                        .findFirst())
                .hasValue("modules of kmod-m 1.0-3 (deb, product m-driver)");
    }

    @Test
    void namesThePackageInEveryVerdictAndTheSchema() throws IOException {
        WholeRun run = check(RealPackages.deb(directory, tree), symvers, "--format", "ndjson");

        assertThat(run.out())
                .contains("\"package\":{\"kind\":\"deb\",\"name\":\"kmod-m\",\"version\":\"1.0-3\","
                        + "\"product\":\"m-driver\"}");
        for (String line : run.out().split("\n")) {
            assertThat(Schemas.problems(line)).as(line).isEmpty();
        }
    }

    @Test
    void namesThePackagesOfAKernel() throws IOException {
        Files.createDirectories(tree.resolve("lib/modules/" + RELEASE + "/kernel"));
        Files.copy(symvers, tree.resolve("lib/modules/" + RELEASE + "/symvers"));
        Path kernel = RealPackages.rpm(directory, tree);

        assertThat(check(tree.resolve("lib/modules/" + RELEASE + "/extra/m.ko"), kernel)
                        .out())
                .contains("  note: from kmod-m 1.0-3 (rpm)\n");
    }

    @Test
    void doesNotReportCorrectRequires() throws IOException {
        Path rpm = RealPackages.rpm(
                directory,
                tree,
                "Requires: kernel(_printk) = 0x00000005",
                "Requires: ksym(default:_printk) = 5",
                "Requires: ksym(other) = 0x99999999",
                "Requires: kernel >= 6.1");
        WholeRun run = check(rpm, symvers);

        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
    }

    @Test
    void reportsWrongRequiresAndJudgesTheModules() throws IOException {
        Path kernel = RealPackages.rpm(directory, tree, "Requires: kernel(_printk) = 0x00000006");
        WholeRun run = check(kernel, symvers);

        assertThat(run.err())
                .isEqualTo("weaklink: "
                        + kernel
                        + ": the package requires kernel(_printk) = 0x00000006, but its modules want"
                        + " 0x00000005; weaklink uses the CRCs in the modules\n");
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void reportsWrongRequiresOfSuse() throws IOException {
        Path kernel = RealPackages.rpm(
                directory, tree, "Requires: ksym(default:_printk) = 6", "Requires: ksym(module_layout) = 7");

        assertThat(check(kernel, symvers).messages())
                .containsExactly(kernel
                        + ": the package requires ksym(default:_printk) = 0x00000006, but its modules want"
                        + " 0x00000005, and 1 more symbol differs; weaklink uses the CRCs in the modules");
    }
}
