package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SignedKernels;
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

/** The whole program on signed modules and a kernel that has its certificates in its image. */
class SignedModulesTest {
  private static final String RELEASE = "6.1.0-7-test";
  private static final SigningKey BUILD = SigningKey.rsa("build key");
  private static final SigningKey OWNER = SigningKey.rsa("machine owner");

  @TempDir Path directory;
  private TreeBuilder root;

  @BeforeEach
  void install() throws IOException {
    root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
    root.file("boot/vmlinuz-" + RELEASE, SignedKernels.image(RELEASE, BUILD));
    root.file("lib/modules/" + RELEASE + "/kernel/own.ko", BUILD.sign(module("own")));
    file("plain.ko", module("plain"));
    file("built.ko", BUILD.sign(module("built")));
    file("owned.ko", OWNER.sign(module("owned")));
    byte[] changed = BUILD.sign(module("changed"));
    changed[changed.length - 60] ^= 1;
    file("changed.ko", changed);
    file("owner.der", OWNER.certificate());
  }

  private static byte[] module(String name) {
    return SignedKernels.module(name, RELEASE).build();
  }

  private Path file(String name, byte[] contents) throws IOException {
    return Files.write(directory.resolve(name), contents);
  }

  private WholeRun check(String policy, String file, String... more) {
    List<String> words =
        new ArrayList<>(
            List.of("check", "--root", root.root().toString(), "--format", "ndjson", "--alone"));
    if (!policy.isEmpty()) {
      words.addAll(List.of("--signature-policy", policy));
    }
    words.addAll(List.of(more));
    words.add(directory.resolve(file).toString());
    return WholeRun.of(words.toArray(new String[0]));
  }

  @Test
  void aModuleSignedWithTheBuildKeyLoadsUnderEveryPolicy() {
    for (String policy : List.of("permissive", "enforced", "lockdown")) {
      WholeRun run = check(policy, "built.ko");

      assertThat(run.status()).as(run.out() + run.err()).isZero();
      assertThat(run.out()).contains("\"unchecked\":[]");
    }
  }

  @Test
  void aChangedModuleIsRefusedUnderEveryPolicy() {
    for (String policy : List.of("", "permissive", "enforced", "lockdown")) {
      WholeRun run = check(policy, "changed.ko");

      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).contains("\"errno\":\"EKEYREJECTED\"").contains("CN=build key");
    }
  }

  /** Booted: 7.2 verifies it with the certificate inside before it asks who trusts that. */
  @Test
  void aChangedModuleWithItsCertificateInsideIsRefusedUnderEveryPolicy() throws IOException {
    byte[] changed = OWNER.sign(module("inside"), SigningKey.Style.WITH_CERTIFICATE);
    file("inside.ko", changed);
    assertThat(check("permissive", "inside.ko").status()).isZero();
    assertThat(check("enforced", "inside.ko").out()).contains("module with unavailable key");
    changed[changed.length - 60] ^= 1;
    file("inside.ko", changed);
    for (String policy : List.of("", "permissive", "enforced", "lockdown")) {
      WholeRun run = check(policy, "inside.ko");
      assertThat(run.status()).as(run.out()).isEqualTo(1);
      assertThat(run.out()).contains("\"errno\":\"EKEYREJECTED\"").contains("of its own");
    }
  }

  @Test
  void anUnsignedModuleLoadsOnlyWhereNothingIsInsistedOn() {
    assertThat(check("permissive", "plain.ko").status()).isZero();
    assertThat(check("enforced", "plain.ko").out())
        .contains("\"errno\":\"EKEYREJECTED\"", "Loading of unsigned module is rejected");
    assertThat(check("lockdown", "plain.ko").out())
        .contains("\"errno\":\"EPERM\"", "unsigned module loading is restricted");
  }

  @Test
  void thePolicyOfAnImageIsAnAssumption() {
    WholeRun run = check("", "plain.ko");

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("\"assumed\":[\"signature-policy\"]");
  }

  @Test
  void aKeyThatIsNotInTheImageIsUnavailable() {
    assertThat(check("enforced", "owned.ko").out())
        .contains("\"errno\":\"EKEYREJECTED\"", "module with unavailable key");
    assertThat(check("lockdown", "owned.ko").out()).contains("\"errno\":\"EPERM\"");
  }

  @Test
  void aCertificateThatIsGivenIsTrusted() {
    String certificate = directory.resolve("owner.der").toString();

    assertThat(check("enforced", "owned.ko", "--cert", certificate).status()).isZero();
    assertThat(check("lockdown", "owned.ko", "--cert", certificate).status()).isZero();
  }

  @Test
  void aFileWithoutACertificateIsAProblem() throws IOException {
    String file = file("empty.pem", new byte[9]).toString();

    WholeRun run = check("enforced", "built.ko", "--cert", file, "--cert", file + ".missing");

    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err())
        .contains("empty.pem: no certificate in it; give a certificate as PEM or DER")
        .contains("empty.pem.missing: ");
  }

  @Test
  void withoutTheImageNothingSignedIsCalledCompatible() throws IOException {
    Files.delete(root.root().resolve("boot/vmlinuz-" + RELEASE));
    root.file(
        "lib/modules/" + RELEASE + "/symvers",
        "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n".getBytes());

    WholeRun run = check("enforced", "built.ko");

    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("\"verdict\":\"UNDETERMINED\"", "--cert", "CN=build key");
  }

  @Test
  void anImageOfAnotherKernelIsNotTrusted() throws IOException {
    root.file(
        "lib/modules/" + RELEASE + "/symvers",
        "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n".getBytes());
    KernelSpec other = KernelSpec.of(Machine.X86_64).released("6.1.0-8-test");
    byte[] unpacked = Payloads.concat(KernelWriter.elf(other, true), BUILD.certificate());
    root.file("boot/vmlinuz-" + RELEASE, Payloads.bzImage(Packing.ZSTD.packWithSize(unpacked)));

    WholeRun run = check("enforced", "built.ko");

    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("is of kernel 6.1.0-8-test");
  }

  @Test
  void anUnknownPolicyIsWrongUsage() {
    WholeRun run = check("strict", "plain.ko");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--signature-policy takes permissive, enforced, lockdown");
  }

  @Test
  void inspectTellsTheSigner() {
    WholeRun run = WholeRun.of("inspect", directory.resolve("built.ko").toString());

    assertThat(run.out())
        .contains("signed with     rsa, sha256\n")
        .contains("signer          CN=build key\n")
        .contains("serial number   ");
  }

  @Test
  void whatOpensslSignsIsVerified() throws IOException {
    ExternalTool openssl = ExternalTool.orSkip("openssl");
    Path key = directory.resolve("key.pem");
    Path certificate = directory.resolve("cert.pem");
    openssl.run(
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=openssl",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
    Path plain = directory.resolve("plain.ko");
    Path message = directory.resolve("message");
    openssl.run(
        "cms",
        "-sign",
        "-binary",
        "-noattr",
        "-nocerts",
        "-md",
        "sha512",
        "-outform",
        "DER",
        "-signer",
        certificate.toString(),
        "-inkey",
        key.toString(),
        "-in",
        plain.toString(),
        "-out",
        message.toString());
    byte[] trailer = SignatureTrailer.pkcs7(Files.readAllBytes(message)).toBytes();
    file("signed.ko", Payloads.concat(Files.readAllBytes(plain), trailer));

    assertThat(check("enforced", "signed.ko").status()).isEqualTo(1);
    assertThat(check("enforced", "signed.ko", "--cert", certificate.toString()).status()).isZero();
  }

  @Test
  void whatTheKernelsOwnToolSignsIsVerified() throws IOException {
    ExternalTool openssl = ExternalTool.orSkip("openssl");
    ExternalTool signFile = ExternalTool.signFileOrSkip();
    Path key = directory.resolve("key.pem");
    Path certificate = directory.resolve("cert.pem");
    openssl.run(
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-384",
        "-nodes",
        "-subj",
        "/CN=sign-file",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
    for (String style : List.of("", "-k")) {
      Path signed = file("signed.ko", module("signed"));
      List<String> words = new ArrayList<>(style.isEmpty() ? List.of() : List.of(style));
      words.addAll(List.of("sha256", key.toString(), certificate.toString(), signed.toString()));
      signFile.run(words.toArray(new String[0]));

      assertThat(check("lockdown", "signed.ko").status()).isEqualTo(1);
      assertThat(check("lockdown", "signed.ko", "--cert", certificate.toString()).status())
          .isZero();
    }
  }
}
