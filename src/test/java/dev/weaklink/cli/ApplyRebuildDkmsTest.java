package dev.weaklink.cli;

import static dev.weaklink.cli.ApplyRebuildTest.OLD;
import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.standin.DkmsSandbox;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real dkms(8) in an image. The sources of the packages are ready-made modules, so nothing is compiled. The package
 * aa needs bb.
 */
@Tag("slow")
class ApplyRebuildDkmsTest {
    @TempDir
    Path directory;

    private RebuildPlace place;
    private DkmsSandbox dkms;
    private Path root;

    @BeforeEach
    void install() throws IOException {
        ExternalTool depmod = ExternalTool.orSkip("depmod");
        place = RebuildPlace.in(directory);
        root = place.image().root();
        dkms = DkmsSandbox.orSkip(root);
        DurableFiles.deleteTree(dkms.sources());
        add("aa", 5, "BUILD_DEPENDS[0]=\"bb\"\n");
        add("bb", 5, "");
        add("cc", 5, "");
        depmod.run("-b", root.toString(), KERNEL);
    }

    /** Adds a package whose module for the old kernel does not fit the new kernel. */
    private void add(String name, int crc, String more) throws IOException {
        Path source = Files.createDirectories(root.resolve("usr/src/" + name + "-1.0"));
        Files.write(
                source.resolve(name + ".ko"),
                built(name, KERNEL).importing("_printk", crc).build());
        Files.writeString(source.resolve("dkms.conf"), """
        PACKAGE_NAME="%1$s"
        PACKAGE_VERSION="1.0"
        BUILT_MODULE_NAME[0]="%1$s"
        DEST_MODULE_LOCATION[0]="/updates/dkms"
        MAKE[0]="sh ./make.sh"
        CLEAN="true"
        STRIP[0]="no"
        AUTOINSTALL="yes"
        """.formatted(name) + more);
        Files.writeString(source.resolve("make.sh"), "exit 0\n");
        assertThat(dkms.run("add", "-m", name + "/1.0").exitCode()).isZero();
        place.image()
                .module(OLD, "updates/dkms/" + name + ".ko", built(name, OLD).importing("_printk", 4));
    }

    private Path source(String name) {
        return root.resolve("usr/src/" + name + "-1.0");
    }

    private WholeRun weaklink(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--root", root.toString()));
        return WholeRun.with(place.environment(), all.toArray(String[]::new));
    }

    /** Returns the last part of the output, which follows all actions. */
    private String ending(WholeRun run) {
        String text = place.neutral(run.out());
        return text.substring(text.lastIndexOf("\n\n") + 2);
    }

    private Path installed(String name) {
        return place.image().modules(KERNEL).resolve("updates/dkms/" + name + ".ko");
    }

    @Test
    void buildsAndInstallsPackagesInTheOrderOfDependencies() throws IOException {
        assertThat(ending(weaklink("plan"))).isEqualTo("""
            3 modules to rebuild.
            Next: weaklink apply --rebuild --root ROOT
            """);
        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(ending(run)).isEqualTo("""
            6.1.0-1-amd64: depmod run, no link changed
            6.1.0-1-amd64: aa: OK, rebuilt (run 3)
            6.1.0-1-amd64: bb: OK, rebuilt (run 1)
            6.1.0-1-amd64: cc: OK, rebuilt (run 2)
            Next: boot 6.1.0-1-amd64
            """);
        assertThat(run.status()).isEqualTo(0);
        assertThat(weaklink("check", "aa", "bb", "cc", "--kernel", KERNEL).status())
                .isZero();
        assertThat(place.image().modules(KERNEL).resolve("modules.dep"))
                .content()
                .contains("updates/dkms/aa.ko:", "updates/dkms/cc.ko:");
        assertThat(changes()).hasSize(1);
    }

    /** Returns the lines of the history that can be undone. Builds have no number. */
    private List<String> changes() throws IOException {
        return weaklink("history")
                .out()
                .lines()
                .filter(line -> !line.startsWith("-"))
                .toList();
    }

    private static final class PowerCut extends Error {
        private static final long serialVersionUID = 1;
    }

    /** DKMS copied the module but did not record it, so the module looks installed. */
    @Test
    void finishesAnInstallationOfDkmsAfterAPowerCut() throws IOException {
        TransactionSettings settings = CommandMatrix.faulty(point -> {
            if (point.equals("before installing")) {
                throw new PowerCut();
            }
        });
        String[] words = {"apply", "--rebuild", "--root", root.toString()};
        assertThatThrownBy(() -> WholeRun.of(settings, new byte[0], place.environment(), words))
                .isInstanceOf(PowerCut.class);
        Files.createDirectories(installed("bb").getParent());
        Files.copy(source("bb").resolve("bb.ko"), installed("bb"));

        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.err()).contains("finishing the interrupted installation of run " + KERNEL + "/1");
        assertThat(dkms.run("status", "-m", "bb/1.0").lines()).anyMatch(line -> line.contains("installed"));
        assertThat(weaklink("undo").out()).contains("dkms uninstall -m bb -v 1.0");
    }

    /** Only the JVM is killed; dkms would continue to build for a long time. */
    @Test
    @Timeout(900)
    void endsTheBuildOfAKilledRun() throws IOException, InterruptedException {
        Path started = directory.resolve("started");
        Path make = source("bb").resolve("make.sh");
        Files.writeString(make, "[ -e '" + started + "' ] || { : > '" + started + "'; sleep 3600; }\n");
        place.environment().put("WEAKLINK_CACHE", "off");
        Process process = KilledApplyTest.start(place, "apply", "--rebuild", "--root", root.toString());
        while (!Files.exists(started) && process.isAlive()) {
            Thread.sleep(50);
        }
        process.destroyForcibly().waitFor();
        assertThat(started).exists();

        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(run.status()).as("%s", run).isZero();
        assertThat(installed("bb")).exists();
    }

    /** Only the JVM is killed; dkms continues to install, before or after it copies the module. */
    @ParameterizedTest
    @ValueSource(strings = {"PRE_INSTALL", "POST_INSTALL"})
    @Timeout(900)
    void finishesTheInstallationOfAKilledRun(String hook) throws IOException, InterruptedException {
        killWhileDkmsInstalls(hook);

        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(run.status()).as("%s", run).isZero();
        for (String name : List.of("aa", "bb", "cc")) {
            assertThat(installed(name)).exists();
            assertThat(dkms.run("status", "-m", name + "/1.0").lines()).anyMatch(line -> line.contains("installed"));
        }
        assertThat(installing()).isEmpty();
        WholeRun undo = weaklink("undo");
        assertThat(undo.out()).contains("dkms uninstall -m bb -v 1.0");
        uninstall(undo);
        assertThat(installed("bb")).doesNotExist();
        assertThat(weaklink("apply", "--rebuild").status()).isZero();
    }

    /** Otherwise dkms would copy the module, or record it, after the undo. */
    @ParameterizedTest
    @ValueSource(strings = {"PRE_INSTALL", "POST_INSTALL"})
    @Timeout(900)
    void undoEndsTheInstallationThatAKilledCommandLeft(String hook) throws IOException, InterruptedException {
        killWhileDkmsInstalls(hook);

        WholeRun undo = weaklink("undo");
        assertThat(undo.status()).as("%s", undo).isEqualTo(1);
        assertThat(undo.out()).contains("dkms uninstall -m bb -v 1.0");
        assertThat(installing()).isEmpty();
        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(run.status()).as("%s", run).isZero();
        assertThat(installed("bb")).exists();
    }

    /** Starts apply --rebuild and kills the JVM alone, while a hook of bb waits inside {@code dkms install}. */
    private void killWhileDkmsInstalls(String hook) throws IOException, InterruptedException {
        Path started = directory.resolve("started");
        String wait = "[ -e '" + started + "' ] || { : > '" + started + "'; sleep 3600; }";
        script("bb", "wait.sh", wait, hook + "=\"wait.sh\"\n");
        Process process = KilledApplyTest.start(place, "apply", "--rebuild", "--root", root.toString());
        while (!Files.exists(started) && process.isAlive()) {
            Thread.sleep(50);
        }
        process.destroyForcibly().waitFor();
        assertThat(started).exists();
        assertThat(Files.exists(installed("bb"))).isEqualTo(hook.equals("POST_INSTALL"));
        assertThat(installing()).isNotEmpty();
    }

    private List<ProcessHandle> installing() {
        return ProcessHandle.allProcesses()
                .filter(one -> isOfTheRoot(one, "install"))
                .toList();
    }

    private boolean isOfTheRoot(ProcessHandle process, String word) {
        List<String> words = List.of(process.info().arguments().orElse(new String[0]));
        return words.contains(word) && words.contains(dkms.tree().toString());
    }

    private void uninstall(WholeRun undo) throws IOException, InterruptedException {
        for (String line : undo.out().lines().toList()) {
            int command = line.indexOf("run: ");
            if (command >= 0) {
                String[] words = line.substring(command + "run: ".length()).split(" ");
                ProcessBuilder builder = new ProcessBuilder(words);
                builder.environment().putAll(dkms.environment());
                Process uninstalling = builder.redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                assertThat(uninstalling.waitFor()).as(line).isZero();
            }
        }
    }

    /** DKMS does not install a module if the kernel's own is at least as new. No other program installs it either. */
    @Test
    void rebuildsAllModulesOfAPackageExceptThoseThatDkmsLeavesOut() throws IOException {
        StringBuilder more = new StringBuilder();
        for (String module : List.of("1]=dd_two", "2]=own")) {
            String place = module.substring(0, 2);
            more.append("BUILT_MODULE_NAME[" + module + "\nSTRIP[" + place + "=no\n")
                    .append("DEST_MODULE_LOCATION[" + place + "=/updates\n");
        }
        add("dd", 5, more.toString());
        Files.write(
                source("dd").resolve("dd_two.ko"),
                built("dd_two", KERNEL).importing("_printk", 5).build());
        Files.write(source("dd").resolve("own.ko"), built("own", KERNEL).build());
        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(ending(run)).isEqualTo("""
            6.1.0-1-amd64: depmod run, no link changed
            6.1.0-1-amd64: aa: OK, rebuilt (run 4)
            6.1.0-1-amd64: bb: OK, rebuilt (run 1)
            6.1.0-1-amd64: cc: OK, rebuilt (run 2)
            6.1.0-1-amd64: dd: OK, rebuilt (run 3): without own, which DKMS did not install; the kernel may have its own version
            6.1.0-1-amd64: dd_two: OK, rebuilt (run 3)
            Next: boot 6.1.0-1-amd64
            """);
        assertThat(run.status()).isEqualTo(0);
        assertThat(installed("dd_two")).isRegularFile();
        assertThat(installed("own")).doesNotExist();
    }

    @Test
    void printsProgressAndTheKernelToBootForSeveralKernels() throws IOException {
        String newer = "6.1.0-2-amd64";
        String headers = "usr/src/linux-headers-" + newer;
        place.image()
                .modulesOrder(newer, List.of("kernel/own.ko"))
                .module(newer, "kernel/own.ko", built("own", newer))
                .file(headers + "/Makefile", new byte[0])
                .file(
                        headers + "/include/generated/utsrelease.h",
                        ("#define UTS_RELEASE \"" + newer + "\"\n").getBytes(StandardCharsets.UTF_8));
        Files.copy(
                root.resolve("usr/src/linux-headers-" + KERNEL + "/Module.symvers"),
                root.resolve(headers + "/Module.symvers"));
        for (String name : List.of("aa", "bb", "cc")) {
            Files.writeString(source(name).resolve("make.sh"), "sed -i \"s/6.1.0-[12]-/6.1.0-$2-/\" *.ko\n");
            Files.writeString(
                    source(name).resolve("dkms.conf"),
                    "MAKE[0]='sh ./make.sh " + name + " ${kernelver:6:1}'\n",
                    StandardOpenOption.APPEND);
        }
        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(ending(run)).isEqualTo("""
            6.1.0-1-amd64: depmod run, no link changed
            6.1.0-2-amd64: depmod run, no link changed
            6.1.0-2-amd64: aa: OK, rebuilt (run 3)
            6.1.0-2-amd64: bb: OK, rebuilt (run 1)
            6.1.0-2-amd64: cc: OK, rebuilt (run 2)
            6.1.0-1-amd64: aa: OK, rebuilt (run 3)
            6.1.0-1-amd64: bb: OK, rebuilt (run 1)
            6.1.0-1-amd64: cc: OK, rebuilt (run 2)
            Next: boot 6.1.0-2-amd64
            """);
        assertThat(run.messages().stream().filter(line -> line.contains(" of 6 for ")))
                .containsExactly(
                        "rebuild 1 of 6 for 6.1.0-2-amd64: bb/1.0",
                        "rebuild 2 of 6 for 6.1.0-2-amd64: cc/1.0",
                        "rebuild 3 of 6 for 6.1.0-2-amd64: aa/1.0",
                        "rebuild 4 of 6 for 6.1.0-1-amd64: bb/1.0",
                        "rebuild 5 of 6 for 6.1.0-1-amd64: cc/1.0",
                        "rebuild 6 of 6 for 6.1.0-1-amd64: aa/1.0");
        assertThat(run.status()).isEqualTo(0);
    }

    /** Only DKMS can uninstall the builds that DKMS installed. */
    @Test
    void undoPrintsTheCommandsForDkms() {
        assertThat(weaklink("apply", "--rebuild").status()).isZero();
        WholeRun undo = weaklink("undo");
        assertThat(place.neutral(undo.out())).isEqualTo("""
            6.1.0-1-amd64: depmod run, no link changed
              installed by another program; to remove the modules, run: dkms uninstall -m aa -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              installed by another program; to remove the modules, run: dkms uninstall -m cc -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              installed by another program; to remove the modules, run: dkms uninstall -m bb -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              installed by another program; to remove the modules, run: depmod -b ROOT 6.1.0-1-amd64
            """);
        assertThat(undo.status()).isEqualTo(1);
    }

    /** DKMS runs depmod only for the host's kernels. */
    @Test
    void theCommandsThatUndoPrintsRestoreTheIndexes() throws IOException, InterruptedException {
        Path index = place.image().modules(KERNEL).resolve("modules.dep.bin");
        byte[] before = Files.readAllBytes(index);
        assertThat(weaklink("apply", "--rebuild").status()).isZero();
        assertThat(index).binaryContent().isNotEqualTo(before);
        uninstall(weaklink("undo"));
        assertThat(index).hasBinaryContent(before);
    }

    @Test
    void installsOtherPackagesIfOneWouldBeRefused() throws IOException {
        Files.write(
                source("bb").resolve("bb.ko"),
                built("bb", KERNEL).importing("_printk", 6).build());
        WholeRun run = weaklink("apply", "--rebuild");
        assertThat(ending(run)).isEqualTo("""
            6.1.0-1-amd64: depmod run, no link changed
            6.1.0-1-amd64: aa: OK, rebuilt (run 3): bb/1.0: bb would be refused: symbol-crc: _printk: symbol version (CRC) mismatch (wanted 0x00000006; vmlinux offers 0x00000005); loading fails with EINVAL
            6.1.0-1-amd64: bb: REBUILD NEEDED, rebuild failed (run 1): wrong-modules: 1 of 1 module built would be refused
              Next: the kernel would refuse the result; check the build tree that was used: ROOT/usr/src/linux-headers-6.1.0-1-amd64
            6.1.0-1-amd64: cc: OK, rebuilt (run 2)
            No other kernel loads all of bb, which could not be built for 6.1.0-1-amd64.
            Next: boot 6.1.0-1-amd64
            """);
        assertThat(run.status()).isEqualTo(1);
        assertThat(installed("bb")).doesNotExist();
        assertThat(installed("cc")).isRegularFile();
    }

    @Test
    void leavesOutTheOneRefusedPackageOfARun() throws IOException {
        Files.write(
                source("cc").resolve("cc.ko"),
                built("cc", KERNEL).importing("_printk", 6).build());
        WholeRun run = weaklink("rebuild", "--kernel", KERNEL, "--install");
        assertThat(place.neutral(run.out())).isEqualTo("""
            6.1.0-1-amd64: 2 modules built, 2 of which the kernel would load
              COMPATIBLE  aa
              COMPATIBLE  bb
              result: ROOT/var/lib/dkms/aa/1.0/6.1.0-1-amd64/x86_64/module/aa.ko
              result: ROOT/var/lib/dkms/bb/1.0/6.1.0-1-amd64/x86_64/module/bb.ko
              result: ROOT/var/lib/dkms/cc/1.0/6.1.0-1-amd64/x86_64/module/cc.ko
              BUILT    bb/1.0
              FAILED   cc/1.0: cc would be refused: symbol-crc: _printk: symbol version (CRC) mismatch (wanted 0x00000006; vmlinux offers 0x00000005); loading fails with EINVAL
              BUILT    aa/1.0
              log and results: RUN
            6.1.0-1-amd64: installed; the kernel would load 2 of 2 modules
              + /lib/modules/6.1.0-1-amd64/updates/dkms/aa.ko
              + /lib/modules/6.1.0-1-amd64/updates/dkms/bb.ko
              to undo: dkms uninstall -m aa -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              to undo: dkms uninstall -m bb -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              to undo: depmod -b ROOT 6.1.0-1-amd64
            """);
        assertThat(run.status()).isEqualTo(1);
        assertThat(installed("cc")).doesNotExist();
        assertThat(installed("aa")).isRegularFile();
    }

    /** aa is the last package. After the installation of cc, the build of aa is missing and cannot be repeated. */
    @Test
    void installsTheOthersIfOnePackageCannotBeInstalled() throws IOException {
        String loss = "rm -rf '%s'; echo exit 1 > '%s'"
                .formatted(dkms.tree().resolve("aa/1.0/" + KERNEL), source("aa").resolve("make.sh"));
        script("cc", "lose.sh", loss, "PRE_INSTALL=\"lose.sh\"\n");
        WholeRun run = weaklink("rebuild", "--kernel", KERNEL, "--install");
        assertThat(place.neutral(run.out())).isEqualTo("""
            6.1.0-1-amd64: 3 modules built, 3 of which the kernel would load
              COMPATIBLE  aa
              COMPATIBLE  bb
              COMPATIBLE  cc
              result: ROOT/var/lib/dkms/aa/1.0/6.1.0-1-amd64/x86_64/module/aa.ko
              result: ROOT/var/lib/dkms/bb/1.0/6.1.0-1-amd64/x86_64/module/bb.ko
              result: ROOT/var/lib/dkms/cc/1.0/6.1.0-1-amd64/x86_64/module/cc.ko
              BUILT    bb/1.0
              BUILT    cc/1.0
              BUILT    aa/1.0
              log and results: RUN
              FAILED   aa/1.0: dkms: exit status 1: Please install the linux-headers-6.1.0-1-amd64 package or use the --kernelsourcedir option to tell DKMS where it's located.
            6.1.0-1-amd64: installed; the kernel would load 2 of 2 modules
              + /lib/modules/6.1.0-1-amd64/updates/dkms/bb.ko
              + /lib/modules/6.1.0-1-amd64/updates/dkms/cc.ko
              to undo: dkms uninstall -m cc -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              to undo: dkms uninstall -m bb -v 1.0 -k 6.1.0-1-amd64 --dkmstree ROOT/var/lib/dkms --sourcetree ROOT/usr/src --installtree ROOT/lib/modules --no-depmod
              to undo: depmod -b ROOT 6.1.0-1-amd64
            """);
        assertThat(run.status()).isEqualTo(1);
        assertThat(installed("aa")).doesNotExist();
        assertThat(installed("bb")).isRegularFile();
        assertThat(installed("cc")).isRegularFile();
    }

    private void script(String name, String file, String text, String directive) throws IOException {
        Path script = Files.writeString(source(name).resolve(file), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(source(name).resolve("dkms.conf"), directive, StandardOpenOption.APPEND);
    }

    /** Kills the whole program when dkms first reaches this step of bb. */
    @ParameterizedTest
    @ValueSource(strings = {"PRE_BUILD", "POST_BUILD", "PRE_INSTALL", "POST_INSTALL"})
    void continuesAfterAKill(String step) throws IOException, InterruptedException {
        Path marker = directory.resolve("killed");
        String kill = "[ -e '%1$s' ] && exit 0; : > '%1$s'; kill -9 $(head -n 1 '%2$s'); sleep 1"
                .formatted(marker, root.resolve("run/weaklink/apply.lock"));
        script("bb", "kill.sh", kill, step + "=\"kill.sh\"\n");
        assertThat(KilledApplyTest.program(place, "apply", "--rebuild", "--root", root.toString()))
                .as("killed by the script")
                .isEqualTo(137);
        assertThat(marker).exists();
        WholeRun again = weaklink("apply", "--rebuild");
        assertThat(again.status()).as("%s", again).isZero();
        assertThat(weaklink("plan", "--units").out()).isEqualTo("""
            weaklink: 6.1.0-1-amd64 loads aa, bb, cc
            """);
        assertThat(changes()).singleElement().asString().contains("installed 6.1.0-1-amd64/", ", ");
        if (step.endsWith("INSTALL")) {
            assertThat(builds("bb")).as("the kept build was not built again").isEqualTo(1);
        }
    }

    private int builds(String name) throws IOException {
        int builds = 0;
        try (Stream<Path> runs = Files.list(place.run(1).getParent())) {
            for (Path run : runs.toList()) {
                String log = Files.readString(run.resolve("log"));
                builds += log.contains("+ ") && log.contains("-m " + name + " ") ? 1 : 0;
            }
        }
        return builds;
    }
}
