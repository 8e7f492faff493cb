package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Shells;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the hooks of kernel packages in every installed shell, with a weaklink that only records its calls. */
class KernelHookTest {
    private static final Path DIST = Path.of("src/main/dist").toAbsolutePath();
    private static final String RELEASE = "6.1.0-1-amd64";
    private static final String LIST = "var/lib/apt/lists/deb.example_dists_stable_main_binary-amd64_Packages.lz4";
    private static final String UNIT = "weaklink-rebuild@" + RELEASE + ".service";

    @TempDir
    Path directory;

    private Path config;
    private Path calls;

    private record Ran(int status, String out, String err) {}

    @BeforeEach
    void installProgram() throws IOException {
        config = directory.resolve("weaklink.conf");
        calls = directory.resolve("calls");
        program("echo \"$*\" >> '" + calls + "'; echo 'K: zfs: LINKED'; exit ${FAKE_STATUS-0}");
        configure("");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void linksModulesOfANewKernel(String shell) throws Exception {
        Ran ran = run(shell, "0", "add", RELEASE);
        assertThat(calls()).containsExactly("apply --units --no-initramfs --kernel " + RELEASE);
        assertThat(ran).isEqualTo(new Ran(0, "K: zfs: LINKED\n", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "hooks = report,plan --units --kernel " + RELEASE,
        "hooks-initramfs=yes,apply --units --kernel " + RELEASE,
    })
    void followsTheConfiguration(String line, String call) throws Exception {
        configure(line + "\n");
        assertThat(run("dash", "0", "add", RELEASE).status()).isZero();
        assertThat(calls()).containsExactly(call);
    }

    /** hooks.conf is the configuration file of earlier versions. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void readsTheOlderHooksConfIfItExists(String shell) throws Exception {
        configure("hooks = off\n");
        Files.writeString(directory.resolve("hooks.conf"), "# ours\nMODE=apply\nINITRAMFS=yes\nX\n");
        Ran ran = run(shell, "0", "add", RELEASE);
        assertThat(calls()).containsExactly("apply --units --kernel " + RELEASE);
        assertThat(ran.err()).isEqualTo("weaklink: " + directory + "/hooks.conf: invalid setting ignored: X\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hooks = off\n", "hooks=off"})
    void runsNothingIfHooksAreOff(String text) throws Exception {
        configure(text);
        assertThat(run("dash", "0", "add", RELEASE)).isEqualTo(new Ran(0, "", ""));
        assertThat(Files.exists(calls)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void endsSilentlyForEveryAnswerOfWeaklink(int status) throws Exception {
        Ran ran = run("dash", Integer.toString(status), "add", RELEASE);
        assertThat(ran.status()).isZero();
        assertThat(ran.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 5, 139})
    void printsAFailureAndLetsTheInstallationGoOn(int status) throws Exception {
        Ran ran = run("dash", Integer.toString(status), "add", RELEASE);
        assertThat(ran.status()).isZero();
        assertThat(ran.err())
                .isEqualTo("weaklink: processing modules for " + RELEASE + " failed with status " + status
                        + "; run: weaklink plan --kernel " + RELEASE + "\n");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void endsAProgramThatHangs(String shell) throws Exception {
        ExternalTool.orSkip("timeout");
        program("exec sleep 600");
        configure("hooks-timeout = 1\n");
        Ran ran = run(shell, "0", "add", RELEASE);
        assertThat(ran.status()).isZero();
        // The status of busybox's timeout does not show who ended the program, and the shell prints a message, too.
        assertThat(ran.err())
                .containsAnyOf(
                        "weaklink: processing modules for " + RELEASE
                                + " took more than 1 seconds and was stopped; run: weaklink plan --kernel " + RELEASE,
                        "weaklink: processing modules for " + RELEASE
                                + " was killed, or took more than 1 seconds; run: weaklink plan --kernel " + RELEASE);
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void reportsBrokenSettingsAndDoesNotRunThem(String shell) throws Exception {
        String text = "$(touch " + directory + "/owned)";
        configure("hooks = " + text + "\nhooks-timeout = 1x\nhooks-program = x\n" + text + "\n# fine\n");
        Ran ran = run(shell, "0", "add", RELEASE);
        assertThat(ran.status()).isZero();
        assertThat(ran.err().lines()).hasSize(3).allMatch(line -> line.contains(": invalid setting ignored: "));
        assertThat(directory.resolve("owned")).doesNotExist();
        assertThat(calls()).containsExactly("apply --units --no-initramfs --kernel " + RELEASE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-x", "../6.1", "a/b", ".hidden"})
    void ignoresArgumentsThatAreNotReleases(String release) throws Exception {
        assertThat(run("dash", "0", "add", release)).isEqualTo(new Ran(0, "", ""));
        assertThat(Files.exists(calls)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void reportsAMissingProgram(String shell) throws Exception {
        configure("hooks-program = /nowhere/weaklink\n");
        Ran ran = run(shell, "0", "add", RELEASE);
        assertThat(ran.status()).isZero();
        assertThat(ran.err())
                .isEqualTo("weaklink: /nowhere/weaklink not found; nothing was done for kernel " + RELEASE + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "kernel-install/35-weaklink.install,add," + TAKING,
        "kernel-install/45-weaklink.install,add,apply --units --no-initramfs --kernel " + RELEASE,
        "kernel-install/45-weaklink.install,remove,weak-modules --remove-kernel " + RELEASE + " --no-initramfs",
    })
    void kernelInstallCallsTheHook(String plugin, String word, String call) throws Exception {
        keptBuild(RELEASE, "loads");
        runScript("dash", "0", List.of(), DIST.resolve(plugin), word, RELEASE, "/boot/entry");
        assertThat(calls()).containsExactly(call);
    }

    @ParameterizedTest
    @CsvSource({
        "kernel/postinst.d/00weaklink,'',",
        "kernel/header_postinst.d/00weaklink,'',",
        "kernel/postinst.d/dkms-weaklink,'',apply --units --no-initramfs --kernel " + RELEASE,
        "kernel/prerm.d/weaklink,remove,weak-modules --remove-kernel " + RELEASE + " --no-initramfs",
        "kernel/prerm.d/weaklink,upgrade 6.1.2,",
    })
    void debiansKernelPackagesCallTheHook(String script, String parameters, String call) throws Exception {
        List<String> environment = parameters.isEmpty() ? List.of() : List.of("DEB_MAINT_PARAMS", parameters);
        runScript("dash", "0", environment, DIST.resolve(script), RELEASE, "/boot/vmlinuz-" + RELEASE);
        assertThat(Files.exists(calls) ? calls() : List.of()).isEqualTo(call == null ? List.of() : List.of(call));
    }

    private static final String TRIAL =
            "{\"schema\":\"weaklink.trial/1\",\"product\":\"acme/1.0\",\"kernel\":\"%s\",\"result\":\"%s\",\"line\":\"\"}";

    private static final String TAKING = "rebuild --quiet --install=kept --kernel " + RELEASE;

    /** Creates a kept build, headers and the result of a trial build in the image. */
    private Path keptBuild(String kernel, String result) throws IOException {
        pins("lib/modules/" + RELEASE + "/build/Makefile");
        pins("var/lib/weaklink/trials/builds/1/acme.ko");
        return Files.writeString(pins("var/lib/weaklink/trials/1.json"), String.format(TRIAL, kernel, result));
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void installsKeptModulesBeforeDkms(String shell) throws Exception {
        keptBuild(RELEASE, "loads");
        Ran ran = inRoot(shell, "1", "new", RELEASE);
        assertThat(calls()).containsExactly(TAKING);
        assertThat(ran.status()).isZero();
        assertThat(inRoot(shell, "4", "new", RELEASE)).isEqualTo(ran);
        assertThat(inRoot(shell, "124", "new", RELEASE).err())
                .isEqualTo("weaklink: installing the modules of trial builds was killed, or took more than 300 seconds;"
                        + " DKMS builds these modules for " + RELEASE + " as usual\n");
    }

    @ParameterizedTest
    @CsvSource({
        "hooks = report," + RELEASE + ",loads",
        "hooks = off," + RELEASE + ",loads",
        "'',6.1.0-2-amd64,loads",
        "''," + RELEASE + ",does-not-compile",
    })
    void installsNoKeptModulesOfOtherKernelsOrIfHooksOnlyReport(String settings, String kernel, String result)
            throws Exception {
        configure(settings + "\n");
        keptBuild(kernel, result);
        assertThat(inRoot("dash", "1", "new", RELEASE)).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
    }

    @Test
    void installsNoKeptModulesWithoutHeaders() throws Exception {
        keptBuild(RELEASE, "loads");
        Files.delete(directory.resolve("root/lib/modules/" + RELEASE + "/build/Makefile"));
        assertThat(inRoot("dash", "1", "new", RELEASE)).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
    }

    private static final String IMAGE = "/cache/linux-image-6.1.0-2-amd64_6.1.2_amd64.deb";

    /** Returns the environment for a root with out-of-tree modules, with these settings and this answer of the gate. */
    private List<String> gate(String settings, String answer) throws IOException {
        program("echo \"$*\" >> '" + calls + "'; echo 'weaklink: " + answer + "'; exit ${FAKE_STATUS-0}");
        Files.createDirectories(directory.resolve("root/lib/modules/" + RELEASE + "/updates"));
        configure(settings);
        return List.of("WEAKLINK_HOOK_ROOT", directory.resolve("root").toString());
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void judgesKernelsBeforeTheirInstallationInOneRun(String shell) throws Exception {
        List<String> environment = gate("", "K will not load zfs");
        String modules = "/a dir/linux-modules-6.1.0-2_6.1.2_amd64.deb";
        Ran ran = runScript(
                shell,
                "1",
                environment,
                DIST.resolve("kernel-hook"),
                "gate",
                "/cache/bash_5.2_amd64.deb",
                IMAGE,
                "/cache/linux-image-amd64_6.1.2_amd64.deb",
                "/cache/linux-image-6.1.0-2-amd64-dbg_6.1.2_amd64.deb",
                modules);
        assertThat(calls()).containsExactly("check --units --kernel " + IMAGE + " --kernel " + modules);
        assertThat(ran).isEqualTo(new Ran(0, "", "weaklink: K will not load zfs\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "gate = block,K will not load zfs; do not boot it before X,100",
        "gate = block,K will load zfs but not what uses it; do not boot it before X,100",
        "gate = block,whether K will load zfs is unknown,0",
        "gate = warn,K will not load zfs; do not boot it before X,0",
    })
    void stopsAnInstallationOnlyForARefusedModuleAndOnlyOnRequest(String settings, String answer, int status)
            throws Exception {
        List<String> environment = gate(settings + "\n", answer);
        Ran ran = runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "gate", IMAGE);
        assertThat(ran.status()).isEqualTo(status);
        assertThat(ran.err().contains("stopped, because " + config + " contains 'gate = block'"))
                .isEqualTo(status == 100);
    }

    /** The installers of VMware, ZFS and others use their own directories. */
    @ParameterizedTest
    @CsvSource({"misc, true", "zfs, true", "kernel, false", "vdso, false"})
    void judgesKernelsForModulesInAnyDirectory(String name, boolean judged) throws Exception {
        List<String> environment = gate("", "K will not load zfs");
        Files.move(
                directory.resolve("root/lib/modules/" + RELEASE + "/updates"),
                directory.resolve("root/lib/modules/" + RELEASE + "/" + name));
        Files.createSymbolicLink(
                directory.resolve("root/lib/modules/" + RELEASE + "/build"), directory.resolve("root"));
        runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "gate", IMAGE);
        assertThat(Files.exists(calls)).isEqualTo(judged);
    }

    /** Installers of modules may put them among the kernel's own modules, which modules.order lists. */
    @ParameterizedTest
    @CsvSource({"zfs.ko, true", "zfs.ko.zst, true", "own.ko.xz, false", "zfs.txt, false", "none, false"})
    void judgesKernelsForModulesAmongTheKernelsOwn(String file, boolean judged) throws Exception {
        List<String> environment = gate("", "K will not load zfs");
        Path modules = directory.resolve("root/lib/modules/" + RELEASE);
        Files.delete(modules.resolve("updates"));
        Path net = Files.createDirectories(modules.resolve("kernel/drivers/net"));
        Files.writeString(modules.resolve("modules.order"), "kernel/drivers/net/own.ko\n");
        Files.writeString(net.resolve("own.ko.xz"), "");
        Files.writeString(net.resolve(file), "");
        runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "gate", IMAGE);
        assertThat(Files.exists(calls)).isEqualTo(judged);
    }

    @ParameterizedTest
    @CsvSource({"124, 'was killed, or took more than 300 seconds'", "2, failed with status 2"})
    void namesTheNextStepIfNothingIsKnownOfANewKernel(String status, String reason) throws Exception {
        List<String> environment = new ArrayList<>(gate("", "K"));
        environment.addAll(List.of("FAKE_STATUS", status));
        Ran ran = runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "gate", IMAGE);
        assertThat(ran.err())
                .contains("weaklink: checking the new kernel " + reason
                        + "; before you boot that kernel, run: weaklink check");
    }

    @ParameterizedTest
    @CsvSource({"gate = off,true", "'',false"})
    void judgesNothingIfHooksAreOffOrWithoutModules(String settings, boolean modules) throws Exception {
        List<String> environment = gate(settings + "\n", "K will not load zfs; do not boot it before X");
        if (!modules) {
            Files.delete(directory.resolve("root/lib/modules/" + RELEASE + "/updates"));
        }
        Ran ran = runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "gate", IMAGE);
        assertThat(ran).isEqualTo(new Ran(0, "", ""));
        assertThat(Files.exists(calls)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 127, 139})
    void doesNotStopAnInstallationIfTheGateFails(int status) throws Exception {
        List<String> environment = gate("gate = block\n", "OK");
        Ran ran = runScript("dash", Integer.toString(status), environment, DIST.resolve("kernel-hook"), "gate", IMAGE);
        assertThat(ran.status()).isZero();
        assertThat(ran.err()).contains("weaklink: checking the new kernel failed with status " + status + "; ");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void findsPackagesOfOneVersionInDnfsCache(String shell) throws Exception {
        List<String> environment = gate("", "OK");
        Path cache = Files.createDirectories(directory.resolve("cache/repo-1/packages"));
        Path core = Files.createFile(cache.resolve("kernel-modules-core-5.14.0-1.el9.x86_64.rpm"));
        Files.createFile(cache.resolve("kernel-devel-5.14.0-1.el9.x86_64.rpm"));
        Files.createFile(cache.resolve("kernel-core-5.14.0-2.el9.x86_64.rpm"));
        runScript(
                shell,
                "0",
                environment,
                DIST.resolve("kernel-hook"),
                "gate-cached",
                directory.resolve("cache").toString(),
                "5.14.0-1.el9.x86_64");
        assertThat(calls()).containsExactly("check --units --kernel " + core);
        Ran ran = runScript(
                shell,
                "1",
                gate("gate = block\n", "weaklink: x will not load y; do not boot it before z"),
                DIST.resolve("kernel-hook"),
                "gate-cached",
                directory.resolve("cache").toString(),
                "5.14.0-1.el9.x86_64");
        assertThat(ran.status()).isEqualTo(100);
        assertThat(ran.out()).isEqualTo("stop=weaklink: gate = block\n");
    }

    /** Returns the environment for a system with systemd and with rebuilds in the background. */
    private List<String> background() throws IOException {
        program("systemctl", "echo \"systemctl $*\" >> '" + calls + "'");
        Files.createDirectories(directory.resolve("root/run/systemd/system"));
        Files.createDirectories(directory.resolve("root/lib/modules").resolve(RELEASE));
        configure("rebuild = background\n");
        String bin = directory.resolve("bin dir").toString();
        return List.of(
                "WEAKLINK_HOOK_ROOT",
                directory.resolve("root").toString(),
                "PATH",
                bin + File.pathSeparator + System.getenv("PATH"));
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void rebuildsRemainingModulesInTheBackground(String shell) throws Exception {
        Ran ran = runScript(shell, "1", background(), DIST.resolve("kernel-hook"), "add", RELEASE);
        assertThat(calls())
                .containsExactly(
                        "apply --units --no-initramfs --kernel " + RELEASE, "systemctl start --no-block " + UNIT);
        assertThat(ran.status()).isZero();
        assertThat(ran.err())
                .isEqualTo("weaklink: rebuilding modules for " + RELEASE + " in the background; see: journalctl -u '"
                        + UNIT + "'\n");
    }

    @ParameterizedTest
    @CsvSource({"0,''", "3,''", "1,hooks = report"})
    void rebuildsNothingIfNothingRemainsOrHooksOnlyReport(String status, String line) throws Exception {
        List<String> environment = background();
        Files.writeString(config, line + "\n", StandardOpenOption.APPEND);
        runScript("dash", status, environment, DIST.resolve("kernel-hook"), "add", RELEASE);
        assertThat(calls()).noneMatch(call -> call.startsWith("systemctl"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rebuild = no\n", "rebuild=no", ""})
    void rebuildsNothingByDefault(String text) throws Exception {
        List<String> environment = background();
        configure(text);
        runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "add", RELEASE);
        assertThat(calls()).containsExactly("apply --units --no-initramfs --kernel " + RELEASE);
    }

    /** The command systemctl does nothing in a chroot, but reports success. */
    @Test
    void printsTheRebuildCommandWithoutSystemd() throws Exception {
        List<String> environment = background();
        Files.delete(directory.resolve("root/run/systemd/system"));
        Ran ran = runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "add", RELEASE);
        assertThat(calls()).noneMatch(call -> call.startsWith("systemctl"));
        assertThat(ran.err()).endsWith("rebuild with: weaklink apply --rebuild --kernel " + RELEASE + "\n");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void returnsTheStatusOfTheRebuildFromTheUnit(String shell) throws Exception {
        Ran ran = runScript(shell, "1", background(), DIST.resolve("kernel-hook"), "rebuild", RELEASE);
        assertThat(calls()).containsExactly("apply --rebuild --kernel " + RELEASE);
        assertThat(ran.status()).isEqualTo(1);
    }

    /** The names of units cannot contain all characters of releases. */
    @Test
    void readsTheReleaseFromTheNameOfTheUnit() throws Exception {
        String release = "6.5.6-300.fc39.x86_64+debug~1";
        List<String> environment = background();
        runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "add", release);
        String unit = calls().get(1).substring("systemctl start --no-block weaklink-rebuild@".length());
        assertThat(unit).isEqualTo("6.5.6-300.fc39.x86_64\\x2bdebug\\x7e1.service");
        Files.createDirectories(directory.resolve("root/lib/modules").resolve(release));
        String instance = unit.substring(0, unit.length() - ".service".length());
        runScript("dash", "0", environment, DIST.resolve("kernel-hook"), "rebuild", instance);
        assertThat(calls().get(2)).isEqualTo("apply --rebuild --kernel " + release);
    }

    @Test
    void rebuildsNothingForARemovedKernel() throws Exception {
        Ran ran = runScript("dash", "0", background(), DIST.resolve("kernel-hook"), "rebuild", "6.1.0-9");
        assertThat(ran).isEqualTo(new Ran(0, "", ""));
        assertThat(Files.exists(calls)).isFalse();
    }

    /** The script sleep removes the lock. */
    @Test
    void waitsForThePackageManagerBeforeARebuild() throws Exception {
        List<String> environment = background();
        Path root = directory.resolve("root");
        Path lock = root.resolve("var/lib/dpkg/lock-frontend");
        Files.createDirectories(lock.getParent());
        Files.createFile(lock);
        Path locks = root.resolve("proc/locks");
        Files.createDirectories(locks.getParent());
        String held = "1: POSIX  ADVISORY  WRITE 711 %s:%s 0 EOF\n";
        Object inode = Files.getAttribute(lock, "unix:ino");
        Files.writeString(locks, held.formatted("08:01", inode));
        program("findmnt", "echo 0:31; echo 254:17");
        program("sleep", "echo waited >> '" + calls + "'; : > '" + locks + "'");
        Ran ran = runScript("dash", "0", environment, DIST.resolve("kernel-hook"), "rebuild", RELEASE);
        assertThat(calls()).containsExactly("apply --rebuild --kernel " + RELEASE); // the lock is of another disk
        assertThat(ran.err()).isEmpty();

        Files.writeString(locks, held.formatted("fe:11", inode));
        ran = runScript("dash", "0", environment, DIST.resolve("kernel-hook"), "rebuild", RELEASE);
        assertThat(calls()).contains("waited");
        assertThat(ran.err()).isEqualTo("weaklink: waiting for the package manager to finish\n");
    }

    @Test
    void callsInstalledProgramsFromTheUnit() throws IOException {
        assertThat(Files.readString(DIST.resolve("systemd/weaklink-rebuild@.service")))
                .contains(
                        "\nExecStart=/usr/lib/weaklink/kernel-hook rebuild %i\n",
                        "\nType=oneshot\n", "\nTimeoutStartSec=12h\n");
    }

    private void program(String body) throws IOException {
        program("weaklink", body);
    }

    private void program(String name, String body) throws IOException {
        Path program = directory.resolve("bin dir").resolve(name);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void configure(String lines) throws IOException {
        String ours = "hooks-program = " + directory.resolve("bin dir/weaklink") + "\n";
        Files.writeString(config, ours + lines);
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(calls);
    }

    /** unattended-upgrades runs dpkg many times. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void startsNoRunForPackagesWithoutModules(String shell) throws Exception {
        configure("hold = yes\n");
        pins(LIST);
        assertThat(inRoot(shell, "1", "renew")).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
        Path dep = pins("lib/modules/" + RELEASE + "/modules.dep");
        Path kept = pins("var/lib/weaklink/hold.json");
        for (Path file : List.of(dep, dep.getParent(), dep.getParent().getParent())) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
        }
        inRoot(shell, "1", "renew");
        assertThat(calls).doesNotExist();

        Files.setLastModifiedTime(kept, FileTime.fromMillis(500_000));
        inRoot(shell, "1", "renew");
        assertThat(calls()).containsExactly("hold --units");
    }

    @ParameterizedTest
    @CsvSource({"yes, true", "no, false"})
    void holdsForADriverThatIsInstalledBeforeTheFirstUpdateOfLists(String wanted, boolean held) throws Exception {
        configure("hold = " + wanted + "\n");
        pins("lib/modules/" + RELEASE + "/extra/acme.ko");
        pins(LIST);

        inRoot("sh", "1", "renew");

        assertThat(Files.exists(calls)).isEqualTo(held);
    }

    /** An image without package lists and without systemd would otherwise print the failure after each package. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void retriesAFailedRenewalOnlyForOtherModulesAndWithLists(String shell) throws Exception {
        configure("hold = yes\n");
        Path module = pins("lib/modules/" + RELEASE + "/extra/acme.ko");
        assertThat(inRoot(shell, "2", "renew")).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();

        Path list = pins(LIST);
        assertThat(inRoot(shell, "2", "renew").err()).contains("failed with status 2");
        assertThat(inRoot(shell, "2", "renew")).isEqualTo(new Ran(0, "", ""));
        FileTime later = FileTime.fromMillis(Long.MAX_VALUE / 1_000_000);
        Files.setLastModifiedTime(module.getParent(), later);
        assertThat(inRoot(shell, "2", "renew").err()).contains("failed with status 2");

        Files.delete(list);
        pins("var/lib/weaklink/hold.json");
        assertThat(inRoot(shell, "2", "renew")).isEqualTo(new Ran(0, "", ""));
    }

    /** dkms fails and stops the hooks that follow it, but apt still calls the last hook. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void printsAptsReportEvenIfOtherHooksFailed(String shell) throws Exception {
        pins("lib/modules/" + RELEASE + "/modules.builtin");
        assertThat(inRoot(shell, "1", "new", RELEASE)).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
        assertThat(inRoot(shell, "1", "renew")).isEqualTo(new Ran(0, "", "K: zfs: LINKED\n"));
        assertThat(calls()).containsExactly("apply --units --no-initramfs --kernel " + RELEASE);
        assertThat(inRoot(shell, "1", "renew")).isEqualTo(new Ran(0, "", ""));
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void linksBeforeTheInitramfsAndReportsAtTheEndUnderApt(String shell) throws Exception {
        pins("lib/modules/" + RELEASE + "/modules.builtin");
        pins("etc/apt/apt.conf.d/50weaklink");
        Path root = directory.resolve("root");
        List<String> apt = List.of("WEAKLINK_HOOK_ROOT", root.toString(), "DPKG_FRONTEND_LOCKED", "true");
        Ran ran = runScript(shell, "1", apt, DIST.resolve("kernel-hook"), "add", RELEASE);
        assertThat(ran).isEqualTo(new Ran(0, "", ""));
        assertThat(calls()).containsExactly("apply --units --no-initramfs --kernel " + RELEASE);
        assertThat(inRoot(shell, "1", "renew").err()).isEqualTo("K: zfs: LINKED\n");
    }

    /** Runs 'dpkg --configure -a', whose kernel package fails again, with dpkg's own configuration. */
    @Test
    void printsTheReportAtTheEndOfDpkgWithoutApt() throws Exception {
        ExternalTool.orSkip("dpkg");
        pins("lib/modules/" + RELEASE + "/modules.builtin");
        Path root = directory.resolve("root");
        Path dpkg = pins("etc/dpkg/dpkg.cfg.d/weaklink");
        Path admin = Files.createDirectories(root.resolve("var/lib/dpkg/info")).getParent();
        Files.createDirectories(admin.resolve("updates"));
        Files.writeString(admin.resolve("available"), "");
        Files.writeString(
                admin.resolve("status"),
                "Package: acme-image\nStatus: install ok half-configured\nMaintainer: a <a@example.org>\n"
                        + "Architecture: all\nVersion: 1\nDescription: a kernel\n\n");
        String hook = DIST.resolve("kernel-hook").toString();
        Files.writeString(
                dpkg, Files.readString(DIST.resolve("dpkg/weaklink")).replace("/usr/lib/weaklink/kernel-hook", hook));
        Path postinst = admin.resolve("info/acme-image.postinst");
        Files.writeString(postinst, "#!/bin/sh\n'" + hook + "' add " + RELEASE + "\nexit 11\n");
        Files.setPosixFilePermissions(postinst, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(admin.resolve("info/acme-image.list"), "/.\n");
        Path err = directory.resolve("dpkg.err");
        ProcessBuilder builder = new ProcessBuilder(
                        "dpkg",
                        "--force-not-root",
                        "--force-bad-path",
                        "--log=/dev/null",
                        "--admindir=" + admin,
                        "--post-invoke=" + postInvoke(dpkg),
                        "--configure",
                        "-a")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile());
        builder.environment().put("WEAKLINK_CONFIG", config.toString());
        builder.environment().put("FAKE_STATUS", "1");
        builder.environment().put("WEAKLINK_HOOK_CONFIG", directory + "/hooks.conf");
        builder.environment().put("WEAKLINK_HOOK_ROOT", root.toString());

        assertThat(builder.start().waitFor()).isEqualTo(1);

        assertThat(Files.readAllLines(err))
                .filteredOn(line -> line.startsWith("K: "))
                .containsExactly("K: zfs: LINKED");
    }

    private static String postInvoke(Path configuration) throws IOException {
        String line = Files.readAllLines(configuration).stream()
                .filter(one -> one.startsWith("post-invoke="))
                .findFirst()
                .orElseThrow();
        return line.substring("post-invoke=".length() + 1, line.length() - 1);
    }

    /** An older package has no configuration for dpkg, so dpkg calls no hook at its end. */
    @Test
    void reportsAfterDkmsWithoutApt() throws Exception {
        pins("lib/modules/" + RELEASE + "/modules.builtin");
        pins("etc/apt/apt.conf.d/50weaklink");
        inRoot("dash", "1", "new", RELEASE);
        assertThat(inRoot("dash", "1", "add", RELEASE).out()).isEqualTo("K: zfs: LINKED\n");
        assertThat(inRoot("dash", "1", "renew")).isEqualTo(new Ran(0, "", ""));
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void printsTheRemainingLinksOnRemoval(String shell) throws Exception {
        assertThat(inRoot(shell, "1", "stays")).isEqualTo(new Ran(0, "", ""));
        Path links = directory.resolve("root/lib/modules/" + RELEASE + "/weak-updates/acme");
        Files.createDirectories(links);
        Files.createSymbolicLink(links.resolve("acme.ko"), Path.of("/lib/modules/x/extra/acme.ko"));
        Ran ran = inRoot(shell, "1", "stays");
        assertThat(ran.status()).isZero();
        assertThat(ran.err())
                .startsWith(
                        "weaklink: the weak-updates links (1) stay, because drivers load through the links; to remove the"
                                + " links of a kernel: rm -r /lib/modules/RELEASE/weak-updates && depmod RELEASE");
        assertThat(links.resolve("acme.ko")).isSymbolicLink();
        pins("etc/depmod.d/weaklink.conf");
        assertThat(inRoot(shell, "1", "stays").err())
                .startsWith("weaklink: the weak-updates links (1) and /etc/depmod.d/weaklink.conf stay, because");
    }

    @Test
    void reportsNoKernelIfOnlyHeadersAreInstalled() throws Exception {
        pins("lib/modules/" + RELEASE + "/build/Makefile");
        inRoot("dash", "1", "new", RELEASE);
        assertThat(inRoot("dash", "1", "renew")).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
    }

    /** Creates a file in the image that the hook inspects. */
    private Path pins(String path) throws IOException {
        Path file = directory.resolve("root").resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "x");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void removesOnlyWeaklinksLocksOfZypper(String shell) throws Exception {
        configure("hold = yes\n");
        Path locks = pins("etc/zypp/locks");
        String ours = "type: package\nsolvable_name: kernel-core\ncomment: weaklink hold\n";
        String theirs = "type: package\nsolvable_name: emacs\ncomment: not weaklink hold\n";
        Files.writeString(locks, ours + "\n" + theirs + "\n" + ours);
        inRoot(shell, "0", "let-go");
        assertThat(Files.readString(locks).strip()).isEqualTo(theirs.strip());
        inRoot(shell, "0", "let-go");
        assertThat(Files.readString(locks).strip()).isEqualTo(theirs.strip());
    }

    private static final String KEPT = """
      {"schema":"weaklink.hold/1","manager":"dnf","wanted":true,"done":true,"kernels":[{"kernel":"x",\
      "packages":[{"package":"kernel","version":"9-9","architecture":"x"}]}],"packages":[\
      {"package":"kernel-core","version":"6.1.0-2.el9","architecture":"x86_64"},\
      {"package":"glibc","version":"1-1","architecture":"x86_64"},\
      {"package":"kernel,*","version":"1-1","architecture":"x86_64"},\
      {"package":"kernel-rt","version":"1:6.1.0-2~rc","architecture":"x86_64"}],\
      "problems":[{"message":"a \\"packages\\":[]"}],"exitCode":1}
      """;

    /** libdnf5 reads one line for each option. An empty list would drop the packages that the site excludes. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void excludesOnlyKernelsForDnf5(String shell) throws Exception {
        assumeThat(Files.getOwner(directory).getName()).isEqualTo("root");
        program("dnf5", "exit 1");
        Path kept = pins("var/lib/weaklink/hold.json");
        String line = "conf.*.excludepkgs=kernel-core-6.1.0-2.el9.x86_64,kernel-rt-1:6.1.0-2~rc.x86_64\n";
        configure("hold = yes\n");
        Files.writeString(kept, KEPT);
        assertThat(inRoot(shell, "1", "hold-dnf5", "/nowhere", "none")).isEqualTo(new Ran(0, line, ""));
        assertThat(calls).doesNotExist();
        for (String nothing : List.of(
                KEPT.replace("\"dnf\"", "\"apt\""),
                KEPT.replaceAll("\"packages\":\\[[^\\]]*\\],\"problems", "\"packages\":[],\"problems"))) {
            Files.writeString(kept, nothing);
            assertThat(inRoot(shell, "1", "hold-dnf5", "/nowhere", "none")).isEqualTo(new Ran(0, "", ""));
        }
        for (String damaged : List.of("", "x", KEPT.substring(0, KEPT.length() - 3))) {
            Files.writeString(kept, damaged);
            Ran ran = inRoot(shell, "1", "hold-dnf5", "/nowhere", "none");
            assertThat(ran.out()).isEmpty();
            assertThat(ran.err()).startsWith("weaklink: no kernel is held: ").contains("is damaged");
        }
        Files.writeString(kept, KEPT);
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-rw-rw-"));
        Ran ran = inRoot(shell, "1", "hold-dnf5", "/nowhere", "none");
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).contains("other users can write to ");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void judgesAgainIfDnf5HasNewMetadata(String shell) throws Exception {
        assumeThat(Files.getOwner(directory).getName()).isEqualTo("root");
        Path kept = pins("var/lib/weaklink/hold.json");
        Files.writeString(kept, KEPT);
        Path repomd = pins("var/cache/libdnf5/base-1/repodata/repomd.xml");
        String cache = repomd.getParent().getParent().getParent().toString();
        configure("hold = yes\n");
        Files.setLastModifiedTime(kept, FileTime.fromMillis(System.currentTimeMillis() + 90_000));
        inRoot(shell, "1", "hold-dnf5", cache, "all");
        assertThat(calls).doesNotExist();
        Files.setLastModifiedTime(kept, FileTime.fromMillis(500_000));
        Ran ran = inRoot(shell, "1", "hold-dnf5", cache, "all");
        assertThat(calls()).containsExactly("hold --units");
        assertThat(ran.err()).isEqualTo("K: zfs: LINKED\n");
        assertThat(ran.out()).startsWith("conf.*.excludepkgs=kernel-core-");
        ran = inRoot(shell, "2", "hold-dnf5", cache, "all");
        assertThat(ran.out()).startsWith("conf.*.excludepkgs=kernel-core-");
        assertThat(ran.err()).contains("failed with status 2; kernels stay held as before");
        Files.delete(kept);
        configure("");
        assertThat(inRoot(shell, "1", "hold-dnf5", cache, "all")).isEqualTo(new Ran(0, "", ""));
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void holdsNothingWithoutThePackage(String shell) throws Exception {
        Path locks = pins("etc/zypp/locks");
        Files.writeString(locks, "type: package\nsolvable_name: kernel\ncomment: weaklink hold\n");
        Path kept = pins("var/lib/weaklink/hold.json");
        assertThat(inRoot(shell, "2", "let-go")).isEqualTo(new Ran(0, "", ""));
        assertThat(kept).doesNotExist();
        assertThat(Files.readString(locks)).isEmpty();
        assertThat(calls).doesNotExist();
    }

    private Ran hold(String shell, String status) throws Exception {
        return inRoot(shell, status, "hold");
    }

    private Ran inRoot(String shell, String status, String... words) throws Exception {
        return runScript(
                shell,
                status,
                List.of("WEAKLINK_HOOK_ROOT", directory.resolve("root").toString()),
                DIST.resolve("kernel-hook"),
                words);
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void holdsKernelsOnlyWithHoldYes(String shell) throws Exception {
        assertThat(hold(shell, "0")).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
        configure("hold = yes\ntrial = no\n");
        assertThat(hold(shell, "1").out()).isEqualTo("K: zfs: LINKED\n");
        assertThat(calls()).containsExactly("hold --units");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void keepsHoldsAfterAFailureUnlessWeaklinkCannotRun(String shell) throws Exception {
        configure("hold = yes\n");
        for (String status : List.of("0", "1", "3", "2", "4", "124", "137", "126", "127")) {
            List<Path> files = List.of(
                    pins("etc/apt/preferences.d/weaklink-hold.pref"),
                    pins("etc/motd.d/weaklink-hold"),
                    pins("var/lib/weaklink/hold.json"));
            Ran ran = hold(shell, status);
            assertThat(ran.status()).isZero();
            boolean renewed = List.of("0", "1", "3").contains(status);
            boolean runs = !List.of("126", "127").contains(status);
            assertThat(ran.err().contains("kernels stay held as before")).isEqualTo(!renewed && runs);
            assertThat(files).allSatisfy(file -> assertThat(Files.exists(file)).isEqualTo(runs));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void proposesNoRebootWhileTheNewestKernelIsNotSafe(String shell) throws Exception {
        configure("hold = yes\n");
        Path proposed = pins("run/reboot-required");
        assertThat(hold(shell, "1").err()).contains("so no reboot is proposed: ");
        assertThat(calls()).containsExactly("hold --units", "check --quiet");
        assertThat(proposed).doesNotExist();
        assertThat(hold(shell, "1").err()).isEmpty();
        assertThat(proposed).doesNotExist();
        pins("run/reboot-required");
        assertThat(hold(shell, "1").err()).contains("no reboot is proposed");
        assertThat(proposed).doesNotExist();
        for (String status : List.of("0", "3", "2")) {
            assertThat(hold(shell, status).status()).isZero();
            assertThat(proposed).exists();
            assertThat(hold(shell, "1")).isEqualTo(new Ran(0, "K: zfs: LINKED\n", ""));
            assertThat(proposed).exists();
            Files.setLastModifiedTime(proposed, FileTime.fromMillis(Long.MAX_VALUE / 1_000_000));
            hold(shell, "1");
            assertThat(proposed).doesNotExist();
        }
        configure("");
        hold(shell, "1");
        assertThat(proposed).exists();
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void proposesARebootOnlyAfterTheRebuild(String shell) throws Exception {
        configure("hold = yes\nrebuild = background\n");
        pins("lib/modules/6.1.0-9/modules.dep");
        Path proposed = pins("run/reboot-required");
        hold(shell, "1");
        assertThat(proposed).doesNotExist();
        assertThat(inRoot(shell, "1", "rebuild", "6.1.0-9").status()).isEqualTo(1);
        assertThat(proposed).doesNotExist();
        assertThat(inRoot(shell, "0", "rebuild", "6.1.0-9").status()).isZero();
        assertThat(proposed).exists();
        assertThat(calls()).contains("apply --rebuild --kernel 6.1.0-9");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void checksOnceForTheSameModulesWhetherARebootIsSafe(String shell) throws Exception {
        pins("lib/modules/6.1.0-9/modules.dep");
        assertThat(inRoot(shell, "1", "may-reboot")).isEqualTo(new Ran(0, "", ""));
        assertThat(calls).doesNotExist();
        configure("hold = yes\n");
        for (String status : List.of("1", "1", "0", "1")) {
            Ran ran = inRoot(shell, status, "may-reboot");
            boolean safe = status.equals("0") || calls().size() == 3;
            assertThat(ran.status()).isEqualTo(safe ? 0 : 1);
            assertThat(ran.err())
                    .isEqualTo(
                            safe
                                    ? ""
                                    : "weaklink: the newest kernel is not safe to boot, so no reboot is proposed;"
                                            + " run: weaklink check\n");
        }
        assertThat(calls()).hasSize(3);
        Files.setLastModifiedTime(
                pins("lib/modules/6.1.0-9/modules.dep"), FileTime.fromMillis(Long.MAX_VALUE / 1_000_000));
        assertThat(inRoot(shell, "1", "may-reboot").status()).isEqualTo(1);
    }

    private static final String AWAITED = "{\"schema\":\"weaklink.hold/1\",\"manager\":\"apt\",\"wanted\":true,"
            + "\"done\":true,\"kernels\":[{\"reason\":\"\\\"awaited\\\":[\\\"$(x)\\\"]\"}],\"awaited\":[%s],\"packages\":[],"
            + "\"problems\":[],\"exitCode\":1}\n";

    private static final String RUNS = "run in the background; see: weaklink rebuild --try --status\n";

    /** Writes a hold list with kernels that wait for trial builds. */
    private void awaited(String releases) throws IOException {
        Files.writeString(pins("var/lib/weaklink/hold.json"), String.format(AWAITED, releases));
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void startsTrialBuildsOutsideOfTheHook(String shell) throws Exception {
        List<String> environment = background();
        configure("hold = yes\n");
        awaited("\"6.1.0-9-amd64\",\"6.1.0-8~a+b\"");
        Ran ran = runScript(shell, "1", environment, DIST.resolve("kernel-hook"), "hold");
        assertThat(calls()).containsExactly("hold --units", "systemctl start --no-block weaklink-trial.service");
        assertThat(ran.err()).isEqualTo("weaklink: trial builds for 6.1.0-9-amd64, 6.1.0-8~a+b " + RUNS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"$(touch owned)\"", "\"6.1.0-9\",\"a b\""})
    void startsNoTrialBuildUnlessAKernelWaitsForIt(String releases) throws Exception {
        List<String> environment = background();
        configure("hold = yes\n");
        awaited(releases);
        Ran ran = runScript("dash", "1", environment, DIST.resolve("kernel-hook"), "hold");
        assertThat(calls()).containsExactly("hold --units");
        assertThat(ran.err()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void buildsOnTrialInABackgroundProcessWithoutSystemd(String shell) throws Exception {
        ExternalTool.orSkip("setsid");
        configure("hold = yes\n");
        awaited("\"6.1.0-9-amd64\"");
        Ran ran = hold(shell, "1");
        assertThat(ran.err()).isEqualTo("weaklink: trial builds for 6.1.0-9-amd64 " + RUNS);
        for (int i = 0; i < 300 && calls().size() < 3; i++) {
            Thread.sleep(50);
        }
        assertThat(calls()).containsExactly("hold --units", "rebuild --try", "hold --units");
        assertThat(directory.resolve("root/var/lib/weaklink/trial.log"))
                .content()
                .contains("K: zfs: LINKED");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void renewsTheHoldAfterTrialBuildsWithoutStartingMore(String shell) throws Exception {
        configure("hold = yes\n");
        awaited("\"6.1.0-9-amd64\"");
        Ran ran = inRoot(shell, "2", "trial");
        assertThat(calls()).containsExactly("rebuild --try", "hold --units");
        assertThat(ran.err()).startsWith("weaklink: trial builds failed with status 2; run: weaklink rebuild --try\n");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void renewsTheHoldWhenASourceChanged(String shell) throws Exception {
        configure("hold = yes\n");
        pins(LIST);
        Path source = pins("usr/src/acme-1.0/dkms.conf").getParent();
        FileTime old = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(source, old);
        Files.setLastModifiedTime(source.getParent(), old);
        pins("var/lib/weaklink/hold.json");
        inRoot(shell, "1", "renew");
        assertThat(calls).doesNotExist();
        Files.setLastModifiedTime(source, FileTime.fromMillis(Long.MAX_VALUE / 1_000_000));
        inRoot(shell, "1", "renew");
        assertThat(calls()).containsExactly("hold --units");
    }

    private Ran run(String shell, String status, String... arguments) throws Exception {
        return runScript(shell, status, List.of(), DIST.resolve("kernel-hook"), arguments);
    }

    private Ran runScript(String shell, String status, List<String> environment, Path script, String... arguments)
            throws Exception {
        List<String> command = Shells.command(shell);
        command.add(script.toString());
        command.addAll(List.of(arguments));
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().put("WEAKLINK_CONFIG", config.toString());
        builder.environment().put("WEAKLINK_HOOK_CONFIG", directory + "/hooks.conf");
        builder.environment().put("WEAKLINK_HOOK", DIST.resolve("kernel-hook").toString());
        builder.environment().put("FAKE_STATUS", status);
        builder.environment()
                .put("WEAKLINK_HOOK_ROOT", directory.resolve("root").toString());
        for (int i = 0; i < environment.size(); i += 2) {
            builder.environment().put(environment.get(i), environment.get(i + 1));
        }
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out, Files.readString(err));
    }
}
