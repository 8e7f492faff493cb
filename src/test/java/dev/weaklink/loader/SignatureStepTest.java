package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Pkcs7;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SignatureTrailer.Descriptor;
import dev.weaklink.testing.SigningKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checks of a signature's form, without the signed contents and the key. */
class SignatureStepTest {
    private static final byte[] SIGNED_DATA = Pkcs7.TYPICAL.toBytes();
    private static final SignatureTrailer WELL_FORMED = SignatureTrailer.pkcs7(SIGNED_DATA);
    private static final Pkcs7 LATTICE = Pkcs7.TYPICAL.algorithms(Pkcs7.SHA256, Pkcs7.ML_DSA_65);
    private static final SignatureTrailer X509 = SignatureTrailer.x509(new byte[4], new byte[4], new byte[8]);

    @Test
    void listsAnUnverifiedSignatureAsUnchecked() {
        assertThat(judge("6.1", WELL_FORMED).isCompatible().verdict().unchecked())
                .contains("signature");
        assertThat(judge("6.1", SignatureTrailer.NONE).isCompatible().verdict().unchecked())
                .doesNotContain("signature");
    }

    @Test
    void assumesAnUnknownPolicy() {
        for (SignatureTrailer trailer : List.of(SignatureTrailer.NONE, WELL_FORMED)) {
            assertThat(judge("6.1", trailer).isCompatible().verdict().assumed()).contains("signature-policy");
        }
        Kernels told = Kernels.version("6.1").rule(LoaderRule.SIGNATURE_POLICY, "permissive");
        assertThat(Judged.alone(told, signed(SignatureTrailer.NONE))
                        .isCompatible()
                        .verdict()
                        .assumed())
                .doesNotContain("signature-policy");
    }

    @Test
    void ignoresSignaturesOnAKernelWithoutSupport() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.SIGNATURES, "no");
        SignatureTrailer broken = SignatureTrailer.pkcs7(new byte[] {0x30, 0});

        assertThat(Judged.alone(kernel, signed(broken)).isCompatible().verdict().unchecked())
                .doesNotContain("signature");
    }

    @Test
    void refusesABlobThatIsNotAMessageUnderAnyPolicy() {
        judge("6.1", SignatureTrailer.pkcs7(new byte[] {0x30, 0}))
                .isRefused("EBADMSG", Layer.SIGNATURE)
                .silently();
    }

    @Test
    void fieldsThatMustBeZero() {
        Descriptor descriptor = new Descriptor(1, 0, 2, 0, 0, 0, SIGNED_DATA.length);

        judge("6.1", WELL_FORMED.with(descriptor))
                .isRefused("EBADMSG", Layer.SIGNATURE)
                .saying("module: PKCS#7 signature info has unexpected non-zero params");
    }

    @Test
    void refusesASignatureLongerThanTheFile() {
        judge("6.1", WELL_FORMED.announcing(1 << 20))
                .isRefused("EBADMSG", Layer.SIGNATURE)
                .silently();
        judge("6.1", X509.announcing(1 << 20))
                .isRefused("EBADMSG", Layer.SIGNATURE)
                .silently();
        judge("6.1", SignatureTrailer.of(7, new byte[3]).announcing(1 << 20)).isRefused("EBADMSG", Layer.SIGNATURE);
    }

    /** mod_verify_sig refuses if modlen &lt;= sizeof(struct module_signature). */
    @Test
    void refusesAMarkerWithoutRoomForADescriptor() {
        byte[] marker = SignatureTrailer.MARKER_ONLY.toBytes();
        byte[] file = new byte[12 + marker.length];
        System.arraycopy(marker, 0, file, 12, marker.length);

        for (String version : List.of("6.1", "4.18", "3.10")) {
            Judged.alone(Kernels.version(version).build(), Judged.read(file), List.of())
                    .isRefused("EBADMSG", Layer.SIGNATURE);
        }
    }

    @Test
    void treatsAnotherKindAsUnsignedFrom54On() {
        judge("5.4", X509).isCompatible().noting("module: not signed with expected PKCS#7 message");
        judge("6.1", SignatureTrailer.of(0, new byte[9])).isCompatible();
        judge("5.3", X509).isRefused("ENOPKG", Layer.SIGNATURE);
    }

    /** pkcs7_sig_note_pkey_algo ends the parser, so the kernel does not check the attributes. */
    @Test
    void mlDsaIsUnknownBefore70WithAttributesOrWithout() {
        for (Pkcs7 message : List.of(LATTICE, LATTICE.withAttributes())) {
            SignatureTrailer trailer = SignatureTrailer.pkcs7(message.toBytes());
            judge("5.3", trailer).isRefused("ENOPKG", Layer.SIGNATURE);
            judge("6.19", trailer).isCompatible();
            Judged.alone(enforced("6.19"), signed(trailer))
                    .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                    .saying("Loading of module with unsupported crypto is rejected");
        }
        SignatureTrailer rsa =
                SignatureTrailer.pkcs7(Pkcs7.TYPICAL.withAttributes().toBytes());
        judge("6.19", rsa)
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("PKCS7: Invalid module sig (has authattrs)");
    }

    /** A booted 6.1 refuses this signature, but loads a module whose signature has both attributes. */
    @Test
    void attributesWithoutADigestAreMalformedWhateverTheAlgorithm() {
        byte[] message = LATTICE.withAttributes().toBytes();
        String text = new String(message, StandardCharsets.ISO_8859_1);
        message[text.indexOf("\1\t\4") + 2] = 5;
        for (String version : List.of("6.1", "6.12", "7.0")) {
            judge(version, SignatureTrailer.pkcs7(message)).isRefused("EBADMSG", Layer.SIGNATURE);
        }
    }

    @Test
    void acceptsMlDsaFrom70OnAndItsAttributesIfWaived() {
        SignatureTrailer plain = SignatureTrailer.pkcs7(LATTICE.toBytes());
        SignatureTrailer attributes =
                SignatureTrailer.pkcs7(LATTICE.withAttributes().toBytes());
        assertThat(judge("7.0", plain).isCompatible().verdict().unchecked()).contains("signature");
        assertThat(judge("7.0", attributes).verdict().outcome()).isEqualTo(Outcome.UNDETERMINED);
        Kernels kernel = Kernels.version("7.0").rule(LoaderRule.ML_DSA, "plain");
        Judged.alone(kernel, signed(plain)).isCompatible();
        Judged.alone(kernel, signed(attributes))
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("PKCS7: Invalid module sig (has authattrs)");
        Kernels waiving = Kernels.version("7.0").rule(LoaderRule.ML_DSA, "attributes");
        Judged.alone(waiving, signed(attributes)).isCompatible();
        Kernels without = enforced("7.0").rule(LoaderRule.ML_DSA, "no");
        Judged.alone(without, signed(plain)).isRefused("EKEYREJECTED", Layer.SIGNATURE);
    }

    /**
     * A booted 7.2 without CRYPTO_MLDSA returns ENOENT under any policy; booted kernels of 6.1 and 6.12 load the
     * module.
     */
    @Test
    void judgesACertificateThatTheKernelCannotVerify() {
        SigningKey key = SigningKey.mlDsa(44, "lattice");
        byte[] module = ModuleBuilder.typical(Machine.X86_64, "m").build();
        KernelModule inside = Judged.read(key.sign(module, SigningKey.Style.WITH_CERTIFICATE));
        for (String policy : List.of("permissive", "enforced")) {
            Kernels kernel = Kernels.version("7.2").rule(LoaderRule.SIGNATURE_POLICY, policy);
            Judged.alone(kernel.rule(LoaderRule.ML_DSA, "unverified").build(), inside, List.of())
                    .isRefused("ENOENT", Layer.SIGNATURE)
                    .silently();
        }
        Kernels having = Kernels.version("7.2").rule(LoaderRule.ML_DSA, "plain");
        Judged.alone(having.build(), inside, List.of()).isCompatible();
        Verdict unknown =
                Judged.alone(Kernels.version("7.2").build(), inside, List.of()).verdict();
        assertThat(unknown.outcome()).isEqualTo(Outcome.UNDETERMINED);
        Judged.alone(Kernels.version("6.19").build(), inside, List.of()).isCompatible();
        Judged.alone(enforced("6.19").build(), inside, List.of())
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("Loading of module with unsupported crypto is rejected");
    }

    @Test
    void refusesAMessageThatContainsItsContents() {
        judge("6.1", SignatureTrailer.pkcs7(Pkcs7.TYPICAL.withContent().toBytes()))
                .isRefused("EBADMSG", Layer.SIGNATURE)
                .saying("PKCS#7 signature with non-detached data");
    }

    /** An algorithm that the version does not know ends the parser before it reads the rest. */
    @Test
    void judgesDigestsAndCurvesByTheVersion() {
        SignatureTrailer md4 = attributes(Pkcs7.MD4, Pkcs7.RSA);
        byte[] cut =
                Pkcs7.TYPICAL.algorithms(Pkcs7.MD4, Pkcs7.RSA).withAttributes().toBytes();
        String text = new String(cut, StandardCharsets.ISO_8859_1);
        cut[text.indexOf("\1\t\4") - 10] ^= 1;
        judge("6.6", md4).isRefused("EKEYREJECTED", Layer.SIGNATURE);
        judge("6.6", SignatureTrailer.pkcs7(cut)).isRefused("EBADMSG", Layer.SIGNATURE);
        judge("6.7", md4).isCompatible();
        judge("6.7", SignatureTrailer.pkcs7(cut)).isCompatible();
        Judged.alone(enforced("6.7"), signed(md4))
                .isRefused("EKEYREJECTED", Layer.SIGNATURE)
                .saying("Loading of module with unsupported crypto is rejected");
        judge("6.6", attributes(Pkcs7.SHA3_256, Pkcs7.RSA)).isCompatible();
        judge("6.7", attributes(Pkcs7.SHA3_256, Pkcs7.RSA)).isRefused("EKEYREJECTED", Layer.SIGNATURE);
        judge("5.4", attributes(Pkcs7.SHA256, Pkcs7.ECDSA_WITH_SHA256)).isCompatible();
        judge("6.1", attributes(Pkcs7.SHA256, Pkcs7.ECDSA_WITH_SHA256)).isRefused("EKEYREJECTED", Layer.SIGNATURE);
    }

    private static SignatureTrailer attributes(String digest, String algorithm) {
        Pkcs7 message = Pkcs7.TYPICAL.algorithms(digest, algorithm).withAttributes();
        return SignatureTrailer.pkcs7(message.toBytes());
    }

    @Test
    void doesNotVerifyModuleHashes() {
        SignatureTrailer proof = SignatureTrailer.of(3, new byte[36]);
        Kernels with = Kernels.version("7.3").rule(LoaderRule.MODULE_HASHES, "yes");
        assertThat(Judged.alone(with, signed(proof)).verdict().outcome()).isEqualTo(Outcome.UNDETERMINED);
        Kernels without = enforced("7.3").rule(LoaderRule.MODULE_HASHES, "no");
        Judged.alone(without, signed(proof)).isRefused("EKEYREJECTED", Layer.SIGNATURE);
        judge("6.19", proof).isCompatible();
    }

    private static Kernels enforced(String version) {
        return Kernels.version(version).rule(LoaderRule.SIGNATURE_POLICY, "enforced");
    }

    @Test
    void requiresX509OnOldKernels() {
        assertThat(judge("3.10", X509).isCompatible().verdict().unchecked()).contains("signature");
        judge("3.10", WELL_FORMED).isRefused("ENOPKG", Layer.SIGNATURE).silently();
        // the kernel checks the length before the kind
        judge("3.10", WELL_FORMED.announcing(1 << 20)).isRefused("EBADMSG", Layer.SIGNATURE);
    }

    @Test
    void checksTheSignatureBeforeTheFileExceptFrom419To511() {
        SignatureTrailer broken = SignatureTrailer.pkcs7(new byte[] {0x30, 0});
        byte[] module = signed(broken).build();
        module[0] = 0;

        for (String version : List.of("4.18", "5.12", "6.12")) {
            Judged.alone(Kernels.version(version).build(), Judged.read(module), List.of())
                    .isRefused("EBADMSG", Layer.SIGNATURE);
        }
        for (String version : List.of("4.19", "5.4", "5.11")) {
            Judged.alone(Kernels.version(version).build(), Judged.read(module), List.of())
                    .isRefused("ENOEXEC", Layer.ELF);
        }
    }

    @Test
    void refusesABadSignatureBehindASoundFile() {
        SignatureTrailer broken = SignatureTrailer.pkcs7(new byte[] {0x30, 0});

        judge("5.4", broken).isRefused("EBADMSG", Layer.SIGNATURE);
    }

    private static ModuleBuilder signed(SignatureTrailer trailer) {
        return ModuleBuilder.typical(Machine.X86_64, "m").signed(trailer);
    }

    private static Judged judge(String version, SignatureTrailer trailer) {
        return Judged.alone(Kernels.version(version), signed(trailer));
    }
}
