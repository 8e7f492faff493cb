package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
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

/** Modules with signatures of other owners. The cases in test-fixtures/cases/command cover the rest. */
class SignedModulesTest {
    private static final String RELEASE = "6.1.0-7-test";
    private static final SigningKey BUILD = SigningKey.rsa("build key");
    private static final SigningKey OWNER = SigningKey.rsa("machine owner");

    @TempDir
    Path directory;

    private TreeBuilder root;

    @BeforeEach
    void install() throws IOException {
        root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
        root.file("boot/vmlinuz-" + RELEASE, SignedKernels.image(RELEASE, BUILD));
        root.file("lib/modules/" + RELEASE + "/kernel/own.ko", BUILD.sign(module("own")));
        file("plain.ko", module("plain"));
    }

    private static byte[] module(String name) {
        return SignedKernels.module(name, RELEASE).build();
    }

    private Path file(String name, byte[] contents) throws IOException {
        return Files.write(directory.resolve(name), contents);
    }

    private WholeRun check(String policy, String file, String... more) {
        List<String> words =
                new ArrayList<>(List.of("check", "--root", root.root().toString(), "--format", "ndjson", "--alone"));
        if (!policy.isEmpty()) {
            words.addAll(List.of("--signature-policy", policy));
        }
        words.addAll(List.of(more));
        words.add(directory.resolve(file).toString());
        return WholeRun.of(words.toArray(new String[0]));
    }

    /**
     * A booted kernel 7.2 verifies the signature with the certificate inside, before it checks whether the certificate
     * is trusted.
     */
    @Test
    void refusesAChangedModuleWithAnEmbeddedCertificateUnderEveryPolicy() throws IOException {
        byte[] changed = OWNER.sign(module("inside"), SigningKey.Style.WITH_CERTIFICATE);
        file("inside.ko", changed);
        assertThat(check("permissive", "inside.ko").status()).isZero();
        assertThat(check("enforced", "inside.ko").out()).contains("module with unavailable key");
        changed[changed.length - 60] ^= 1;
        file("inside.ko", changed);
        for (String policy : List.of("", "permissive", "enforced", "lockdown")) {
            WholeRun run = check(policy, "inside.ko");
            assertThat(run.status()).as(run.out()).isEqualTo(1);
            assertThat(run.out()).contains("\"errno\":\"EKEYREJECTED\"").contains("inside the signature");
        }
    }

    @Test
    void verifiesSignaturesOfOpenssl() throws IOException {
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
        assertThat(check("enforced", "signed.ko", "--cert", certificate.toString())
                        .status())
                .isZero();
    }

    @Test
    void verifiesSignaturesOfTheKernelsTool() throws IOException {
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
            assertThat(check("lockdown", "signed.ko", "--cert", certificate.toString())
                            .status())
                    .isZero();
        }
    }
}
