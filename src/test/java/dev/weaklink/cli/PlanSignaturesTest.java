package dev.weaklink.cli;

import static dev.weaklink.testing.SignedKernels.BUILD;
import static dev.weaklink.testing.SignedKernels.NEW;
import static dev.weaklink.testing.SignedKernels.OTHER;
import static dev.weaklink.testing.SignedKernels.OWN;
import static dev.weaklink.testing.SignedKernels.SERVICE;
import static dev.weaklink.testing.SignedKernels.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.SignedKernels;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links that are planned, made, audited and repaired under each policy about signatures. */
class PlanSignaturesTest {
  private static final String UNDER_LOCKDOWN = "--signature-policy=lockdown";

  @TempDir Path directory;
  private TreeBuilder root;

  @BeforeEach
  void install() throws IOException {
    ExternalTool.orSkip("depmod");
    root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
    SignedKernels.install(root, "extra");
  }

  private void extra(String name, byte[] file) {
    SignedKernels.add(root, "extra", name, file);
  }

  private WholeRun run(String command, String... more) {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("--root", root.root().toString(), "--kernel", NEW));
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
    byte[] changed = BUILD.sign(built("changed").build());
    changed[changed.length - 60] ^= 1;
    extra("changed", changed);
    run("apply", "--no-initramfs");
    assertThat(link("trusted.ko")).isSymbolicLink();
    assertThat(link("changed.ko")).doesNotExist();
  }

  @Test
  void anUnknownPolicyIsWrongUsage() {
    assertThat(run("plan", "--signature-policy", "strict").status()).isEqualTo(2);
  }

  @Test
  void aCertificateThatIsGivenIsTrusted() throws IOException {
    Path certificate = Files.write(directory.resolve("other.der"), OTHER.certificate());

    run("apply", "--no-initramfs", UNDER_LOCKDOWN, "--cert", certificate.toString());

    assertThat(link("foreign.ko")).isSymbolicLink();
    assertThat(link("plain.ko")).doesNotExist();
    assertThat(run("status", UNDER_LOCKDOWN, "--cert", certificate.toString()).out())
        .doesNotContain("foreign");
  }

  @Test
  void aFileWithoutACertificateIsAProblem() throws IOException {
    Path empty = Files.write(directory.resolve("empty.der"), new byte[9]);

    for (String command : List.of("plan", "status")) {
      assertThat(run(command, "--cert", empty.toString()).err())
          .contains("empty.der: no certificate in it");
    }
  }

  @Test
  void whatUsesAnOwnModuleOfTheKernelIsLinkedIfThatOneIsTrusted() {
    extra("user", BUILD.sign(built("user").importing(SERVICE, 1).build()));
    run("apply", "--no-initramfs", UNDER_LOCKDOWN);
    assertThat(link("user.ko")).isSymbolicLink();

    for (byte[] untrusted : List.of(SignedKernels.own(NEW), OTHER.sign(SignedKernels.own(NEW)))) {
      root.module(NEW, "kernel/" + OWN + ".ko", untrusted, Compression.NONE);
      WholeRun audit = run("status", UNDER_LOCKDOWN);
      assertThat(audit.status()).isEqualTo(1);
      assertThat(audit.out()).contains("user.ko").contains("depends on own");
    }
  }

  @Test
  void anAuditAsksWhetherTheKernelTakesTheSignature() {
    run("apply", "--no-initramfs");
    assertThat(run("status").status()).isZero();

    WholeRun audit = run("status", UNDER_LOCKDOWN, "--format", "json");

    assertThat(audit.status()).isEqualTo(1);
    assertThat(audit.out())
        .contains("/weak-updates/plain.ko")
        .contains("signature: the module is not signed; loading fails with EPERM")
        .contains("/weak-updates/foreign.ko")
        .contains("signed with an unknown key by CN=somebody else");
    assertThat(run("status", UNDER_LOCKDOWN).out()).doesNotContain("trusted");
  }

  @Test
  void aRepairRemovesWhatTheKernelRefusesAndSaysWhy() {
    run("apply", "--no-initramfs");

    WholeRun repair = run("repair", "--no-initramfs", UNDER_LOCKDOWN);

    assertThat(repair.status()).as(repair.out() + repair.err()).isZero();
    assertThat(repair.out()).contains("plain.ko").contains("the module is not signed");
    assertThat(link("plain.ko")).doesNotExist();
    assertThat(link("foreign.ko")).doesNotExist();
    assertThat(link("trusted.ko")).isSymbolicLink();
  }

  @Test
  void aRepairUnderAPolicyThatInsistsOnNothingLeavesAll() {
    run("apply", "--no-initramfs");

    assertThat(run("repair", "--no-initramfs").status()).isZero();

    assertThat(link("plain.ko")).isSymbolicLink();
    assertThat(link("foreign.ko")).isSymbolicLink();
  }
}
