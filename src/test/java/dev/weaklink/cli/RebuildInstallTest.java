package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
        .isEqualTo("6.1.0-1-amd64: extra/wl-en: OK\n6.1.0-1-amd64: mlnx-ofed: OK\n");
    assertThat(after.status()).isZero();
  }

  @Test
  void theResultIsOfferedAsADirectory() {
    Path output = directory.resolve("offer");
    WholeRun run = place.rebuild(Map.of(), "--output", output.toString());
    assertThat(run.out()).contains("  repository: modules in " + output + "/" + KERNEL + "\n");
    assertThat(output.resolve(KERNEL).resolve("wl_en.ko")).isRegularFile();
  }

  @Test
  void aFileThatIsReplacedIsKept() throws IOException {
    place.image().module(KERNEL, "extra/wl-en/wl_en.ko", refused("wl_en"));
    byte[] before =
        Files.readAllBytes(place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko"));
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    assertThat(place.run(1).resolve("replaced").toFile().listFiles()).hasSize(1);
    assertThat(place.run(1).resolve("replaced").toFile().listFiles()[0]).hasBinaryContent(before);
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
  void filesThatWerePutAreTakenBackIfDepmodFails() throws IOException {
    Files.createDirectories(place.image().root().resolve("run/weaklink"));
    Files.createDirectories(place.image().root().resolve("run/weaklink/lock"));
    WholeRun run = place.rebuild(Map.of(), "--install");
    assertThat(run.err()).contains("cannot install: ");
    assertThat(place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko")).doesNotExist();
    assertThat(run.status()).isEqualTo(5);
  }

  private WholeRun undo() {
    return WholeRun.of(
        "rebuild", "--kernel", KERNEL, "--root", place.image().root().toString(), "--undo");
  }

  @Test
  void anInstallationIsTakenBackWithWhatItReplaced() throws IOException {
    place.image().module(KERNEL, "extra/wl-en/wl_en.ko", refused("wl_en"));
    Path present = place.image().modules(KERNEL).resolve("extra/wl-en/wl_en.ko");
    byte[] before = Files.readAllBytes(present);
    WholeRun installed = place.rebuild(Map.of(), "--install");
    assertThat(installed.out())
        .contains(
            "  to undo: weaklink rebuild --kernel 6.1.0-1-amd64 --undo --root "
                + place.image().root()
                + "\n");
    assertThat(Files.readAllBytes(present)).isNotEqualTo(before);

    WholeRun undone = undo();
    assertThat(undone.status()).isZero();
    assertThat(place.neutral(undone.out()))
        .isEqualTo(
            """
            6.1.0-1-amd64: undone (RUN)
              put back or removed: /etc/depmod.d/zz01-mlnx-ofa_kernel-wl_compat.conf
              put back or removed: /etc/depmod.d/zz01-mlnx-ofa_kernel-wl_core.conf
              put back or removed: /etc/depmod.d/zz01-wl-en-wl_en.conf
              put back or removed: /lib/modules/6.1.0-1-amd64/extra/mlnx-ofa_kernel/wl_compat.ko
              put back or removed: /lib/modules/6.1.0-1-amd64/extra/mlnx-ofa_kernel/wl_core.ko
              put back or removed: /lib/modules/6.1.0-1-amd64/extra/wl-en/wl_en.ko
            """);
    assertThat(present).hasBinaryContent(before);
    assertThat(present.resolveSibling("../mlnx-ofa_kernel").normalize()).doesNotExist();
    assertThat(Files.readString(place.image().modules(KERNEL).resolve("modules.dep")))
        .contains("extra/wl-en/wl_en.ko:")
        .doesNotContain("wl_core");

    WholeRun again = undo();
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.messages())
        .containsExactly("nothing that 'weaklink rebuild' installed for 6.1.0-1-amd64 is left");
  }

  @Test
  void whatSomebodyChangedSinceIsLeftAlone() throws IOException {
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    Path core = place.image().modules(KERNEL).resolve("extra/mlnx-ofa_kernel/wl_core.ko");
    Files.write(core, built("wl_core", KERNEL).modInfo("version=2").build());
    WholeRun undone = undo();
    assertThat(undone.out())
        .contains(
            "  changed since, and left alone:"
                + " /lib/modules/6.1.0-1-amd64/extra/mlnx-ofa_kernel/wl_core.ko\n");
    assertThat(undone.status()).isEqualTo(5);
    assertThat(core).exists();
    assertThat(core.resolveSibling("wl_compat.ko")).doesNotExist();
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

  @Test
  void anInstallationThatWasBrokenOffIsTakenBackByTheNextRun() throws IOException {
    assertThat(place.rebuild(Map.of(), "--install").status()).isZero();
    Path journal = place.run(1).resolve("installation");
    Files.writeString(
        journal, Files.readString(journal).replace("state INSTALLED", "state INSTALLING"));
    WholeRun next = place.rebuild(Map.of());
    assertThat(next.err()).contains("an earlier run was broken off");
    assertThat(place.image().modules(KERNEL).resolve("extra")).doesNotExist();
    assertThat(Files.readString(journal)).startsWith("state UNDONE\n");
  }
}
