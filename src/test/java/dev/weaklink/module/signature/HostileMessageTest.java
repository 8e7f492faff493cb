package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.testing.Der;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.SigningKey.Style;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests crafted messages. Each must have a result, never an exception. */
class HostileMessageTest {
    private static final byte[] MODULE =
            ModuleBuilder.typical(Machine.X86_64, "m").build();
    private static final SigningKey KEY = SigningKey.rsa("key");
    private static final byte[] MESSAGE = KEY.message(MODULE, Style.WITH_CERTIFICATE);
    private static final SignatureVerifier VERIFIER =
            new SignatureVerifier(new KeyRing(List.of(new EncodedCertificate(KEY.certificate(), "test")), true));

    @Test
    void refusesATruncatedMessage() {
        for (int length = 0; length < MESSAGE.length; length += 7) {
            assertThat(answer(Arrays.copyOf(MESSAGE, length)))
                    .as("%d bytes", length)
                    .isNull();
        }
    }

    @Test
    void detectsAChangedByteUnlessTheKernelIgnoresIt() {
        Random random = new Random(42);
        int verified = 0;
        for (int i = 0; i < 600; i++) {
            byte[] changed = MESSAGE.clone();
            int at = random.nextInt(changed.length);
            changed[at] ^= (byte) (1 << random.nextInt(8));
            verified += answer(changed) == ProofResult.VERIFIED ? 1 : 0;
        }
        // The certificate in the message, half of its bytes, is not needed.
        assertThat(verified).isLessThan(500);
    }

    @Test
    void refusesDeeplyNestedElements() {
        byte[] nest = new byte[0];
        for (int depth = 0; depth < 5_000; depth++) {
            nest = Der.sequence(nest);
        }
        ProofResult answer = answer(withRevocations(nest));

        assertThat(answer).isEqualTo(ProofResult.UNREADABLE);
    }

    @Test
    void refusesIndefiniteLengths() {
        byte[] nest = new byte[20_000];
        for (int i = 0; i < nest.length; i += 2) {
            nest[i] = 0x30;
            nest[i + 1] = (byte) 0x80;
        }

        assertThat(answer(withRevocations(nest))).isEqualTo(ProofResult.UNREADABLE);
    }

    @Test
    void refusesHugeLengths() {
        for (String huge : List.of("84ffffffff", "847fffffff", "88ffffffffffffffff", "ff")) {
            byte[] length = Der.hex(huge);
            byte[] message = new byte[1 + length.length + MESSAGE.length];
            message[0] = 0x30;
            System.arraycopy(length, 0, message, 1, length.length);
            System.arraycopy(MESSAGE, 0, message, 1 + length.length, MESSAGE.length);

            assertThat(answer(message)).isNull();
        }
    }

    @Test
    void ignoresHostileCertificates() {
        byte[] nest = new byte[0];
        for (int depth = 0; depth < 5_000; depth++) {
            nest = Der.sequence(nest);
        }
        for (byte[] der : List.of(nest, new byte[0], new byte[70_000], Der.hex("3080"))) {
            KeyRing ring = new KeyRing(List.of(new EncodedCertificate(der, "hostile")), true);

            assertThat(new SignatureVerifier(ring).keys()).isEmpty();
        }
    }

    /** Returns the message with these bytes in the place of the lists of revoked certificates. */
    private static byte[] withRevocations(byte[] lists) {
        byte[] plain = KEY.message(MODULE, Style.PLAIN);
        // SEQUENCE { OID signedData, [0] { SEQUENCE { version, algorithms, content, signers } } }
        int signedData = 4 + 11 + 4 + 4;
        int signers = signedData + 3 + 15 + 13;
        byte[] inside = Der.sequence(
                Arrays.copyOfRange(plain, signedData, signers),
                Der.element(0xa1, lists),
                Arrays.copyOfRange(plain, signers, plain.length));
        return Der.sequence(Arrays.copyOfRange(plain, 4, 4 + 11), Der.element(0xa0, inside));
    }

    /** Returns the result for a message, or null if the module has no well-formed signature. */
    private static @Nullable ProofResult answer(byte[] message) {
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.writeBytes(MODULE);
        signed.writeBytes(SignatureTrailer.pkcs7(message).toBytes());
        byte[] file = signed.toByteArray();
        SignedContents place = SignedContents.of(file, file.length);
        return place == null ? null : VERIFIER.verify(file, place).result();
    }
}
