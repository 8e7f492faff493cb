package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Journals and stored kernels that earlier versions wrote, in test-fixtures/kept. A release adds its own files with
 * {@code -Dweaklink.keep=true}. Existing files must not change any more.
 */
class KeptFilesTest {
    private static final Path KEPT = Path.of("test-fixtures/kept/1.0.0").toAbsolutePath();
    private static final String OLD = "5.14.0-1.el9.x86_64";
    private static final String NEW = "5.14.0-2.el9.x86_64";
    private static final String STATE = "var/lib/weaklink";
    private static final String LINK = "lib/modules/" + NEW + "/weak-updates/m.ko";

    @TempDir
    Path scratch;

    private Path root;

    @BeforeEach
    void twoKernels() throws IOException {
        root = Files.createDirectory(scratch.resolve("root"));
        TreeBuilder tree = TreeBuilder.in(root);
        for (String release : List.of(OLD, NEW)) {
            tree.modulesOrder(release, List.of("kernel/own.ko"))
                    .module(release, "kernel/own.ko", built("own", release))
                    .symvers(
                            SymversPlace.MODULES_GZIP,
                            release,
                            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                    .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                    .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
        }
        tree.module(OLD, "extra/m.ko", built("m", OLD).importing("_printk", 5));
        if (Boolean.getBoolean("weaklink.keep")) {
            keep();
        }
    }

    private static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Writes the journal and the stored kernel of this version, which must not exist yet. */
    private void keep() throws IOException {
        assertThat(KEPT).as("a sample that may be written").doesNotExist();
        assertThat(WholeRun.of("apply", "--root", root.toString()).status()).isZero();
        assertThat(WholeRun.of("store", "add", NEW, "--root", root.toString()).status())
                .isZero();
        copy(root.resolve(STATE), KEPT.resolve("state"));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(file -> {
                try {
                    Path target = to.resolve(from.relativize(file).toString());
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @Test
    void listsAndUndoesATransaction() throws IOException {
        ExternalTool depmod = ExternalTool.orSkip("depmod");
        copy(KEPT.resolve("state"), root.resolve(STATE));
        Files.createDirectories(root.resolve(LINK).getParent());
        Files.createSymbolicLink(root.resolve(LINK), Path.of("/lib/modules/" + OLD + "/extra/m.ko"));
        depmod.run("-b", root.toString(), NEW);

        assertThat(WholeRun.of("history", "--root", root.toString()).out())
                .isEqualTo("1  2026-11-22T17:53:24Z  done  +1 -0 ~0  weaklink apply --root /srv/image\n");
        WholeRun undo = WholeRun.of("undo", "--root", root.toString());

        assertThat(undo.status()).as("%s", undo).isZero();
        assertThat(root.resolve(LINK)).doesNotExist();
    }

    @Test
    void judgesOnAKernelOfTheStore() throws IOException {
        Path module = Files.write(
                scratch.resolve("m.ko"), built("m", NEW).importing("_printk", 5).build());
        String store = KEPT.resolve("state/kernels").toString();
        Path empty = Files.createDirectory(scratch.resolve("empty"));

        WholeRun run =
                WholeRun.of("check", module.toString(), "--root", empty.toString(), "--store", store, "--kernel", NEW);

        assertThat(run.at(scratch)).isEqualTo(new WholeRun(0, """
                5.14.0-2.el9.x86_64 (stored kernel): 2 symbols of vmlinux
                  assumed: signature-policy=permissive, signature enforcement of the machine is
                    unknown

                COMPATIBLE    m  DIR/m.ko

                1 verdict: 1 compatible
                Next: nothing to do; no refusal found.
                """, ""));
    }
}
