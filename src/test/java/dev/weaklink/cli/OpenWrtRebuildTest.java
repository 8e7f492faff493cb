package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rebuilds on OpenWrt: no module is ever called compatible, and nothing is built. */
class OpenWrtRebuildTest {
    private static final String HASH = "0123456789abcdef0123456789abcdef";

    @TempDir
    Path directory;

    private WholeRun rebuild(String kernel, String database, String text) {
        TreeBuilder image = TreeBuilder.in(directory);
        image.file("etc/os-release", "ID=\"openwrt\"\nVERSION_ID=\"24.10\"\n".getBytes(StandardCharsets.UTF_8));
        image.file(database, text.getBytes(StandardCharsets.UTF_8));
        return WholeRun.of("rebuild", "--kernel", kernel, "--root", directory.toString());
    }

    @Test
    void refusesAnotherReleaseThanTheInstalledOne() {
        WholeRun run =
                rebuild("5.15.168", "usr/lib/opkg/status", "Package: kernel\nVersion: 5.15.167-1-%s\n".formatted(HASH));
        assertThat(run.out()).isEmpty();
        assertThat(run.messages())
                .containsExactly("5.15.168: not the installed kernel (5.15.167), and OpenWrt's module packages fit only"
                        + " their own firmware; install the firmware of 5.15.168 with its own packages (sysupgrade), or"
                        + " use --kernel 5.15.167");
        assertThat(run.status()).isEqualTo(2);
    }

    private static final String RELEASE = "6.6.73";

    /** Returns a module like OpenWrt's, without CRCs and vermagic. */
    private static ModuleBuilder stripped(String name) {
        return ModuleBuilder.minimal(Machine.X86_64, name).versions(Presence.ABSENT);
    }

    private TreeBuilder router() {
        return TreeBuilder.in(directory)
                .file("etc/os-release", "ID=\"openwrt\"\nVERSION_ID=\"24.10\"\n".getBytes(StandardCharsets.UTF_8))
                .module(RELEASE, "ptp.ko", stripped("ptp").exporting("ptp_fn", Export.Table.NORMAL, 0))
                .module(RELEASE, "mlx5_core.ko", stripped("mlx5_core").importing("no_such_symbol", false))
                .module(RELEASE, "mlx5_ib.ko", stripped("mlx5_ib").importing("ptp_fn", false));
    }

    private WholeRun weaklink(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--root", directory.toString()));
        return WholeRun.of(all.toArray(String[]::new));
    }

    @Test
    void isUndeterminedAboutModulesWithoutCrcs() {
        router();
        WholeRun run = weaklink("check", "--kernel", RELEASE, "mlx5_ib", "mlx5_core");
        assertThat(run).isEqualTo(new WholeRun(3, """
                mlx5_ib: the in-tree module of 6.6.73 itself, /lib/modules/6.6.73/mlx5_ib.ko; no out-of-tree build of it is installed
                mlx5_core: the in-tree module of 6.6.73 itself, /lib/modules/6.6.73/mlx5_core.ko; no out-of-tree build of it is installed

                6.6.73 (installed kernel): 0 symbols of vmlinux, 3 modules of its own
                  assumed: inherit-taint=yes, version 6.6
                  assumed: signature-policy=permissive, signature enforcement of the machine is
                    unknown
                  note: no usable Module.symvers: the only known exports of vmlinux are those
                    that in-tree modules import

                UNDETERMINED  mlx5_ib  /lib/modules/6.6.73/mlx5_ib.ko
                    dependency: ptp_fn: its exporter ptp is itself undetermined
                    symbol-crc: the kernel has no symbol versions, so that it accepts 1 symbol
                      without comparing a CRC: nothing proves that it fits
                UNDETERMINED  mlx5_core  /lib/modules/6.6.73/mlx5_core.ko
                    symbol-missing: no_such_symbol: no known module exports the symbol, and the
                      exports of the kernel are not all known

                2 verdicts: 2 undetermined
                Next: correct the problems above, and check again; no refusal found, but not everything could be checked.
                """, ""));
    }

    /** There is nothing to link if all modules are in one directory. */
    @Test
    void makesNoLinks() {
        router();
        for (String command : List.of("plan", "apply", "plan --kernel " + RELEASE)) {
            WholeRun plan = weaklink(command.split(" "));
            assertThat(plan.messages())
                    .containsExactly(RELEASE
                            + ": on OpenWrt modules belong to one kernel, so there is nothing to link;"
                            + " use 'weaklink check MODULE --kernel 6.6.73 --root "
                            + directory
                            + "' to see whether a module loads, and 'weaklink rebuild --kernel 6.6.73 --root "
                            + directory
                            + "' to see what has to be built");
            assertThat(plan.out()).isEmpty();
            assertThat(plan.status()).isEqualTo(3);
        }
        assertThat(directory.resolve("lib/modules/" + RELEASE + "/weak-updates"))
                .doesNotExist();
        assertThat(directory.resolve("var")).doesNotExist();
    }

    @Test
    void printsTheCommandsThatThePlanNames() {
        router();
        assertThat(weaklink("check", "ptp", "--kernel", RELEASE).status()).isEqualTo(3);
        assertThat(weaklink("rebuild", "--kernel", RELEASE)).isEqualTo(new WholeRun(3, """
                6.6.73: OpenWrt, package kernel unknown
                Next: in the SDK of exactly this OpenWrt release and target (same kernel hash):
                  make package/NAME/compile V=s
                  then install the packages from bin/packages and bin/targets of the SDK
                """, ""));
    }

    @Test
    void writesTheSameReasonAsJson() throws IOException {
        router();
        WholeRun plan = weaklink("plan", "--format", "json");
        assertThat(plan.out()).contains("\"kernels\":[]", "there is nothing to link");
        assertThat(Schemas.problems(plan.out())).isEmpty();
    }

    @Test
    void reportsAMissingKernel() {
        router();
        WholeRun plan = weaklink("plan", "--kernel", "5.4.0");
        assertThat(plan.messages()).containsExactly("5.4.0: no such kernel is installed; installed: 6.6.73");
        assertThat(plan.status()).isEqualTo(2);
    }

    @Test
    void plansNothingWithoutKernels() {
        TreeBuilder.in(directory).file("etc/os-release", "ID=openwrt\n".getBytes(StandardCharsets.UTF_8));
        WholeRun plan = weaklink("plan");
        assertThat(plan.messages().get(0)).endsWith("no kernel is installed below its lib/modules");
        assertThat(plan.status()).isEqualTo(2);
    }
}
