package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packages of kernels and modules, checked with the modules in use. The other tests are in test-fixtures/cases
 * ({@code in-use}, {@code best} and {@code command}).
 */
class ModulesInUseTest {
    private static final String OLD = "6.1.0-8-test";
    private static final String NEW = "6.1.0-9-test";

    @TempDir
    Path directory;

    private Path root;
    private Path pool;

    @BeforeEach
    void install() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        pool = Files.createDirectory(directory.resolve("pool"));
    }

    private static ModuleBuilder driver(String release, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, "driver")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
                .importing("_printk", printk);
    }

    /** Writes a kernel's package whose printk has this CRC, and returns its path. */
    private String kernel(int printk) throws IOException {
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk)
                .bytes();
        TarWriter tar = new TarWriter().file("./lib/modules/" + NEW + "/symvers", symvers);
        return Files.write(directory.resolve("kernel-" + NEW), tar.bytes()).toString();
    }

    private Path tar(String name, String file, byte[] contents) throws IOException {
        return Files.write(
                pool.resolve(name), new TarWriter().file(file, contents).bytes());
    }

    private WholeRun neutral(WholeRun run) {
        String place = directory.toString();
        return new WholeRun(
                run.status(), run.out().replace(place, "D"), run.err().replace(place, "D"));
    }

    @Test
    void skipsPackagesWithoutModulesAndNamesBrokenPackages() throws IOException {
        Path good = tar("good", "./lib/modules/x/extra/0.ko", driver(NEW, 5).build());
        tar("other", "./lib/modules/x/extra/0.ko", driver(NEW, 6).build());
        tar("tools", "./usr/bin/tool", new byte[10]);
        Files.write(pool.resolve("cut"), Arrays.copyOf(Files.readAllBytes(good), 700));
        WholeRun run = WholeRun.of("matrix", "--best", "" + pool, "--root", "" + root, "--kernel", kernel(5));
        assertThat(neutral(run))
                .isEqualTo(new WholeRun(3, """
                install       D/pool/good
                              1 module would load; built for this kernel
                refused       D/pool/other
                              1 of 1 module would be refused; built for this kernel; driver: \
                symbol-crc: _printk: symbol version (CRC) mismatch (wanted 0x00000006; vmlinux \
                offers 0x00000005); loading fails with EINVAL
                """, "weaklink: D/pool/cut: truncated: the tar archive ends too early\n"));
    }

    @Test
    void checksAKernelsPackageBeforeItIsInstalled() throws IOException {
        TreeBuilder.in(root).module(OLD, "extra/driver.ko", driver(OLD, 5));
        WholeRun safe = neutral(WholeRun.of("check", "--root", "" + root, "--kernel", kernel(5)));
        // The length of the directory's name determines where lines break.
        WholeRun unwrapped = new WholeRun(safe.status(), safe.out().replaceAll("\n {9}", " "), safe.err());
        assertThat(unwrapped).isEqualTo(new WholeRun(0, """
                yes      D/kernel-6.1.0-9-test: 1 module would load
                yes: D/kernel-6.1.0-9-test is safe for the modules in use
                """, ""));
        WholeRun units = WholeRun.of("check", "--units", "--root", "" + root, "--kernel", kernel(6));
        assertThat(units)
                .isEqualTo(new WholeRun(
                        1,
                        "weaklink: 6.1.0-9-test will not load driver; do not boot it before a build for 6.1.0-9-test"
                                + " is installed (nothing on this machine can make such a build)\n",
                        ""));
    }

    /** A hook passes on a package that is about to be installed, of which it knows only the name. */
    @Test
    void acceptsAPackageWithoutAKernelInAHook() throws IOException {
        TreeBuilder.in(root).modulesOrder(OLD, List.of()).module(OLD, "extra/driver.ko", driver(OLD, 5));
        String meta =
                tar("kernel-6.1.tar", "./usr/share/doc/kernel", new byte[1]).toString();
        String[] units = {"check", "--units", "--root", root.toString(), "--kernel", meta};
        assertThat(WholeRun.of(units).out()).isEmpty();
        assertThat(WholeRun.of(units).status()).isZero();
        assertThat(WholeRun.of("check", "--root", root.toString(), "--kernel", meta)
                        .status())
                .isEqualTo(2);
        Files.write(Path.of(meta), new byte[] {0x1f, (byte) 0x8b, 8, 0});
        assertThat(WholeRun.of(units).status()).isEqualTo(2);
    }
}
