package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links that are planned under each policy about signatures. */
class PlanSignaturesTest {
  private static final String OLD = "6.1.0-7-test";
  private static final String NEW = "6.1.0-8-test";
  private static final SigningKey BUILD = SigningKey.rsa("build key");
  private static final SigningKey OTHER = SigningKey.rsa("somebody else");

  @TempDir Path directory;
  private TreeBuilder root;

  @BeforeEach
  void install() throws IOException {
    root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
    for (String release : List.of(OLD, NEW)) {
      root.file("boot/vmlinuz-" + release, image(release));
      root.file("lib/modules/" + release + "/kernel/own.ko", BUILD.sign(module("own", release)));
    }
    extra("plain.ko", module("plain", OLD));
    extra("trusted.ko", BUILD.sign(module("trusted", OLD)));
    extra("foreign.ko", OTHER.sign(module("foreign", OLD)));
  }

  private void extra(String name, byte[] file) {
    root.file("lib/modules/" + OLD + "/extra/" + name, file);
  }

  private static byte[] image(String release) {
    KernelSpec kernel =
        KernelSpec.of(Machine.X86_64)
            .released(release)
            .exporting(List.of(new Export("module_layout", false, 0x11223344, "")))
            .saying(
                List.of(
                    "%s: no symbol version for %s",
                    "%s: module verification failed: signature and/or required key missing",
                    "%s: PKCS#7 signature info has unexpected non-zero params",
                    "version magic '%s' should be '%s'"));
    byte[] unpacked =
        Payloads.concat(KernelWriter.elf(kernel, true), new byte[5], BUILD.certificate());
    return Payloads.bzImage(Packing.GZIP.packWithSize(unpacked));
  }

  private static byte[] module(String name, String release) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
        .build();
  }

  private WholeRun run(String command, String... more) {
    List<String> words =
        new ArrayList<>(List.of(command, "--root", root.root().toString(), "--kernel", NEW));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  private Path link(String name) {
    return root.root().resolve("lib/modules/" + NEW + "/weak-updates/" + name);
  }

  @Test
  void anImageIsPlannedForAMachineThatInsistsOnNothing() {
    assertThat(run("plan").out()).contains("plain").contains("trusted").contains("foreign");
    assertThat(run("apply", "--no-initramfs").status()).isZero();
    assertThat(link("plain.ko")).isSymbolicLink();
    assertThat(link("trusted.ko")).isSymbolicLink();
    assertThat(link("foreign.ko")).isSymbolicLink();
  }

  @Test
  void underLockdownOnlyWhatTheKernelTrustsIsLinked() {
    for (String policy : List.of("enforced", "lockdown")) {
      WholeRun run = run("apply", "--no-initramfs", "--signature-policy", policy);
      assertThat(run.status()).as(run.out() + run.err()).isEqualTo(1);
      assertThat(link("trusted.ko")).isSymbolicLink();
      assertThat(link("plain.ko")).doesNotExist();
      assertThat(link("foreign.ko")).doesNotExist();
    }
  }

  @Test
  void aChangedModuleIsNeverLinked() {
    byte[] changed = BUILD.sign(module("changed", OLD));
    changed[changed.length - 60] ^= 1;
    extra("changed.ko", changed);
    run("apply", "--no-initramfs");
    assertThat(link("trusted.ko")).isSymbolicLink();
    assertThat(link("changed.ko")).doesNotExist();
  }

  @Test
  void anUnknownPolicyIsWrongUsage() {
    assertThat(run("plan", "--signature-policy", "strict").status()).isEqualTo(2);
  }
}
