package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Pkcs7;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.SigningKey.Style;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignatureVerifierTest {
    private static final byte[] MODULE =
            ModuleBuilder.typical(Machine.X86_64, "m").build();
    private static final SigningKey OURS = SigningKey.rsa("ours");
    private static final SigningKey OTHER = SigningKey.rsa("other");
    private static final SigningKey CURVE = SigningKey.ec("curve");

    @Test
    void verifiesWithATrustedKey() {
        Proof proof = verify(OURS.sign(MODULE), ring(OTHER, OURS));

        assertThat(proof.result()).isEqualTo(ProofResult.VERIFIED);
        assertThat(proof.key()).isEqualTo("CN=ours (test)");
    }

    @Test
    void verifiesWithAKeyOnACurve() {
        assertThat(verify(CURVE.sign(MODULE), ring(CURVE)).result()).isEqualTo(ProofResult.VERIFIED);
        assertThat(verify(changed(CURVE.sign(MODULE), 100), ring(CURVE)).result())
                .isEqualTo(ProofResult.WRONG);
    }

    /** Tests ML-DSA keys, which sign the contents, or attributes with the digest of the contents. */
    @ParameterizedTest
    @ValueSource(ints = {44, 65, 87})
    void verifiesWithAMlDsaKey(int size) {
        SigningKey key = SigningKey.mlDsa(size, "lattice");
        for (Style style : List.of(Style.PLAIN, Style.BY_KEY_ID, Style.WITH_ATTRIBUTES)) {
            byte[] signed = key.sign(MODULE, style);
            assertThat(verify(signed, ring(OURS, key)).result()).isEqualTo(ProofResult.VERIFIED);
            assertThat(verify(changed(signed, 100), ring(key)).result()).isEqualTo(ProofResult.WRONG);
            assertThat(verify(changed(signed, signed.length - 60), ring(key)).result())
                    .isEqualTo(ProofResult.WRONG);
            assertThat(verify(signed, ring(OURS)).result()).isEqualTo(ProofResult.UNKNOWN_KEY);
        }
        SigningKey other = SigningKey.mlDsa(size == 44 ? 65 : 44, "lattice");
        assertThat(verify(key.sign(MODULE), ring(other)).result()).isEqualTo(ProofResult.UNREADABLE);
    }

    @ParameterizedTest
    @EnumSource(
            value = Style.class,
            names = {"PLAIN", "BY_KEY_ID", "WITH_CERTIFICATE"})
    void verifiesWithEveryNameOfASigner(Style style) {
        byte[] signed = OURS.sign(MODULE, style);

        assertThat(verify(signed, ring(OURS)).result()).isEqualTo(ProofResult.VERIFIED);
        assertThat(verify(changed(signed, 100), ring(OURS)).result()).isEqualTo(ProofResult.WRONG);
    }

    @Test
    void refusesAChangedFileIfTheKeyIsKnown() {
        byte[] signed = changed(OURS.sign(MODULE), 100);

        assertThat(verify(signed, ring(OURS)).result()).isEqualTo(ProofResult.WRONG);
        assertThat(verify(signed, ring(OTHER)).result()).isEqualTo(ProofResult.UNKNOWN_KEY);
    }

    @Test
    void refusesAChangedNumber() {
        byte[] signed = OURS.sign(MODULE);

        assertThat(verify(changed(signed, signed.length - 48), ring(OURS)).result())
                .isEqualTo(ProofResult.WRONG);
    }

    @Test
    void refusesTheSignatureOfAnotherModule() {
        byte[] other = ModuleBuilder.typical(Machine.X86_64, "n").build();
        SignatureTrailer trailer = SignatureTrailer.pkcs7(OURS.message(other, Style.PLAIN));

        assertThat(verify(join(MODULE, trailer), ring(OURS)).result()).isEqualTo(ProofResult.WRONG);
    }

    @Test
    void treatsAKeyOutsideACompleteRingAsUnknown() {
        assertThat(verify(OURS.sign(MODULE), ring(OTHER)).result()).isEqualTo(ProofResult.UNKNOWN_KEY);
        assertThat(verify(OURS.sign(MODULE), new KeyRing(List.of(), true)).result())
                .isEqualTo(ProofResult.UNKNOWN_KEY);
    }

    @Test
    void isUndeterminedAboutAKeyOutsideAnIncompleteRing() {
        KeyRing some = new KeyRing(ring(OTHER).certificates(), false);

        assertThat(verify(OURS.sign(MODULE), some).result()).isEqualTo(ProofResult.NO_CERTIFICATE);
        assertThat(verify(OURS.sign(MODULE), KeyRing.UNKNOWN).result()).isEqualTo(ProofResult.NO_CERTIFICATE);
    }

    /** Tests pkcs7_verify_one, which searches the message's own certificates for the signer first. */
    @Test
    void refusesAWrongMessageWithItsOwnUntrustedCertificate() {
        byte[] signed = OURS.sign(MODULE, Style.WITH_CERTIFICATE);

        assertThat(verify(changed(signed, 100), ring(OTHER)).result()).isEqualTo(ProofResult.WRONG);
        assertThat(verify(signed, ring(OTHER)).result()).isEqualTo(ProofResult.UNKNOWN_KEY);
    }

    @Test
    void verifiesTheTrailerOfOldKernels() {
        byte[] signed = OURS.signWithX509(MODULE, "ours");

        assertThat(verify(signed, ring(OURS)).result()).isEqualTo(ProofResult.VERIFIED);
        assertThat(verify(changed(signed, 100), ring(OURS)).result()).isEqualTo(ProofResult.WRONG);
        assertThat(verify(signed, ring(OTHER)).result()).isEqualTo(ProofResult.UNKNOWN_KEY);
        assertThat(verify(changed(signed, signed.length - 60), ring(OURS)).result())
                .isEqualTo(ProofResult.WRONG);
    }

    @Test
    void refusesAnRsaTrailerWithAKeyOnACurve() {
        byte[] trailer = SignatureTrailer.x509(new byte[1], CURVE.keyId(), new byte[] {0, 1, 9})
                .toBytes();
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.writeBytes(MODULE);
        signed.writeBytes(trailer);

        assertThat(verify(signed.toByteArray(), ring(CURVE)).result()).isEqualTo(ProofResult.UNREADABLE);
    }

    @Test
    void skipsInvalidCertificates() {
        EncodedCertificate none = new EncodedCertificate(new byte[] {0x30, 3, 2, 1, 5}, "test");
        EncodedCertificate cut = new EncodedCertificate(Arrays.copyOf(OURS.certificate(), 200), "test");

        SignatureVerifier verifier = new SignatureVerifier(
                new KeyRing(List.of(none, cut, ring(OURS).certificates().get(0)), true));

        assertThat(verifier.keys()).containsExactly("CN=ours (test)");
    }

    /** Uses a message that the loader's parser accepts, but without a valid signature. */
    @Test
    void treatsAMessageOfAnUnknownSignerAsUnknown() {
        byte[] signed = join(MODULE, SignatureTrailer.pkcs7(Pkcs7.TYPICAL.toBytes()));

        assertThat(verify(signed, ring(OURS)).result()).isEqualTo(ProofResult.UNKNOWN_KEY);
    }

    private static KeyRing ring(SigningKey... keys) {
        List<EncodedCertificate> certificates = Arrays.stream(keys)
                .map(key -> new EncodedCertificate(key.certificate(), "test"))
                .toList();
        return new KeyRing(certificates, true);
    }

    private static Proof verify(byte[] signed, KeyRing ring) {
        SignedContents place = SignedContents.of(signed, signed.length);
        assertThat(place).isNotNull();
        SignatureVerifier verifier = new SignatureVerifier(ring);
        Proof whole = verifier.verify(signed, place);
        SignedDigest digest = SignedDigest.of(signed, signed.length);
        if (digest != null) {
            assertThat(verifier.verify(digest)).isIn(whole, Proof.NONE);
        }
        return whole;
    }

    @Test
    void verifiesPlainSignaturesByTheDigestAlone() {
        for (SigningKey key : List.of(OURS, CURVE)) {
            byte[] signed = key.sign(MODULE);
            SignatureVerifier verifier = new SignatureVerifier(ring(key));

            assertThat(verifier.verify(SignedDigest.of(signed, signed.length)).result())
                    .isEqualTo(ProofResult.VERIFIED);
            byte[] changed = changed(signed, 100);
            assertThat(verifier.verify(SignedDigest.of(changed, changed.length)).result())
                    .isEqualTo(ProofResult.WRONG);
        }
    }

    @Test
    void keptResultsDependOnTheCertificate() {
        byte[] signed = OURS.sign(MODULE);
        Signer signer = SignedContents.of(signed, signed.length).signature().signer();
        Proof proof = new SignatureVerifier(ring(OURS)).verify(SignedDigest.of(signed, signed.length));
        Proof kept = new Proof(proof.result(), null, proof.certificate());
        SigningKey namesake = SigningKey.rsa("ours");

        assertThat(new SignatureVerifier(ring(OTHER, OURS)).still(kept, signer)).isEqualTo(proof);
        assertThat(new SignatureVerifier(ring(namesake)).still(kept, signer)).isNull();
        assertThat(new SignatureVerifier(ring(OTHER)).still(kept, signer)).isNull();
        assertThat(verify(signed, ring(namesake)).result()).isEqualTo(ProofResult.WRONG);
    }

    private static byte[] changed(byte[] signed, int at) {
        byte[] changed = signed.clone();
        changed[at] ^= 1;
        return changed;
    }

    private static byte[] join(byte[] module, SignatureTrailer trailer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(module);
        out.writeBytes(trailer.toBytes());
        return out.toByteArray();
    }
}
