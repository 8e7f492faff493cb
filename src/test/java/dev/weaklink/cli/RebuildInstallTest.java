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

  @Test
  void theResultIsOfferedAsADirectory() {
    Path output = directory.resolve("offer");
    WholeRun run = place.rebuild(Map.of(), "--repository", output.toString());
    assertThat(run.out()).contains("  repository: modules in " + output + "/" + KERNEL + "\n");
    assertThat(output.resolve(KERNEL).resolve("wl_en.ko")).isRegularFile();
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
}
