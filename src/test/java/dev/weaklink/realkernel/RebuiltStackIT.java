package dev.weaklink.realkernel;

import static dev.weaklink.realkernel.KernelSeries.K53;
import static dev.weaklink.realkernel.KernelSeries.K54;
import static dev.weaklink.realkernel.KernelSeries.K55;
import static dev.weaklink.realkernel.KernelSeries.K56;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes a driver stack through three kernels. weaklink first links modules, then builds them with the real compiler and
 * headers, then links to the new build.
 */
class RebuiltStackIT {
    private static final String CORE = "mlnx-ofa_kernel/wl_core.ko";
    private static final String COMPAT = "mlnx-ofa_kernel/wl_compat.ko";
    private static final String EN = "wl-en/wl_en.ko";

    @TempDir
    Path directory;

    private KernelSeries series;

    @BeforeEach
    void installForTheFirstKernel() throws IOException {
        ExternalTool.orSkip("depmod");
        series = KernelSeries.orSkip(directory);
        WeaklinkRunner.Run run = series.rebuild(K53, Map.of(), "--install", "--skip-repo");
        assertThat(run.exitCode()).as(run.stderr()).isZero();
    }

    @Test
    void buildsAStackForAKernelAndLinksItToTheNextKernel() throws IOException {
        WeaklinkRunner.Run plan = series.weaklink("plan", "--kernel", K55);
        assertThat(plan.exitCode()).as(plan.stderr()).isEqualTo(1);
        assertThat(plan.stdout())
                .contains("    wl_compat, wl_core, wl_en: would be refused, module_layout has changed")
                .contains("REBUILD for " + K55 + ": 2 modules of extra/mlnx-ofa_kernel")
                .contains("REBUILD for " + K55 + ": 1 module of extra/wl-en");

        WeaklinkRunner.Run built = series.rebuild(K55, Map.of(), "--install");
        assertThat(built.exitCode()).as(built.stderr()).isZero();
        assertThat(built.stdout())
                .contains(K55 + ": 3 modules built, 3 of which the kernel would load")
                .contains("  COMPATIBLE  wl_compat", "  COMPATIBLE  wl_core", "  COMPATIBLE  wl_en")
                .contains(K55 + ": installed; the kernel would load 3 of 3 modules");
        assertThat(series.weaklink("plan", "--kernel", K55).exitCode()).isZero();
        assertVerified();

        assertThat(series.weaklink("apply", "--kernel", K56).exitCode()).isZero();
        assertThat(Files.readSymbolicLink(series.module(K56, "weak-updates/" + EN)))
                .isEqualTo(Path.of("/lib/modules", K55, "extra", EN));
        assertThat(series.weaklink("status").stdout()).contains("3 links, none defective");
        assertThat(series.weaklink("check", "--kernel", K56, "wl_en", "wl_core").exitCode())
                .isZero();
        assertThat(Files.readString(series.module(K56, "modules.dep")))
                .contains("weak-updates/" + EN + ": weak-updates/" + CORE);
    }

    /** Checks a machine that runs 55 with the build for 55, and a machine with an older build of one module. */
    private void assertVerified() throws IOException {
        runs("proc/sys/kernel/osrelease", K55 + "\n");
        runs("proc/modules", "wl_core 1 0 - Live 0x0\nwl_compat 1 1 wl_core, Live 0x0\n");
        Path core = runsBuildOf("wl_core", series.module(K55, "extra/" + CORE));
        runsBuildOf("wl_compat", series.module(K55, "extra/" + COMPAT));
        WeaklinkRunner.Run clean = series.weaklink("status");
        assertThat(clean.stdout()).contains(K55 + ": loaded modules match the installed ones");
        assertThat(clean.exitCode()).as("the newest kernel has no links yet").isEqualTo(1);
        byte[] other = Files.readAllBytes(core);
        other[other.length - 1] ^= 1;
        Files.write(core, other);
        WeaklinkRunner.Run stale = series.weaklink("status");
        assertThat(stale.stdout())
                .contains(
                        "  stale: wl_core",
                        "Next: reboot, or reload the stale modules (RDMA: /etc/init.d/openibd restart, or mlnx-en.d restart)");
        assertThat(stale.exitCode()).isEqualTo(1);
        runs("proc/modules", "wl_core 1 2 - Live 0x0\nwl_compat 1 1 wl_core, Live 0x0\n");
        assertThat(series.weaklink("status").stdout()).contains("  a reload would fail: wl_core is in use");
    }

    /** Writes the build-id note of a module's file to the path where the kernel shows the note of the loaded module. */
    private Path runsBuildOf(String name, Path file) throws IOException {
        Path note = series.root().resolve("sys/module/" + name + "/notes/.note.gnu.build-id");
        Files.createDirectories(note.getParent());
        ExternalTool.orSkip("objcopy")
                .run("-O", "binary", "--only-section=.note.gnu.build-id", file.toString(), note.toString());
        return note;
    }

    private void runs(String path, String text) throws IOException {
        Path file = series.root().resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Uses 54, for which the core needs no build; only the network device was built for another kernel. */
    @Test
    void buildReplacesItsLinks() throws IOException {
        series.weaklink("apply", "--kernel", K54);
        assertThat(series.module(K54, "weak-updates/" + CORE)).isSymbolicLink();
        assertThat(series.module(K54, "weak-updates/" + EN)).doesNotExist();
        WeaklinkRunner.Run plan = series.weaklink("plan", "--kernel", K54);
        assertThat(plan.stdout())
                .contains("REBUILD for " + K54 + ": 1 module of extra/wl-en")
                .contains("  LINKED  2 modules of extra/mlnx-ofa_kernel (mlnx-ofed)")
                .noneMatch(line -> line.contains(": 2 modules of extra/mlnx-ofa_kernel"));

        WeaklinkRunner.Run built = series.rebuild(K54, Map.of(), "--install", "--skip-repo");
        assertThat(built.exitCode()).as(built.stderr()).isZero();
        assertThat(series.weaklink("plan", "--kernel", K54, "--units").stdout())
                .allMatch(line -> line.startsWith("weaklink: " + K54 + " loads "));
        assertThat(Files.readString(series.module(K54, "modules.dep"))).contains("extra/" + EN + ": extra/" + CORE);
    }

    /** Expects the error of the kernel's own build system, which is three logs below the script's message. */
    @Test
    void reportsTheCompilersErrorAsTheReason() {
        WeaklinkRunner.Run run = series.rebuild(K55, Map.of("STANDIN_FAULT", "api-change"), "--install", "--skip-repo");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.stdout())
                .contains(K55 + ": mlnx failed: api-change")
                .anyMatch(line ->
                        line.contains("wl_compat.c:") && line.contains("error: implicit declaration of function"));
        assertThat(series.module(K55, "extra")).doesNotExist();
    }

    @Test
    void modulesThatWereBuiltForAnotherKernelAreNotInstalled() {
        Map<String, String> environment =
                Map.of("STANDIN_FAULT", "wrong-kernel", "STANDIN_OTHER_SOURCES", "/usr/src/linux-headers-" + K53);
        WeaklinkRunner.Run run = series.rebuild(K55, environment, "--install", "--skip-repo");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.stdout())
                .contains(K55 + ": 3 modules built, 0 of which the kernel would load")
                .contains(K55 + ": mlnx failed: wrong-modules");
        assertThat(series.module(K55, "extra")).doesNotExist();
    }

    /**
     * Drops a module with its own directory; the record of the run for 53 shows that the module belongs to the image.
     */
    @Test
    void droppedModuleIsAFailure() {
        WeaklinkRunner.Run run =
                series.rebuild(K55, Map.of("STANDIN_FAULT", "kmp-drops-package"), "--install", "--skip-repo");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.stdout())
                .contains("  COMPATIBLE  wl_core")
                .contains(K55 + ": mlnx failed: missing-modules", "  not in the result: wl_en");
        assertThat(series.module(K55, "extra")).doesNotExist();
    }

    /** Kills a build with make, its shells and a compiler that never ends. All of these processes must end. */
    @Test
    @Timeout(900)
    void killDuringTheCompilationLeavesNoProcessNoResultAndNoLock() throws IOException, InterruptedException {
        try (EndlessCompiler compiler = EndlessCompiler.in(directory)) {
            Process process = compiler.start(WeaklinkRunner.command(series.rebuildWords(K55, "--skip-repo")));
            compiler.awaitStart();
            assertThat(compiler.processes()).isGreaterThan(3);
            ExternalTool.orSkip("kill").run("-TERM", Long.toString(process.pid()));
            assertThat(process.waitFor()).isEqualTo(128 + 15);
            assertThat(compiler.processes()).isZero();
        }
        Path run = series.rebuildRun(K55, 1);
        try (Stream<Path> walk = Files.walk(run)) {
            assertThat(walk.map(Path::toString))
                    .noneMatch(name -> name.endsWith(".tgz") || name.endsWith(".ko") || name.endsWith(".o"));
        }
        assertThat(Files.readString(run.resolve("manifest.json"))).contains("\"state\":\"cancelled\"");
        WeaklinkRunner.Run next = series.rebuild(K55, Map.of(), "--skip-repo");
        assertThat(next.exitCode()).as(next.stderr()).isZero();
    }
}
