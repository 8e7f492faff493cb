package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.testing.ModuleSpec.Export;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole rebuilds with the stand-in for Mellanox's image, whose modules are ready-made. */
class RebuildCommandTest {
  private static final String LOG =
      "  in RUN/logs/mlnx_iso.PID_logs/OFED.PID.logs/mlnx-ofa_kernel-24.10.rpmbuild.log\n";

  @TempDir Path directory;
  private RebuildPlace place;

  @BeforeEach
  void prepare() throws IOException {
    place = RebuildPlace.in(directory);
  }

  @Test
  void whatIsBuiltIsJudgedByItsModules() throws IOException {
    WholeRun run = place.rebuild(Map.of());
    assertThat(place.neutral(run.out()))
        .isEqualTo(
            """
            6.1.0-1-amd64: 3 modules built, 3 of which the kernel would load
              COMPATIBLE  wl_compat
              COMPATIBLE  wl_core
              COMPATIBLE  wl_en
              result: RUN/results/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64-ext.tgz
              kept: RUN
              to install: weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root ROOT
            """);
    assertThat(run.status()).isZero();
    assertThat(manifest())
        .contains("\"state\":\"built\"", "\"module\":\"wl_en\"", "\"status\":0")
        .doesNotContain("running");
    assertThat(place.run(1).resolve("work")).doesNotExist();
    assertThat(Schemas.problems(manifest())).isEmpty();
  }

  private String manifest() throws IOException {
    return Files.readString(place.run(1).resolve("manifest.json"));
  }

  @Test
  void theLogThatTheScriptDeletesIsKept() throws IOException {
    place.rebuild(Map.of());
    try (Stream<Path> logs = Files.walk(place.run(1).resolve("logs"))) {
      assertThat(logs.filter(Files::isRegularFile).map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.startsWith("mlnx_ofed_iso."));
    }
  }

  @Test
  void aDryRunShowsExactlyWhatWouldBeRunAndWritesNothing() {
    WholeRun run = place.rebuild(Map.of(), "--dry-run");
    assertThat(place.neutral(run.out()))
        .isEqualTo(
            """
            6.1.0-1-amd64: mlnx (MLNX_OFED_LINUX 24.10-1.1.4.0 was given)
              no problems found
              would run, in RUN/work:
                %sBUNDLE/mlnx_add_kernel_support.sh -m BUNDLE --make-tgz -t RUN/work -k 6.1.0-1-amd64 -s ROOT/usr/src/linux-headers-6.1.0-1-amd64 --kmp -y
            """
                .formatted("root".equals(System.getProperty("user.name")) ? "" : "fakeroot -- "));
    assertThat(run.status()).isZero();
    assertThat(place.image().root().resolve("var")).doesNotExist();
    assertThat(place.image().root().resolve("run")).doesNotExist();
  }

  @Test
  void everythingInTheWayIsSaidAtOnceAndNothingIsStarted() throws IOException {
    Files.delete(
        place.image().root().resolve("usr/src/linux-headers-" + KERNEL).resolve("Makefile"));
    Files.writeString(place.bundle().resolve("distro"), "rhel9.4\n");
    WholeRun run = place.rebuild(Map.of("PATH", "/nowhere"));
    assertThat(place.neutral(run.out()))
        .contains(
            "blocks build-tree: ROOT/lib/modules/6.1.0-1-amd64/build: no build tree of",
            "         apt-get install linux-headers-6.1.0-1-amd64\n",
            "blocks program: not installed: bash, gcc, make, perl, rpmbuild, setsid, tar\n",
            "apt-get install bash gcc make perl rpm tar util-linux\n",
            "blocks repository: not installed: createrepo",
            "--skip-repo",
            "blocks distribution: BUNDLE: was made for rhel9.4, and this is debian12\n");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.run(1)).doesNotExist();
  }

  /** Why builds fail that leave a log with a cause: {@code test-fixtures/cases/failure}. */
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            "not-root",
            "not-root\n  You must be root to run mlnx_add_kernel_support.sh\n",
            "run it as root"),
        Arguments.of(
            "already-supported",
            "no-result\n  it says that modules for 6.1.0-1-amd64 are there already, and none were"
                + " found\n",
            "see what is installed: weaklink check --kernel 6.1.0-1-amd64 --root ROOT"),
        Arguments.of(
            "already-supported-6.1",
            "no-result\n  it says that modules for 6.1.0-1-amd64 are there already, and none were"
                + " found\n",
            "see what is installed: weaklink check --kernel 6.1.0-1-amd64 --root ROOT"),
        Arguments.of(
            "nothing-built",
            "nothing-built\n",
            "it reported success but built nothing; see the log"),
        Arguments.of(
            "created-but-absent",
            "no-result\n",
            "it reported success, but its result is missing; see the log"),
        Arguments.of(
            "truncated-result",
            "broken-result\n  RUN/results/MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-x86_64-ext.tgz:"
                + " truncated gzip data\n",
            "its result was truncated or modified; check the free space, and build" + " again"),
        Arguments.of(
            "disk-full",
            "space\n  fatal error: error writing to wl_compat.s: No space left on device\n" + LOG,
            "make room below RUN/work, or name another directory with --work"),
        Arguments.of(
            "broken-tree",
            "broken-build-tree\n  /bin/sh: 1: ./tools/objtool/objtool: not found\n" + LOG,
            "ROOT/usr/src/linux-headers-6.1.0-1-amd64: one of its own programs is missing;"
                + " reinstall it: apt-get install --reinstall linux-headers-6.1.0-1-amd64"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void everyFailureIsTracedToItsCause(String fault, String cause, String next) throws IOException {
    WholeRun run = place.withFault(fault);
    assertThat(place.neutral(run.out()))
        .isEqualTo("6.1.0-1-amd64: mlnx failed: " + cause + "Next: " + next + "\n  kept: RUN\n");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.hasResult(1)).isFalse();
    assertThat(place.keepsResult(1)).isEqualTo(fault.equals("truncated-result"));
    assertThat(Schemas.problems(manifest())).isEmpty();
  }

  @Test
  void whatALogSaysCannotReachTheTerminal() {
    WholeRun run = place.withFault("hostile-log", "--verbose");
    assertThat(run.out() + run.err()).doesNotContain("\u001b", "\u0007");
    assertThat(run.out()).contains("failed: api-change\n  wl_compat.c:1:1: error: ");
    assertThat(run.out().lines()).allMatch(line -> line.length() < 600);
  }

  @Test
  void whatABuildPrintsCannotReachTheTerminal() {
    WholeRun run = place.withFault("hostile-output", "--verbose");
    assertThat(run.out() + run.err()).doesNotContain("\u001b", "\u0007");
    assertThat(run.status()).isZero();
  }

  @Test
  void modulesThatWouldBeRefusedAreNoResult() throws IOException {
    place.ready("wl_core", built("wl_core", KERNEL).importing("_printk", 6));
    WholeRun run = place.rebuild(Map.of());
    assertThat(run.out())
        .contains("3 modules built, 2 of which the kernel would load")
        .contains("INCOMPATIBLE  wl_core\n")
        .contains("failed: wrong-modules\n  1 of the 3 modules that were built would be refused");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.hasResult(1)).isFalse();
    assertThat(place.keepsResult(1)).isFalse();
  }

  @Test
  void whatKeepsModulesInUseFromLoadingIsNoResult() throws IOException {
    place
        .image()
        .module(
            KERNEL,
            "kernel/wl_core.ko",
            built("wl_core", KERNEL).exporting("a", Export.Table.NORMAL, 1));
    place.image().module(KERNEL, "kernel/user.ko", built("user", KERNEL).importing("a", 1));
    place.ready("wl_core", built("wl_core", KERNEL).exporting("a", Export.Table.NORMAL, 2));
    WholeRun idle = place.rebuild(Map.of());
    assertThat(idle.out())
        .contains("would load, but 1 module would no longer load with it: user\n");
    assertThat(idle.status()).isEqualTo(1);
    Path proc = Files.createDirectories(place.image().root().resolve("proc"));
    Files.writeString(proc.resolve("modules"), "user 16384 0 - Live 0x0000000000000000\n");
    WholeRun run = place.rebuild(Map.of());
    assertThat(run.out())
        .contains("failed: wrong-modules\n")
        .contains("with what was built, modules in use here would no longer load: user\n");
    assertThat(run.status()).isEqualTo(4);
  }

  @Test
  void aModuleThatWasInstalledAndIsNotBuiltIsAFailure() throws IOException {
    place.image().module(KERNEL, "extra/mlnx-ofa_kernel/wl_old.ko", built("wl_old", KERNEL));
    place.image().module(KERNEL, "extra/mlnx-ofa_kernel/wl_core.ko", built("wl_core", KERNEL));
    WholeRun run = place.rebuild(Map.of());
    assertThat(run.out()).contains("failed: missing-modules\n  not in the result: wl_old\n");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.hasResult(1)).isFalse();
    assertThat(place.keepsResult(1)).isTrue();
  }

  @Test
  void aFailureForWhatIsMissingSaysHowToDoWithoutIt() {
    installOlder("wl_old", "wl-older");
    WholeRun run = place.rebuild(Map.of());
    assertThat(run.out())
        .contains("failed: missing-modules\n  not in the result: wl_old, wl_older\n")
        .contains("Next: install none of it")
        .contains("--allow-missing wl_old,wl_older");
    assertThat(run.status()).isEqualTo(4);
  }

  @Test
  void modulesThatAReleaseHasDroppedMayBeMissing() {
    installOlder("wl_old", "wl-older");
    WholeRun run = place.rebuild(Map.of(), "--allow-missing", "wl-old,wl_older");
    assertThat(run.out())
        .contains("3 modules built, 3 of which the kernel would load")
        .contains(
            "  missing from the result (allowed): wl_old\n"
                + "  missing from the result (allowed): wl_older\n");
    assertThat(run.status()).isZero();
    assertThat(place.hasResult(1)).isTrue();
  }

  @Test
  void onlyModulesThatAreNamedMayBeMissing() {
    installOlder("wl_old", "wl-older");
    WholeRun run = place.rebuild(Map.of(), "--allow-missing", "wl_old", "--allow-missing", "wl");
    assertThat(run.out())
        .contains("failed: missing-modules\n  not in the result: wl_older\n")
        .contains("--allow-missing wl_older\n");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.hasResult(1)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "wl_*", "a,,b", "wl_old.ko", "extra/wl_old"})
  void whatMayBeMissingIsNamedExactly(String words) {
    WholeRun run = place.rebuild(Map.of(), "--allow-missing", words);
    assertThat(run.err()).contains("--allow-missing takes names of modules");
    assertThat(run.status()).isEqualTo(2);
  }

  private void installOlder(String... names) {
    place.image().module(KERNEL, "extra/mlnx-ofa_kernel/wl_core.ko", built("wl_core", KERNEL));
    for (String name : names) {
      place.image().module(KERNEL, "extra/mlnx-ofa_kernel/" + name + ".ko", built(name, KERNEL));
    }
  }

  @Test
  void whatIsThereAlreadyCountsForACommand() throws IOException {
    WholeRun run = command("--results", directory.resolve("ready-made").toString(), "--", "true");
    assertThat(run.out()).contains("3 modules built, 3 of which the kernel would load");
    assertThat(run.status()).isZero();
  }

  private WholeRun command(String... more) {
    List<String> words = new ArrayList<>(List.of("--backend", "command", "--kernel", KERNEL));
    words.addAll(List.of(more));
    int end = words.indexOf("--");
    words.addAll(end, List.of("--root", place.image().root().toString()));
    words.add(0, "rebuild");
    return WholeRun.with(place.environment(), words.toArray(String[]::new));
  }

  @Test
  void furtherWordsAreForTheVendorsScript() {
    WholeRun dry = place.rebuild(Map.of(), "--dry-run", "--", "--without-wl-en", "--force");
    assertThat(dry.out()).contains(" --kmp --without-wl-en --force -y\n");
  }

  @Test
  void aModuleOfOthersThatUsesARebuiltOneIsNamed() {
    place
        .image()
        .module(
            KERNEL,
            "extra/lustre/ko2iblnd.ko",
            built("ko2iblnd", KERNEL).withoutModInfo("depends").modInfo("depends=wl_core"));
    WholeRun run = place.rebuild(Map.of());
    assertThat(run.out()).contains("not rebuilt, but depends on rebuilt modules: ko2iblnd\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void processesLeftBehindAreEndedAndAnArchiveStaysWhereItIsUnpacked() throws IOException {
    assertThat(place.withFault("left-behind").status()).isZero();
    assertThat(place.withFault("escaped").status()).isZero();
    place.withFault("hostile-archive");
    for (int run = 1; run <= 3; run++) {
      assertThat(new ProcessGroup("WEAKLINK_REBUILD=" + place.run(run)).members()).isEmpty();
    }
    try (Stream<Path> all = Files.walk(directory)) {
      assertThat(all.filter(path -> path.endsWith("standin-escaped")))
          .allMatch(path -> path.startsWith(place.run(3)));
    }
  }

  @Test
  void aBuildThatTakesTooLongIsEnded() {
    WholeRun run = place.withFault("hang", "--time-limit", "0");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages().get(0)).contains("--time-limit takes a number of minutes");
  }

  @Test
  void aCommandGivenByHandBuildsWhatItIsToldTo() {
    String copy = "cp \"$1\"/* \"$2\"; echo for \"$3\"";
    WholeRun run =
        WholeRun.with(
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
    assertThat(run.err()).contains("for a b;c");
    assertThat(run.out()).contains("3 modules built, 3 of which the kernel would load");
    assertThat(run.status()).isZero();
  }

  @Test
  void whatCannotBeToldIsRefusedInOneLine() {
    List<String> root = List.of("--root", place.image().root().toString());
    assertThat(rebuild(root, "--kernel", "6.1.0-1 amd64", "--backend", "dkms").messages().get(0))
        .contains("cannot be handed to a build");
    assertThat(rebuild(root, "--kernel", KERNEL).messages())
        .containsExactly(
            "cannot detect the build system of the modules for 6.1.0-1-amd64: backend not"
                + " detected; choose one with --backend");
    assertThat(rebuild(root, "--kernel", KERNEL, "--bundle", "/nowhere").messages())
        .containsExactly("/nowhere: no such file");
    assertThat(rebuild(root, "--kernel", "../x").status()).isEqualTo(2);
    assertThat(rebuild(root, "--backend", "mlnx").messages().get(0))
        .isEqualTo("--kernel K is required: the release to build for");
  }

  private WholeRun rebuild(List<String> root, String... words) {
    List<String> all = new ArrayList<>(List.of("rebuild"));
    all.addAll(List.of(words));
    all.addAll(root);
    return WholeRun.with(place.environment(), all.toArray(new String[0]));
  }

  @Test
  void theLockTellsWhoIsAtWork() throws IOException {
    Path lock = place.image().root().resolve("run/weaklink/rebuild-" + KERNEL + ".lock");
    Files.createDirectories(lock.getParent());
    try (var held = LockFile.acquire(lock, "weaklink rebuild", Duration.ZERO, holder -> {})) {
      assertThat(held).isNotNull();
      WholeRun run = place.rebuild(Map.of());
      assertThat(run.out()).contains("blocks lock: a rebuild for 6.1.0-1-amd64 is under way");
      assertThat(run.status()).isEqualTo(4);
    }
  }
}
