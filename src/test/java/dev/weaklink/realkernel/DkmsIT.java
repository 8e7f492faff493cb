package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.standin.DkmsSandbox;
import dev.weaklink.standin.StandInRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The behaviour of dkms(8) with a small package and real kernels, as seen with 3.0.10 of Debian 12.
 *
 * <pre>
 * TREE/wl-dkms/1.0/source                            link to the sources (absolute)
 * TREE/wl-dkms/1.0/build/make.log                    only after a failed build, for any kernel
 * TREE/wl-dkms/1.0/KERNEL/ARCH/log/make.log          after a successful build
 * TREE/wl-dkms/1.0/KERNEL/ARCH/module/wl_dkms.ko
 * TREE/wl-dkms/kernel-KERNEL-ARCH                    link to 1.0/KERNEL/ARCH: installed there
 * </pre>
 *
 * All kernels share one build directory, so two builds of a package must not run at the same time.
 */
class DkmsIT {
    private static final String NEW = "6.1.0-55-amd64";
    private static final Path CODE = Path.of("wl_dkms.c");

    @TempDir
    Path root;

    private DkmsSandbox dkms;
    private BuildTree old;

    @BeforeEach
    void add() throws IOException {
        dkms = DkmsSandbox.orSkip(root);
        Optional<BuildTree> found = BuildTree.first("6.1.0-53-amd64", "6.1.0-54-amd64");
        assumeThat(found).as("headers of a kernel before %s are installed", NEW).isPresent();
        old = found.orElseThrow();
        assertThat(dkms.run("add", "-m", DkmsSandbox.PACKAGE).exitCode()).isZero();
    }

    @Test
    void builtModuleLoadsOnItsKernelOnly() throws IOException {
        BuildTree tree = BuildTree.orSkip(NEW);
        assertThat(status()).containsExactly("wl-dkms/1.0: added");

        run("build", old, 0);
        assertThat(status()).containsExactly("wl-dkms/1.0, " + old.release() + ", x86_64: built");
        assertThat(verdict(old, built(old)).loads()).isTrue();
        assertThat(verdict(tree, built(old)).refusals().get(0).layer()).isEqualTo("module-layout");

        run("build", tree, 0);
        assertThat(verdict(tree, built(tree)).loads()).isTrue();
        assertThat(status())
                .containsExactly(
                        "wl-dkms/1.0, " + old.release() + ", x86_64: built",
                        "wl-dkms/1.0, " + tree.release() + ", x86_64: built");
        assertThat(built(tree).resolveSibling("../log/make.log")).isRegularFile();
        assertThat(dkms.tree().resolve("wl-dkms/1.0/build")).doesNotExist();
    }

    /** Shows why weaklink builds with --force: otherwise the log and modules can be those of an earlier run. */
    @Test
    void doesNotRebuildAnExistingBuild() throws IOException {
        run("build", old, 0);
        Files.writeString(built(old), "damaged");
        StandInRun again = run("build", old, 0);
        assertThat(again.lines())
                .containsExactly("Module wl-dkms/1.0 already built for kernel "
                        + old.release()
                        + " (x86_64), skip. You may override by specifying --force.");
        assertThat(built(old)).hasContent("damaged");
    }

    @Test
    void installsAModuleAsAFileBelowUpdatesWithALinkInTheTree() throws IOException {
        Files.createDirectory(dkms.modules().resolve(old.release()));
        run("install", old, 0);
        assertThat(status()).containsExactly("wl-dkms/1.0, " + old.release() + ", x86_64: installed");
        assertThat(installed(old)).hasSameBinaryContentAs(built(old));
        Path link = dkms.tree().resolve("wl-dkms/kernel-" + old.release() + "-x86_64");
        assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("1.0", old.release(), "x86_64"));
    }

    /** Shows that the status has the same remark for both, so that "installed" does not prove that the file exists. */
    @Test
    void statusCallsAChangedOrDeletedModuleInstalled() throws IOException {
        Files.createDirectory(dkms.modules().resolve(old.release()));
        run("install", old, 0);
        String remark = "wl-dkms/1.0, "
                + old.release()
                + ", x86_64: installed (WARNING! Diff between built and installed module!)";
        Files.writeString(installed(old), "more", StandardOpenOption.APPEND);
        assertThat(status()).containsExactly(remark);
        Files.delete(installed(old));
        assertThat(status()).containsExactly(remark);
    }

    @Test
    void installsNothingForAMissingKernel() throws IOException {
        StandInRun run = run("install", old, 6);
        assertThat(run.stderr())
                .startsWith("Error! The directory " + dkms.modules().resolve(old.release()));
        assertThat(status()).containsExactly("wl-dkms/1.0, " + old.release() + ", x86_64: built");
    }

    /**
     * Shows that the status does not contain the failed kernel. The log is in the build directory, and only its first
     * line names the kernel.
     */
    @Test
    void failedBuildReturns10AndLeavesItsLogInTheBuildDirectory() throws IOException {
        BuildTree tree = BuildTree.orSkip(NEW);
        run("build", old, 0);
        String good = Files.readString(dkms.sources().resolve(CODE));
        Files.writeString(dkms.sources().resolve(CODE), good.replace("dev_put(", "wl_gone("));
        StandInRun failed = run("build", tree, 10);
        Path log = dkms.tree().resolve("wl-dkms/1.0/build/make.log");
        assertThat(failed.stderr())
                .isEqualTo(
                        "Error! Bad return status for module build on kernel: %s (x86_64)%n".formatted(tree.release())
                                + "Consult "
                                + log
                                + " for more information.\n");
        assertThat(Files.readString(log))
                .startsWith("DKMS make.log for wl-dkms-1.0 for kernel " + tree.release() + " (x86_64)\n")
                .contains("error: implicit declaration of function");
        assertThat(status()).containsExactly("wl-dkms/1.0, " + old.release() + ", x86_64: built");
        assertThat(dkms.run("status", "-k", tree.release()).lines()).containsExactly("wl-dkms/1.0: added");

        Files.writeString(dkms.sources().resolve(CODE), good);
        run("build", tree, 0);
        assertThat(log.getParent()).doesNotExist();
    }

    /** Shows the general exit code of errors; later versions of dkms have a special exit code for this error. */
    @Test
    void missingBuildTreeReturns1AndNamesThePackage() throws IOException {
        StandInRun run = dkms.run("build", "-m", DkmsSandbox.PACKAGE, "-k", "6.1.0-99-amd64");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.stderr())
                .contains("Your kernel headers for kernel 6.1.0-99-amd64 cannot be found")
                .contains("Please install the linux-headers-6.1.0-99-amd64 package");
    }

    @Test
    void missingBuiltModuleReturns7() throws IOException {
        replaceInConf("\"wl_dkms\"", "\"wl_other\"");
        assertThat(run("build", old, 7).stderr())
                .startsWith("Error!  Build of wl_other.ko failed for: " + old.release() + " (x86_64)");
    }

    @Test
    void excludedKernelReturns77AndLeavesNothing() throws IOException {
        appendToConf("BUILD_EXCLUSIVE_KERNEL=\"^6\\.2\\.\"\n");
        run("build", old, 77);
        assertThat(status()).containsExactly("wl-dkms/1.0: added");
    }

    @Test
    void invalidConfReturns8() throws IOException {
        replaceInConf("DEST_MODULE_LOCATION[0]=\"/updates/dkms\"\n", "");
        assertThat(run("build", old, 8).stderr()).contains("No 'DEST_MODULE_LOCATION' directive");
    }

    /** Shows that the module stays built, so that a second attempt fails without building. */
    @Test
    void refusalByThePackageReturns101() throws IOException {
        Files.createDirectory(dkms.modules().resolve(old.release()));
        Path refuse = Files.writeString(dkms.sources().resolve("refuse.sh"), "#!/bin/sh\nexit 1\n");
        assertThat(refuse.toFile().setExecutable(true)).isTrue();
        appendToConf("PRE_INSTALL=\"refuse.sh\"\n");
        run("install", old, 101);
        assertThat(status()).containsExactly("wl-dkms/1.0, " + old.release() + ", x86_64: built");
        assertThat(installed(old)).doesNotExist();
    }

    @Test
    void autoinstallReturns11ForAMissingDependency() throws IOException {
        Files.createDirectory(dkms.modules().resolve(old.release()));
        appendToConf("BUILD_DEPENDS[0]=\"wl-missing\"\n");
        StandInRun run = autoinstall();
        assertThat(run.exitCode()).isEqualTo(11);
        assertThat(run.lines())
                .containsExactly("wl-dkms/1.0 autoinstall failed due to missing dependencies: wl-missing");
    }

    @Test
    void autoinstallBuildsAndInstalls() throws IOException {
        Files.createDirectory(dkms.modules().resolve(old.release()));
        assertThat(autoinstall().exitCode()).isZero();
        assertThat(verdict(old, installed(old)).loads()).isTrue();
    }

    /** Shows that the exit code is 0 and the list is empty; only standard error reports the broken package. */
    @Test
    void packageWithoutSourcesHidesTheWholeStatus() throws IOException {
        run("build", old, 0);
        Files.move(dkms.sources(), root.resolve("elsewhere"));
        StandInRun run = dkms.run("status");
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines()).isEmpty();
        assertThat(run.stderr()).startsWith("Error! Could not locate dkms.conf file.");
        run("build", old, 4);
    }

    private StandInRun run(String verb, BuildTree tree, int exitCode) throws IOException {
        StandInRun run = dkms.run(verb, tree.release(), tree.directory());
        assertThat(run.exitCode()).as(run.output() + run.stderr()).isEqualTo(exitCode);
        return run;
    }

    private StandInRun autoinstall() throws IOException {
        return dkms.run(
                "autoinstall",
                "-k",
                old.release(),
                "--kernelsourcedir",
                old.directory().toString());
    }

    private List<String> status() throws IOException {
        StandInRun run = dkms.run("status");
        assertThat(run.exitCode()).isZero();
        return run.lines();
    }

    private Path built(BuildTree tree) {
        return dkms.tree().resolve("wl-dkms/1.0/" + tree.release() + "/x86_64/module/wl_dkms.ko");
    }

    private Path installed(BuildTree tree) {
        return dkms.modules().resolve(tree.release()).resolve("updates/dkms/wl_dkms.ko");
    }

    private void replaceInConf(String text, String other) throws IOException {
        Path conf = dkms.sources().resolve("dkms.conf");
        String before = Files.readString(conf);
        assertThat(before).contains(text);
        Files.writeString(conf, before.replace(text, other));
    }

    private void appendToConf(String line) throws IOException {
        Files.writeString(dkms.sources().resolve("dkms.conf"), line, StandardOpenOption.APPEND);
    }

    private static VerdictLine verdict(BuildTree tree, Path module) {
        Optional<Kernel> kernel = RealKernels.atDefault().find(tree.release());
        assumeThat(kernel).as("%s is in the package index", tree.release()).isPresent();
        return Check.alone(kernel.orElseThrow(), List.of(module)).get(0);
    }
}
