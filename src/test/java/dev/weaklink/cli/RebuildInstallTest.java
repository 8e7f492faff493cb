package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the plan that calls for a rebuild to the kernel that would load what was installed. */
class RebuildInstallTest {
  private static final String OLD = "6.1.0-0-amd64";

  @TempDir Path directory;
  private RebuildPlace place;

  @BeforeEach
  void prepare() throws IOException {
    ExternalTool.orSkip("depmod");
    place = RebuildPlace.in(directory);
    place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_core.ko", refused("wl_core"));
    place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_compat.ko", refused("wl_compat"));
  }

  private static ModuleBuilder refused(String name) {
    return built(name, OLD).importing("_printk", 4);
  }

  private WholeRun plan(String... more) {
    String[] words = new String[more.length + 3];
    words[0] = "plan";
    words[1] = "--root";
    words[2] = place.image().root().toString();
    System.arraycopy(more, 0, words, 3, more.length);
    return WholeRun.of(words);
  }

  @Test
  void thePlanNamesTheRebuildItsCauseAndWhatBuilds() {
    WholeRun run = plan();
    assertThat(run.out().replace(place.image().root().toString(), "ROOT"))
        .endsWith(
            """

            REBUILD for 6.1.0-1-amd64: 2 modules of extra/mlnx-ofa_kernel
              by: mlnx, its name is that of a part of mlnx-ofed

            2 modules to rebuild.
            Next: weaklink rebuild --kernel 6.1.0-1-amd64 --product mlnx-ofed --dry-run --root ROOT
            """);
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void whatIsInstalledIsWhatTheKernelLoadsAndThePlanIsClean() throws IOException {
    WholeRun run = place.rebuild(Map.of(), "--install", "--product", "mlnx-ofed");
    assertThat(run.out())
        .contains("6.1.0-1-amd64: installed; of 3 modules it would load 3\n")
        .contains("  + /lib/modules/6.1.0-1-amd64/extra/wl-en/wl_en.ko ");
    assertThat(run.status()).isZero();
    Path modules = place.image().modules(KERNEL);
    assertThat(modules.resolve("extra/mlnx-ofa_kernel/wl_core.ko")).isRegularFile();
    assertThat(Files.readString(modules.resolve("modules.dep"))).contains("extra/wl-en/wl_en.ko:");
    WholeRun after = plan("--kernel", KERNEL, "--units");
    assertThat(after.out())
        .isEqualTo(
            """
            weaklink: 6.1.0-1-amd64 loads wl_en (extra/wl-en)
            weaklink: 6.1.0-1-amd64 loads wl_compat and 1 more (mlnx-ofed)
            """);
    assertThat(after.status()).isZero();
  }

  @Test
  void theResultIsOfferedAsADirectory() {
    Path output = directory.resolve("offer");
    WholeRun run = place.rebuild(Map.of(), "--output", output.toString());
    assertThat(run.out()).contains("  repository: modules in " + output + "/" + KERNEL + "\n");
    assertThat(output.resolve(KERNEL).resolve("wl_en.ko")).isRegularFile();
  }

  private int builds() throws IOException {
    Path runs = place.run(1).getParent();
    try (Stream<Path> all = Files.list(runs)) {
      return (int) all.count();
    }
  }

  @Test
  void aKeptResultIsInstalledWithoutBuildingAgain() throws IOException {
    assertThat(place.rebuild(Map.of()).status()).isZero();
    for (String run : List.of("1", place.run(1).toString())) {
      WholeRun installed = install(run);
      assertThat(installed.out())
          .contains("3 modules built, 3 of which the kernel would load")
          .contains("6.1.0-1-amd64: installed; of 3 modules it would load 3\n");
      assertThat(installed.status()).isZero();
    }
    assertThat(builds()).isEqualTo(1);
    assertThat(place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko")).isRegularFile();
    assertThat(undo().status()).isZero();
  }

  @Test
  void whatIsNotKeptIsNotInstalled() throws IOException {
    assertThat(install("1").messages())
        .containsExactly("no run 1 for 6.1.0-1-amd64; there are none");
    place.withFault("policy");
    assertThat(install("1").messages())
        .containsExactly(place.run(1) + ": it is failed, and has no result to install");
    assertThat(install("2").messages()).containsExactly("no run 2 for 6.1.0-1-amd64; there are: 1");
    assertThat(install("1").status()).isEqualTo(2);
  }

  @Test
  void aKeptResultThatWasChangedIsRefused() throws IOException {
    assertThat(place.rebuild(Map.of()).status()).isZero();
    try (Stream<Path> results = Files.list(place.run(1).resolve("results"))) {
      Files.writeString(results.findFirst().orElseThrow(), "x", StandardOpenOption.APPEND);
    }
    WholeRun run = install("1");
    assertThat(run.out()).contains("failed: broken-result\n", ": was changed since it was built\n");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
  }

  /** The manifest of an image may name anything of the host's. */
  @Test
  void aKeptResultThatLiesElsewhereIsRefused() throws IOException {
    assertThat(place.rebuild(Map.of()).status()).isZero();
    Path elsewhere = directory.toRealPath().resolve("elsewhere");
    Files.move(place.run(1).resolve("results"), elsewhere);
    Path manifest = place.run(1).resolve("manifest.json");
    String text = Files.readString(manifest);
    Files.writeString(
        manifest, text.replace(place.run(1).resolve("results").toString(), elsewhere.toString()));
    WholeRun run = install("1");
    assertThat(run.out()).contains("failed: broken-result\n", ": lies outside of the run\n");
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
    Files.writeString(manifest, text);
    Files.createSymbolicLink(place.run(1).resolve("results"), elsewhere);
    assertThat(install("1").out()).contains(": lies outside of the run\n");
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
  }

  @Test
  void whatWasMissingInAKeptResultCanBeAllowedAfterwards() throws IOException {
    place.image().module(KERNEL, "extra/mlnx-ofa_kernel/wl_old.ko", built("wl_old", KERNEL));
    place.image().module(KERNEL, "extra/mlnx-ofa_kernel/wl_core.ko", built("wl_core", KERNEL));
    WholeRun built = place.rebuild(Map.of(), "--install");
    assertThat(built.out())
        .contains(
            "failed: missing-modules\n",
            "weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root "
                + place.image().root()
                + " --allow-missing wl_old\n");
    WholeRun run = install("1", "--allow-missing", "wl_old");
    assertThat(run.out()).contains("installed; of 3 modules it would load 3\n");
    assertThat(run.status()).isZero();
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aResultThatWasNeverJudgedIsJudgedAndInstalled() throws IOException {
    assertThat(place.rebuild(Map.of()).status()).isZero();
    Path manifest = place.run(1).resolve("manifest.json");
    Files.writeString(
        manifest,
        Files.readString(manifest).replace("\"state\":\"built\"", "\"state\":\"unjudged\""));
    WholeRun next = place.rebuild(Map.of());
    assertThat(next.err()).contains("--install 1 judges and installs what it built");
    assertThat(place.keepsResult(1)).isTrue();
    assertThat(install("1").status()).isZero();
    assertThat(Files.readString(manifest)).contains("\"state\":\"built\"");
  }

  private WholeRun install(String... words) {
    List<String> all = new ArrayList<>(List.of("rebuild", "--kernel", KERNEL));
    all.addAll(List.of("--root", place.image().root().toString(), "--install"));
    all.addAll(List.of(words));
    return WholeRun.with(place.environment(), all.toArray(String[]::new));
  }

  /** The link to the older build goes when the kernel gets a build of its own. */
  @Test
  void linksThatAnInstallationChangesAreListedAndPutBack() throws IOException {
    place.image().module(OLD, "extra/wl-en/wl_en.ko", fitting("wl_en"));
    String root = place.image().root().toString();
    WholeRun.of("apply", "--root", root, "--kernel", KERNEL);
    Path link = place.image().modules(KERNEL).resolve("weak-updates/wl-en/wl_en.ko");
    assertThat(link).isSymbolicLink();
    WholeRun installed = place.rebuild(Map.of(), "--install");
    assertThat(installed.out())
        .contains("  link removed:" + " /lib/modules/6.1.0-1-amd64/weak-updates/wl-en/wl_en.ko\n");
    assertThat(Files.isSymbolicLink(link)).isFalse();
    WholeRun undone = undo();
    assertThat(undone.out()).contains("6.1.0-1-amd64: wl-en: 1 link made, 1 file removed\n");
    assertThat(undone.status()).isZero();
    assertThat(link).isSymbolicLink();
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
  }

  private static ModuleBuilder fitting(String name) {
    return built(name, OLD).importing("_printk", 5);
  }

  @Test
  void aFileThatIsReplacedIsKept() throws IOException {
    place.image().module(KERNEL, "extra/wl-en/wl_en.ko", refused("wl_en"));
    byte[] before =
        Files.readAllBytes(place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko"));
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    Path kept = place.image().root().resolve("var/lib/weaklink/transactions/1/files");
    assertThat(kept.toFile().listFiles()).hasSize(1);
    assertThat(kept.toFile().listFiles()[0]).hasBinaryContent(before);
  }

  @Test
  void nothingIsInstalledOfABuildThatFailed() {
    WholeRun run = place.withFault("policy", "--install");
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
    assertThat(run.status()).isEqualTo(4);
  }

  @Test
  void aModuleThatTheLastBuildHadAndThisOneHasNotIsMissing() {
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    WholeRun run = place.withFault("kmp-drops-package", "--install");
    assertThat(run.out()).contains("failed: missing-modules\n  not in the result: wl_en\n");
    assertThat(run.status()).isEqualTo(4);
    assertThat(place.hasResult(2)).isFalse();
  }

  @Test
  void nothingIsPutWhereNoTransactionCanBegin() throws IOException {
    Files.createDirectories(place.image().root().resolve("run/weaklink/lock"));
    WholeRun run = place.rebuild(Map.of(), "--install");
    assertThat(run.err()).contains("cannot install: cannot lock ", "; nothing was changed\n");
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
    assertThat(run.status()).isEqualTo(4);
  }

  @Test
  void filesThatWerePutAreTakenBackIfDepmodFails() throws IOException {
    Path depmod = Files.writeString(directory.resolve("depmod"), "#!/bin/sh\nexit 1\n");
    Files.setPosixFilePermissions(depmod, PosixFilePermissions.fromString("rwxr-xr-x"));
    TransactionSettings failing = TransactionSettings.DEFAULT.withDepmod(depmod);
    WholeRun run = WholeRun.of(failing, new byte[0], place.environment(), place.words("--install"));
    assertThat(run.err())
        .contains("cannot install: depmod failed for kernel 6.1.0-1-amd64 (")
        .contains("; everything is as it was before\n");
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
    assertThat(run.status()).isEqualTo(4);
  }

  private WholeRun undo() {
    return WholeRun.of("undo", "--root", place.image().root().toString());
  }

  @Test
  void anInstallationIsTakenBackWithWhatItReplaced() throws IOException {
    place.image().module(KERNEL, "extra/wl-en/wl_en.ko", refused("wl_en"));
    Path present = place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko");
    byte[] before = Files.readAllBytes(present);
    WholeRun installed = place.rebuild(Map.of(), "--install");
    assertThat(installed.out())
        .contains("  to undo: weaklink undo --root " + place.image().root() + "\n");
    assertThat(Files.readAllBytes(present)).isNotEqualTo(before);

    WholeRun undone = undo();
    assertThat(undone.status()).isZero();
    assertThat(undone.out())
        .isEqualTo(
            """
            /etc/depmod.d: 3 files removed
            6.1.0-1-amd64: mlnx-ofa_kernel: 2 files removed
            6.1.0-1-amd64: wl-en: 1 file replaced
            """);
    assertThat(present).hasBinaryContent(before);
    assertThat(present.resolveSibling("../mlnx-ofa_kernel").normalize()).doesNotExist();
    assertThat(place.image().modules(KERNEL).resolve("modules.dep")).as("as before").doesNotExist();

    WholeRun again = undo();
    assertThat(again.status()).isZero();
    assertThat(again.messages()).containsExactly("nothing to undo");
  }

  @Test
  void whatSomebodyChangedSinceIsTakenBackByForceOnly() throws IOException {
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    Path core = place.image().modules(KERNEL).resolve("extra/mlnx-ofa_kernel/wl_core.ko");
    Files.write(core, built("wl_core", KERNEL).modInfo("version=2").build());
    WholeRun undone = undo();
    assertThat(undone.err())
        .contains(
            "  /lib/modules/6.1.0-1-amd64/extra/mlnx-ofa_kernel/wl_core.ko is another file now\n");
    assertThat(undone.status()).isEqualTo(4);
    assertThat(core.resolveSibling("wl_compat.ko")).exists();
    String root = place.image().root().toString();
    assertThat(WholeRun.of("undo", "--force", "--root", root).status()).isZero();
    assertThat(core.resolveSibling("../../extra").normalize()).doesNotExist();
  }

  @Test
  void theLastOfTwoInstallationsIsTakenBackFirst() throws IOException {
    Path en = place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko");
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    byte[] first = Files.readAllBytes(en);
    place.ready("wl_en", built("wl_en", KERNEL).importing("_printk", 5).modInfo("version=2"));
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    assertThat(undo().status()).isZero();
    assertThat(en).hasBinaryContent(first);
    assertThat(undo().status()).isZero();
    assertThat(en).doesNotExist();
  }

  /** Without them depmod would go on taking the kernel's module of that name. */
  @Test
  void whatDepmodIsToldByThePackagesIsInstalledToo() throws IOException {
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    Path override = place.image().root().resolve("etc/depmod.d/zz01-mlnx-ofa_kernel-wl_core.conf");
    assertThat(Files.readString(override))
        .contains("override wl_core * weak-updates/mlnx-ofa_kernel\n");
    assertThat(undo().status()).isZero();
    assertThat(override).doesNotExist();
  }
}
