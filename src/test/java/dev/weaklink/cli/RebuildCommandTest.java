package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rebuilds with the stand-in for Mellanox's image. More cases are in test-fixtures/cases/built. */
class RebuildCommandTest {
    @TempDir
    Path directory;

    private RebuildPlace place;

    @BeforeEach
    void prepare() throws IOException {
        place = RebuildPlace.in(directory);
    }

    @Test
    void recordsTheBuiltModulesInTheManifest() throws IOException {
        place.rebuild(Map.of());
        String manifest = Files.readString(place.run(1).resolve("manifest.json"));
        assertThat(Schemas.problems(manifest)).isEmpty();
        JsonNode document = new ObjectMapper().readTree(manifest);
        assertThat(document.get("state").asText()).isEqualTo("built");
        assertThat(document.findValuesAsText("module")).containsExactly("wl_compat", "wl_core", "wl_en");
    }

    @Test
    void keepsTheLogThatTheScriptDeletes() throws IOException {
        place.rebuild(Map.of());
        try (Stream<Path> logs = Files.walk(place.run(1).resolve("logs"))) {
            assertThat(logs.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .anyMatch(name -> name.startsWith("mlnx_ofed_iso."));
        }
    }

    @Test
    void readsTheTimeLimitOfTheSite() throws IOException {
        Path settings = Files.writeString(directory.resolve("site.conf"), "time-limit = soon\n");
        WholeRun run = place.rebuild(Map.of("WEAKLINK_CONFIG", settings.toString()));
        assertThat(run.err())
                .isEqualTo("weaklink: " + settings
                        + ":1: time-limit takes a whole number of minutes, 1 or more, not 'soon'\n");
        assertThat(run.status()).isEqualTo(2);
        assertThat(place.rebuild(Map.of("WEAKLINK_CONFIG", settings.toString()), "--time-limit", "5")
                        .status())
                .isZero();
    }

    @Test
    void dryRunPrintsTheCommandsAndWritesNothing() {
        WholeRun run = place.rebuild(Map.of(), "--dry-run");
        assertThat(place.neutral(run.out()))
                .isEqualTo("""
            6.1.0-1-amd64: mlnx (MLNX_OFED_LINUX 24.10-1.1.4.0 was given)
              no problems found
              would run, in RUN/work:
                %sBUNDLE/mlnx_add_kernel_support.sh -m BUNDLE --make-tgz -t RUN/work -k 6.1.0-1-amd64 -s ROOT/usr/src/linux-headers-6.1.0-1-amd64 --kmp -y
            """.formatted("root".equals(System.getProperty("user.name")) ? "" : "fakeroot -- "));
        assertThat(run.status()).isZero();
        assertThat(place.image().root().resolve("var")).doesNotExist();
        assertThat(place.image().root().resolve("run")).doesNotExist();
    }

    @Test
    void reportsAllObstaclesAtOnceAndStartsNothing() throws IOException {
        Files.delete(
                place.image().root().resolve("usr/src/linux-headers-" + KERNEL).resolve("Makefile"));
        Files.writeString(place.bundle().resolve("distro"), "rhel9.4\n");
        WholeRun run = place.rebuild(Map.of("PATH", "/nowhere"));
        boolean root = "root".equals(System.getProperty("user.name"));
        assertThat(place.neutral(run))
                .isEqualTo(new WholeRun(
                        4,
                        """
                6.1.0-1-amd64: mlnx (MLNX_OFED_LINUX 24.10-1.1.4.0 was given)
                %s  blocks build-tree: ROOT/lib/modules/6.1.0-1-amd64/build: no build tree of 6.1.0-1-amd64
                         apt-get install linux-headers-6.1.0-1-amd64
                  blocks program: not installed: bash, gcc, make, perl, rpmbuild, setsid, tar
                         apt-get install bash gcc make perl rpm tar util-linux
                  blocks repository: not installed: createrepo, which makes a repository of the result
                         apt-get install createrepo-c; or make no repository: --skip-repo
                  blocks distribution: BUNDLE: made for rhel9.4, but this system is debian12
                         use the image for debian12, or name a distribution with --distro
                """.formatted(
                                        root
                                                ? ""
                                                : "  blocks not-root: mlnx must be run as root\n"
                                                        + "         run weaklink as root, or install: apt-get"
                                                        + " install\n"),
                        ""));
        assertThat(place.run(1)).doesNotExist();
    }

    @Test
    void removesControlSequencesFromLogs() {
        WholeRun run = place.withFault("hostile-log", "--verbose");
        assertThat(run.out() + run.err()).doesNotContain("\u001b", "\u0007");
        assertThat(place.neutral(run.out()).replaceAll("\ufffd0+", "0")).isEqualTo("""
            6.1.0-1-amd64: mlnx failed: api-change
              wl_compat.c:1:1: error: 0...
              in RUN/logs/mlnx_iso.PID_logs/OFED.PID.logs/mlnx-ofa_kernel-24.10.rpmbuild.log
            Next: the source does not build for this kernel: use a later release of it, or stay with a kernel that it supports
              log and results: RUN
            """);
        assertThat(run.out().lines()).allMatch(line -> line.length() < 600);
    }

    @Test
    void removesControlSequencesFromBuildOutput() {
        WholeRun run = place.withFault("hostile-output", "--verbose");
        assertThat(run.out() + run.err()).doesNotContain("\u001b", "\u0007");
        assertThat(run.status()).isZero();
    }

    @Test
    void endsLeftoverProcessesAndConfinesAnArchive() throws IOException {
        assertThat(place.withFault("left-behind").status()).isZero();
        assertThat(place.withFault("escaped").status()).isZero();
        place.withFault("hostile-archive");
        for (int run = 1; run <= 3; run++) {
            assertThat(new ProcessGroup("WEAKLINK_REBUILD=" + place.run(run)).members())
                    .isEmpty();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            assertThat(all.filter(path -> path.endsWith("standin-escaped")))
                    .allMatch(path -> path.startsWith(place.run(3)));
        }
    }

    @Test
    void runsACommandFromTheCommandLine() {
        String copy = "cp \"$1\"/* \"$2\"; echo for \"$3\"";
        WholeRun run = WholeRun.with(
                place.environment(),
                "rebuild",
                "--kernel",
                KERNEL,
                "--root",
                place.image().root().toString(),
                "--backend",
                "command",
                "--verbose",
                "--",
                "sh",
                "-c",
                copy,
                "x",
                directory.resolve("ready-made").toString(),
                "{results}",
                "a b;c");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(0, """
                6.1.0-1-amd64: 3 modules built, 3 of which the kernel would load
                  COMPATIBLE  wl_compat
                  COMPATIBLE  wl_core
                  COMPATIBLE  wl_en
                  result: RUN/results/wl_compat.ko
                  result: RUN/results/wl_core.ko
                  result: RUN/results/wl_en.ko
                  log and results: RUN
                  to install: weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root ROOT
                """, """
                weaklink: the log and the results of this run are in RUN
                weaklink: building
                  for a b;c
                weaklink: checking the results
                """));
    }

    @Test
    void namesTheProcessThatHoldsTheLock() throws IOException {
        Path lock = place.image().root().resolve("run/weaklink/rebuild-" + KERNEL + ".lock");
        Files.createDirectories(lock.getParent());
        try (var held = LockFile.acquire(lock, "weaklink rebuild", Duration.ZERO, holder -> {})) {
            assertThat(held).isNotNull();
            WholeRun run = place.rebuild(Map.of());
            assertThat(place.neutral(run.out()).replaceAll("process [0-9]+", "process N"))
                    .isEqualTo("""
              6.1.0-1-amd64: mlnx (MLNX_OFED_LINUX 24.10-1.1.4.0 was given)
                blocks lock: a rebuild for 6.1.0-1-amd64 is running: process N
                       wait until it ends
              """);
            assertThat(run.status()).isEqualTo(4);
        }
    }
}
