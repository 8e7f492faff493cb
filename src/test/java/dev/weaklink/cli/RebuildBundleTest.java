package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Installation images that the user has not unpacked: a tar archive, and an ISO file that is not mounted. */
class RebuildBundleTest {
    private static final String NAME = "MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64";

    @TempDir
    Path directory;

    private RebuildPlace place;

    @BeforeEach
    void prepare() throws IOException {
        place = RebuildPlace.in(directory);
    }

    private WholeRun rebuild(Path bundle, Map<String, String> environment, String... more) {
        List<String> words = new ArrayList<>(List.of("rebuild", "--kernel", KERNEL, "--bundle", bundle.toString()));
        words.addAll(List.of("--root", place.image().root().toString()));
        words.addAll(List.of(more));
        Map<String, String> all = new HashMap<>(place.environment());
        all.putAll(environment);
        return WholeRun.with(all, words.toArray(String[]::new));
    }

    private Path tgz() throws IOException {
        Path archive = directory.resolve(NAME + ".tgz");
        ExternalTool.orSkip("tar")
                .run(
                        "czf",
                        archive.toString(),
                        "--transform=s,^bundle," + NAME + ",",
                        "-C",
                        directory.toString(),
                        "bundle");
        return archive;
    }

    private Path iso() throws IOException {
        Path file = directory.resolve(NAME + ".iso");
        ExternalTool.orSkip("xorriso");
        ExternalTool.orSkip("genisoimage")
                .run("-quiet", "-r", "-o", file.toString(), place.bundle().toString());
        return file;
    }

    private void assertBuilt(WholeRun run) {
        assertThat(place.neutral(run.out()).lines().filter(line -> !line.contains("repository: ")))
                .containsExactly(
                        "6.1.0-1-amd64: 3 modules built, 3 of which the kernel would load",
                        "  COMPATIBLE  wl_compat",
                        "  COMPATIBLE  wl_core",
                        "  COMPATIBLE  wl_en",
                        "  result: RUN/results/" + NAME + "-ext.tgz",
                        "  log and results: RUN",
                        "  to install: weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root ROOT");
        assertThat(run.status()).isZero();
    }

    @Test
    void unpacksATarArchiveFirst() throws IOException {
        WholeRun run = rebuild(tgz(), Map.of(), "--skip-repo");
        assertBuilt(run);
        assertThat(place.run(1).resolve("work")).doesNotExist();
    }

    @Test
    void acceptsDebsWithDebiansNames() throws IOException {
        place.withDebs();
        Path output = directory.resolve("offer");
        WholeRun run = rebuild(place.bundle(), Map.of(), "--skip-repo", "--repository", output.toString());
        assertBuilt(run);
        try (Stream<Path> offered = Files.list(output)) {
            assertThat(offered.map(file -> String.valueOf(file.getFileName())))
                    .anyMatch(name -> name.matches("mlnx-ofed-kernel-modules_.*\\.kver\\.6\\.1\\.0-1-amd64_.*deb"))
                    .anyMatch(name -> name.matches("wl-en-modules_.*\\.kver\\.6\\.1\\.0-1-amd64_.*\\.deb"));
        }
    }

    @Test
    void namesMissingBuildDependenciesWithTheCommandThatInstallsThem() throws IOException {
        place.withDebs();
        WholeRun run = rebuild(place.bundle(), Map.of("STANDIN_FAULT", "unmet-dependencies"), "--skip-repo");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(4, """
                6.1.0-1-amd64: mlnx failed: missing-package
                  dpkg-checkbuilddeps: error: Unmet build dependencies: build-essential:native debhelper-compat (= 13)
                  in RUN/logs/mlnx_iso.PID_logs/OFED.PID.logs/mlnx-ofed-kernel.debbuild.log
                Next: apt-get install build-essential debhelper
                  log and results: RUN
                """, """
                weaklink: the log and the results of this run are in RUN
                weaklink: building MLNX_OFED_LINUX for 6.1.0-1-amd64
                weaklink: Checking if all needed packages are installed...
                weaklink: Building MLNX_OFED_LINUX DEBS . Please wait...
                """));
    }

    @Test
    void readsAnIsoFileWithoutMountingIt() throws IOException {
        Path iso = iso();
        assertBuilt(rebuild(iso, Map.of(), "--skip-repo"));
        assertThat(place.run(1).resolve("work")).doesNotExist();
    }

    @Test
    void reportsATruncatedArchiveInOneLine() throws IOException {
        Path archive = tgz();
        byte[] all = Files.readAllBytes(archive);
        Files.write(archive, Arrays.copyOf(all, all.length / 2));
        WholeRun run = rebuild(archive, Map.of(), "--skip-repo");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(4, """
                6.1.0-1-amd64: mlnx failed: broken-archive
                  DIRECTORY/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64.tgz: gzip: stdin: unexpected end of file
                Next: the archive is truncated or damaged: copy it again, and compare its checksum
                  log and results: RUN
                """, """
                weaklink: the log and the results of this run are in RUN
                weaklink: making room
                weaklink: unpacking DIRECTORY/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64.tgz
                """));
        assertThat(place.hasResult(1)).isFalse();
    }

    /** The contents of the archive are known only after unpacking. A missing package must be reported nevertheless. */
    @Test
    void reportsAPackageThatTheResultLacks() throws IOException {
        Path packages = Files.createDirectories(place.bundle().resolve("RPMS/COMMON"));
        Files.createFile(packages.resolve("kmod-xpmem-2.7-1.rhel9u4.x86_64.rpm"));
        place.image().module(KERNEL, "extra/xpmem/xpmem.ko", RebuildPlace.built("xpmem", KERNEL));
        Path archive = tgz();
        Path named = Files.move(archive, directory.resolve(NAME.replace("debian12", "rhel9.4") + ".tgz"));
        WholeRun run = rebuild(named, Map.of(), "--skip-repo", "--distro", "debian12");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(4, """
                6.1.0-1-amd64: 3 modules built, 3 of which the kernel would load
                  COMPATIBLE  wl_compat
                  COMPATIBLE  wl_core
                  COMPATIBLE  wl_en
                6.1.0-1-amd64: mlnx failed: missing-modules
                  not in the result: xpmem
                Next: do not install the result: it lacks modules that are installed now; build with --no-kmp (Mellanox's RPM images only), or build the missing modules separately; if the driver's release no longer contains these modules: weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root ROOT --allow-missing xpmem
                  log and results: RUN
                """, """
                weaklink: DIRECTORY/MLNX_OFED_LINUX-24.10-1.1.4.0-rhel9.4-x86_64.tgz: made for rhel9.4, but this system is debian12; the image's script will be run for debian12
                weaklink: the log and the results of this run are in RUN
                weaklink: making room
                weaklink: unpacking DIRECTORY/MLNX_OFED_LINUX-24.10-1.1.4.0-rhel9.4-x86_64.tgz
                weaklink: building MLNX_OFED_LINUX for 6.1.0-1-amd64
                weaklink: Checking if all needed packages are installed...
                weaklink: Building MLNX_OFED_LINUX RPMS . Please wait...
                weaklink: Created RUN/work/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64-ext.tgz
                weaklink: checking the results
                """));
    }

    private static final String SECURE_BOOT =
            "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    private static final String MOK = "sys/firmware/efi/mok-variables/MokListRT";

    /** Returns an EFI_SIGNATURE_LIST with one X.509 certificate (UEFI 2.10, 32.4.1). */
    private static byte[] signatureList(byte[] der) {
        byte[] type = {
            (byte) 0xa1,
            0x59,
            (byte) 0xc0,
            (byte) 0xa5,
            (byte) 0xe4,
            (byte) 0x94,
            (byte) 0xa7,
            0x4a,
            (byte) 0x87,
            (byte) 0xb5,
            (byte) 0xab,
            0x15,
            0x5c,
            0x2b,
            (byte) 0xf0,
            0x72
        };
        ByteBuffer list = ByteBuffer.allocate(16 + 12 + 16 + der.length).order(ByteOrder.LITTLE_ENDIAN);
        list.put(type).putInt(list.capacity()).putInt(0).putInt(16 + der.length);
        return list.put(new byte[16]).put(der).array();
    }

    private Map<String, String> key(String name) throws IOException {
        Path key = directory.resolve(name + ".priv");
        Path certificate = directory.resolve(name + ".der");
        ExternalTool.orSkip("openssl")
                .run(("req -new -x509 -newkey rsa:2048 -nodes -days 36500 -outform DER -subj /CN="
                                + name
                                + " -keyout "
                                + key
                                + " -out "
                                + certificate)
                        .split(" "));
        return Map.of("MODULE_SIGN_PRIV_KEY", key.toString(), "MODULE_SIGN_PUB_KEY", certificate.toString());
    }

    private void assertPlanned(Map<String, String> environment, String problems) {
        String start = "6.1.0-1-amd64: mlnx (MLNX_OFED_LINUX 24.10-1.1.4.0 was given)\n";
        String end = """
          would run, in RUN/work:
            BUNDLE/mlnx_add_kernel_support.sh -m BUNDLE --make-tgz -t RUN/work -k 6.1.0-1-amd64 -s ROOT/usr/src/linux-headers-6.1.0-1-amd64 --kmp -y
        """;
        assertThat(place.neutral(rebuild(place.bundle(), environment, "--dry-run")))
                .isEqualTo(new WholeRun(0, start + problems + end, ""));
    }

    @Test
    void underSecureBootTheKeyMustBeEnrolled() throws IOException {
        place.image().file(SECURE_BOOT, new byte[] {6, 0, 0, 0, 1});
        Map<String, String> ours = key("ours");
        Map<String, String> theirs = key("theirs");
        byte[] enrolled = Files.readAllBytes(Path.of(theirs.get("MODULE_SIGN_PUB_KEY")));
        place.image().file(MOK, signatureList(enrolled));
        String certificate = ours.get("MODULE_SIGN_PUB_KEY");

        assertPlanned(Map.of(), """
          warns  signing: the kernel enforces module signatures, but weaklink found no key to sign the built modules
                 set the environment variables MODULE_SIGN_PRIV_KEY and MODULE_SIGN_PUB_KEY to the files of a key and its enrolled certificate
        """);
        assertPlanned(ours, """
          warns  signing-key: DIRECTORY/ours.der: this certificate is not enrolled; unless the kernel contains the certificate, the kernel refuses modules that are signed with its key
                 run: mokutil --import DIRECTORY/ours.der; then reboot, and confirm the enrolment at boot
        """);
        assertPlanned(theirs, "  no problems found\n");
        assertPlanned(key("our;s"), """
          warns  signing-key: DIRECTORY/our;s.der: this certificate is not enrolled; unless the kernel contains the certificate, the kernel refuses modules that are signed with its key
                 run: mokutil --import 'DIRECTORY/our;s.der'; then reboot, and confirm the enrolment at boot
        """);
    }

    /** Reads of a pipe would never end. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void readsNoPipesOfAnImage() throws IOException {
        ExternalTool mkfifo = ExternalTool.orSkip("mkfifo");
        Path image = place.image().root();
        place.image().file("etc/dkms/framework.conf", "mok_signing_key=/k\nmok_certificate=/pipe\n".getBytes(UTF_8));
        place.image().file("k", new byte[1]);
        mkfifo.run(image.resolve("pipe").toString());
        place.image().file(SECURE_BOOT, new byte[] {6, 0, 0, 0, 1});
        place.image()
                .file(MOK, signatureList(Files.readAllBytes(Path.of(key("ours").get("MODULE_SIGN_PUB_KEY")))));
        for (boolean secure : new boolean[] {true, false}) {
            if (!secure) {
                Files.delete(image.resolve(SECURE_BOOT));
                mkfifo.run(image.resolve(SECURE_BOOT).toString());
            }
            WholeRun run = WholeRun.of(
                    "rebuild", "--kernel", KERNEL, "--root", image.toString(), "--package", "aa/1", "--dry-run");
            assertThat(run.out()).contains("dkms build -m aa -v 1 ").doesNotContain("signing");
        }
    }

    @Test
    void needsNoKeysWithoutSecureBoot() throws IOException {
        place.image().file(SECURE_BOOT, new byte[] {6, 0, 0, 0, 0});
        assertPlanned(key("ours"), "  no problems found\n");
    }
}
