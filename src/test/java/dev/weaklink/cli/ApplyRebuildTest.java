package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TreeSnapshot;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One command from a kernel that was just installed to modules that all load on it. */
class ApplyRebuildTest {
  static final String OLD = "6.1.0-0-amd64";

  @TempDir Path directory;
  private RebuildPlace place;
  private String root;

  @BeforeEach
  void prepare() throws IOException {
    ExternalTool depmod = ExternalTool.orSkip("depmod");
    place = withOldModules(RebuildPlace.in(directory));
    root = place.image().root().toString();
    depmod.run("-b", root, KERNEL);
  }

  /** Two modules that must be rebuilt for the new kernel, and one that fits it. */
  static RebuildPlace withOldModules(RebuildPlace place) throws IOException {
    place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_core.ko", importing("wl_core", 4));
    place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_compat.ko", importing("wl_compat", 4));
    place.image().module(OLD, "extra/other/other.ko", importing("other", 5));
    return place;
  }

  private static ModuleBuilder importing(String name, int crc) {
    return built(name, OLD).importing("_printk", crc);
  }

  /** The command with the image given by hand. */
  static String[] words(RebuildPlace place, String... more) {
    List<String> words =
        new ArrayList<>(List.of("apply", "--rebuild", "--root", place.image().root().toString()));
    words.addAll(List.of("--bundle", place.bundle().toString()));
    words.addAll(List.of(more));
    return words.toArray(String[]::new);
  }

  private WholeRun apply(String... more) {
    return WholeRun.with(place.environment(), words(place, more));
  }

  private WholeRun withoutOptions(Map<String, String> variables, String... more) {
    Map<String, String> all = new HashMap<>(place.environment());
    all.putAll(variables);
    List<String> words = new ArrayList<>(List.of(more));
    words.addAll(List.of("--root", root));
    return WholeRun.with(all, words.toArray(String[]::new));
  }

  private WholeRun weaklink(String... words) {
    return withoutOptions(Map.of(), words);
  }

  private Map<String, String> configured(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("weaklink.conf"), text);
    return Map.of("WEAKLINK_CONFIG", file.toString());
  }

  private SortedMap<String, String> modules() throws IOException {
    SortedMap<String, String> all = TreeSnapshot.of(place.image().root());
    all.keySet().removeIf(path -> path.startsWith("var/") || path.startsWith("run"));
    return all;
  }

  private List<Path> runs() throws IOException {
    Path runs = place.run(1).getParent();
    if (!Files.isDirectory(runs)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(runs)) {
      return all.sorted().toList();
    }
  }

  private String neutral(String text) {
    return place.neutral(text).replaceAll("(?m)^weaklink: depmod: .*\n", "");
  }

  @Test
  void dryRunShowsAllOfItAndWritesNothing() throws IOException {
    SortedMap<String, String> before = TreeSnapshot.of(place.image().root());
    WholeRun run = apply("--dry-run");
    assertThat(neutral(run.out()))
        .isEqualTo(
            """
            6.1.0-1-amd64 (boots next)
              REBUILD NEEDED  2 modules of extra/mlnx-ofa_kernel (mlnx-ofed)
                wl_compat, wl_core: would be refused, _printk has changed
              CAN BE LINKED  1 module of extra/other
                link the build for 6.1.0-0-amd64: other

            The links are made first; then the rebuilds run, and links are made to the results.

            REBUILD for 6.1.0-1-amd64: 2 modules of extra/mlnx-ofa_kernel
              by: mlnx, MLNX_OFED_LINUX 24.10-1.1.4.0 was given
              no problems found
              would run, in RUN/work:
                BUNDLE/mlnx_add_kernel_support.sh -m BUNDLE --make-tgz -t RUN/work -k 6.1.0-1-amd64\
             -s ROOT/usr/src/linux-headers-6.1.0-1-amd64 --kmp --skip-repo -y

            1 link to make, 2 modules to rebuild.
            Next: weaklink apply --rebuild --bundle BUNDLE --root ROOT
            """);
    assertThat(run.status()).isEqualTo(1);
    assertThat(TreeSnapshot.of(place.image().root())).isEqualTo(before);
  }

  @Test
  void afterItEveryModuleLoadsAndUndoLeadsBack() throws IOException {
    SortedMap<String, String> before = modules();
    WholeRun run = apply();
    assertThat(run.out())
        .contains("\n\n6.1.0-1-amd64: other: 1 link made\n")
        .endsWith(
            """
            /etc/depmod.d: 3 files made
            6.1.0-1-amd64: mlnx-ofa_kernel: 2 files made
            6.1.0-1-amd64: wl-en: 1 file made
            6.1.0-1-amd64: extra/other: LINKED
            6.1.0-1-amd64: extra/wl-en: OK, rebuilt (run 1)
            6.1.0-1-amd64: mlnx-ofed: OK, rebuilt (run 1)
            Next: boot 6.1.0-1-amd64
            """);
    assertThat(run.status()).isZero();
    assertThat(weaklink("check", "wl_compat", "wl_core", "wl_en", "other", "--kernel", KERNEL))
        .satisfies(check -> assertThat(check.out()).contains("4 verdicts: 4 compatible\n"))
        .satisfies(check -> assertThat(check.status()).isZero());
    assertThat(place.image().modules(KERNEL).resolve("modules.dep"))
        .content()
        .contains("extra/mlnx-ofa_kernel/wl_core.ko:", "weak-updates/other/other.ko:");

    assertThat(weaklink("history").out().lines())
        .singleElement()
        .asString()
        .endsWith("--root " + root + " (installed 6.1.0-1-amd64/1)");
    WholeRun undo = weaklink("undo");
    assertThat(undo.out())
        .isEqualTo(
            """
            /etc/depmod.d: 3 files removed
            6.1.0-1-amd64: mlnx-ofa_kernel: 2 files removed
            6.1.0-1-amd64: other: 1 link removed
            6.1.0-1-amd64: wl-en: 1 file removed
            """);
    assertThat(undo.status()).isZero();
    assertThat(modules()).isEqualTo(before);
  }

  @Test
  void nothingIsDoneTwice() throws IOException {
    assertThat(apply().status()).isZero();
    SortedMap<String, String> after = modules();
    WholeRun again = apply();
    assertThat(again.out()).doesNotContain("REBUILD", "link made");
    assertThat(again.status()).isZero();
    assertThat(modules()).isEqualTo(after);
    assertThat(runs()).hasSize(1);
    assertThat(weaklink("history").out().lines()).hasSize(1);
  }

  /** After an undo, and whenever it was interrupted between building and installing. */
  @Test
  void aKeptBuildIsInstalledWithoutBuildingAgainAndCanBeUndoneAgain() throws IOException {
    SortedMap<String, String> before = modules();
    assertThat(apply().status()).isZero();
    SortedMap<String, String> after = modules();
    assertThat(weaklink("undo").status()).isZero();
    WholeRun again = apply();
    assertThat(again.out()).contains("  already built: " + place.run(1) + "\n");
    assertThat(again.status()).isZero();
    assertThat(runs()).hasSize(1);
    assertThat(modules()).isEqualTo(after);
    assertThat(weaklink("undo").status()).isZero();
    assertThat(modules()).isEqualTo(before);
  }

  @Test
  void anotherBuildTreeIsAnotherBuild() throws IOException {
    assertThat(apply().status()).isZero();
    assertThat(weaklink("undo").status()).isZero();
    Path tree = place.image().root().resolve("usr/src/linux-headers-" + KERNEL);
    Files.writeString(tree.resolve(".config"), "CONFIG_MODULES=y\n");
    assertThat(apply().out()).doesNotContain("already built");
    assertThat(runs()).hasSize(2);
  }

  @Test
  void aBuildThatFailsKeepsNoLinkFromBeingMade() throws IOException {
    Map<String, String> environment = new HashMap<>(place.environment());
    environment.put("STANDIN_FAULT", "policy");
    WholeRun run = WholeRun.with(environment, words(place));
    assertThat(run.out())
        .contains(
            "6.1.0-1-amd64: other: 1 link made\n",
            "6.1.0-1-amd64: mlnx-ofed: REBUILD NEEDED, rebuild failed (run 1): policy: ",
            "\n  Next: ");
    assertThat(run.status()).isEqualTo(1);
    assertThat(place.image().modules(KERNEL).resolve("weak-updates/other/other.ko"))
        .isSymbolicLink();
  }

  @Test
  void withoutTheImageItSaysWhereToNameItAndLinksTheRest() {
    WholeRun run = weaklink("apply", "--rebuild");
    assertThat(run.out())
        .contains(
            "  blocked by: its installation image is needed: give it with --bundle PATH,",
            "mlnx-ofed: REBUILD NEEDED, rebuild not started: its installation image is needed",
            "6.1.0-1-amd64: extra/other: LINKED\n");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void weaklinkConfSavesTheOptionsAndPlanSaysTheCommand() throws IOException {
    Map<String, String> configuration = configured("# ours\n\nbundle = " + place.bundle() + "\n");
    assertThat(withoutOptions(configuration, "plan").out())
        .endsWith("Next: weaklink apply --rebuild --root " + root + "\n");
    WholeRun run = withoutOptions(configuration, "apply", "--rebuild");
    assertThat(run.out()).contains("mlnx-ofed: OK, rebuilt (run 1)\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void withoutAnImagePlanDoesNotSayACommandThatCannotWork() {
    assertThat(weaklink("plan").out()).endsWith("Next: weaklink apply --root " + root + "\n");
  }

  @Test
  void whatIsNotToBeInstalledIsOnlyBuilt() throws IOException {
    WholeRun run =
        withoutOptions(
            configured("bundle = " + place.bundle() + "\ninstall = no\n"), "apply", "--rebuild");
    assertThat(run.out())
        .contains(
            "6.1.0-1-amd64: mlnx-ofed: REBUILD NEEDED, rebuilt, not installed (run 1):"
                + " weaklink.conf says install = no\n"
                + "  Next: weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root ");
    assertThat(run.status()).isEqualTo(1);
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bundel = /x | 1: unknown key 'bundel'; did you mean 'bundle'?",
        "bundle = x | 1: bundle takes an absolute path",
        "install = maybe | 1: install takes yes or no, not 'maybe'",
        "gate = maybe | 1: gate takes warn, block or off, not 'maybe'",
        "hooks = maybe | 1: hooks takes apply, report or off, not 'maybe'",
        "rebuild = yes | 1: rebuild takes no or background, not 'yes'",
        "time-limit = 0 | 1: time-limit takes a number of minutes, not '0'",
      })
  void aLineThatMakesNoSenseIsNamedAndNothingIsDone(String line, String message)
      throws IOException {
    WholeRun run = withoutOptions(configured(line + "\n"), "apply", "--rebuild");
    assertThat(run.messages()).containsExactly(directory.resolve("weaklink.conf") + ":" + message);
    assertThat(run.status()).isEqualTo(2);
    assertThat(runs()).isEmpty();
  }

  /** It would run a program that comes with the image, as whoever looks at the image. */
  @Test
  void anImagesOwnBundleIsNotRun() throws IOException {
    place.image().file("etc/weaklink/weaklink.conf", "bundle = /opt/ofed\n".getBytes());
    WholeRun run = weaklink("apply", "--rebuild");
    assertThat(run.messages())
        .containsExactly(
            "/etc/weaklink/weaklink.conf:1: the image's own bundle is not used; say it yourself,"
                + " with --bundle or by WEAKLINK_CONFIG=FILE in the environment");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void programsGetWhatBecameOfTheRebuilds() {
    WholeRun run = apply("--format", "json");
    assertThat(run.out())
        .contains("\"result\":\"installed\",\"run\":\"6.1.0-1-amd64/1\"}")
        .startsWith("{\"schema\":\"weaklink.plan/1\"");
    assertThat(run.status()).isZero();
  }

  @Test
  void programsGetWhatStandsInTheWayBeforeAnythingIsDone() throws IOException {
    Files.delete(place.image().root().resolve("usr/src/linux-headers-" + KERNEL + "/Makefile"));
    WholeRun run = apply("--dry-run", "--format", "json");
    assertThat(run.out())
        .contains(
            "\"obstacles\":[{\"id\":\"build-tree\",\"weight\":\"blocks\",\"message\":\"",
            "\"refusal\":\"",
            "\"steps\":[\"" + place.bundle());
    assertThat(weaklink("apply", "--rebuild", "--dry-run", "--format", "json").out())
        .contains("\"refusal\":\"its installation image is needed: ");
    assertThat(runs()).isEmpty();
  }

  @Test
  void bundleWithoutRebuildMakesNoSense() {
    WholeRun run = weaklink("apply", "--bundle", place.bundle().toString());
    assertThat(run.err()).contains("--bundle is for --rebuild");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void nothingIsUndoneWhileItIsUnderWay() throws IOException {
    assertThat(WholeRun.with(place.environment(), words(place)).status()).isZero();
    Path file = TransactionGroup.lockFile(Root.of(place.image().root()));

    try (LockFile lock = LockFile.acquire(file, "weaklink apply", Duration.ZERO, holder -> {})) {
      assertThat(lock).isNotNull();
      WholeRun undo = WholeRun.of("undo", "--root", root);
      assertThat(undo.err())
          .matches(
              "weaklink: process [0-9]+.* is rebuilding; undo when it has finished or been ended\n");
      assertThat(undo.status()).isEqualTo(2);
    }
    assertThat(WholeRun.of("undo", "--root", root).status()).isZero();
  }
}
