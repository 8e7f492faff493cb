package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.signature.VerifyingKey.Algorithms;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.SignatureException;
import java.util.Random;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the results with those of Java's own providers. */
class VerifyingKeyTest {
    private static final byte[] CONTENTS = {1, 2, 3};

    @ParameterizedTest
    @CsvSource({
        "RSA, 1024, SHA512, withRSA",
        "RSA, 2048, SHA256, withRSA",
        "RSA, 3072, SHA224, withRSA",
        "EC, 256, SHA256, withECDSA",
        "EC, 384, SHA384, withECDSA",
        "EC, 384, SHA512, withECDSA",
        "EC, 521, SHA256, withECDSA"
    })
    void refusesAnyChange(String kind, int size, String digest, String algorithm) throws GeneralSecurityException {
        KeyPair pair = pair(kind, size);
        Signature java = Signature.getInstance(digest + algorithm);
        java.initSign(pair.getPrivate());
        java.update(CONTENTS);
        byte[] signature = java.sign();
        VerifyingKey key = key(pair);
        byte[] value = MessageDigest.getInstance(digest.replace("SHA", "SHA-")).digest(CONTENTS);

        String name = algorithm.equals("withRSA") ? Algorithms.RSA : "1.2.840.10045.4.3.2";
        String by = Algorithms.identifier(digest);
        assertThat(key.makes(name)).isTrue();
        assertThat(key.verifies(by, value, value.length, signature)).isTrue();
        Random random = new Random(size);
        for (int i = 0; i < 40; i++) {
            byte[] changed = signature.clone();
            changed[i < 8 ? i : random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            assertThat(key.verifies(by, value, value.length, changed)).isEqualTo(says(java, pair, changed));
        }
        value[0] ^= 1;
        assertThat(key.verifies(by, value, value.length, signature)).isFalse();
        assertThat(key.verifies(by, value, value.length, new byte[0])).isFalse();
    }

    @Test
    void rejectsAlgorithmsThatKernelsLack() throws GeneralSecurityException {
        String ecdsa = "1.2.840.10045.4.3.2";
        assertThat(key(pair("DSA", 1024)).makes(Algorithms.RSA)).isFalse();
        assertThat(key(pair("Ed25519", 255)).makes(ecdsa)).isFalse();
        VerifyingKey rsa = key(pair("RSA", 1024));
        assertThat(rsa.makes(ecdsa)).isFalse();
        assertThat(rsa.makes(Algorithms.RSA)).isTrue();
    }

    private static boolean says(Signature java, KeyPair pair, byte[] signature) throws GeneralSecurityException {
        java.initVerify(pair.getPublic());
        java.update(CONTENTS);
        try {
            return java.verify(signature);
        } catch (SignatureException e) {
            return false;
        }
    }

    private static VerifyingKey key(KeyPair pair) {
        return new VerifyingKey(
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()));
    }

    private static KeyPair pair(String kind, int size) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
        generator.initialize(size);
        return generator.generateKeyPair();
    }
}
