package dev.weaklink.module.signature;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.RSAPublicKey;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.crypto.Signer;
import org.bouncycastle.crypto.digests.NullDigest;
import org.bouncycastle.crypto.params.AsymmetricKeyParameter;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.params.MLDSAPublicKeyParameters;
import org.bouncycastle.crypto.params.RSAKeyParameters;
import org.bouncycastle.crypto.signers.DSADigestSigner;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.MLDSASigner;
import org.bouncycastle.crypto.signers.RSADigestSigner;
import org.bouncycastle.crypto.util.PublicKeyFactory;
import org.jspecify.annotations.Nullable;

/**
 * The public key of a certificate, read when it is first needed: RSA, ECDSA on NIST's curves, or ML-DSA, as kernels
 * have them (crypto/asymmetric_keys/public_key.c). All are verified by Bouncy Castle, called without a provider. May be
 * used by several threads.
 */
final class VerifyingKey {
    // What Java takes for RSA; the kernel takes less.
    private static final int SMALLEST = 512;
    private static final int LARGEST = 16_384;
    private static final int LARGEST_EXPONENT = 64;

    private final SubjectPublicKeyInfo info;
    private boolean isRead;
    private @Nullable AsymmetricKeyParameter key;

    VerifyingKey(SubjectPublicKeyInfo info) {
        this.info = info;
    }

    private synchronized @Nullable AsymmetricKeyParameter key() {
        if (!isRead) {
            isRead = true;
            try {
                key = read();
            } catch (IOException | RuntimeException e) {
                key = null; // Bouncy Castle meets some malformed keys with exceptions of its own
            }
        }
        return key;
    }

    private @Nullable AsymmetricKeyParameter read() throws IOException {
        ASN1ObjectIdentifier algorithm = info.getAlgorithm().getAlgorithm();
        if (algorithm.equals(PKCSObjectIdentifiers.rsaEncryption)) {
            RSAPublicKey rsa = RSAPublicKey.getInstance(info.parsePublicKey());
            int size = rsa.getModulus().bitLength();
            boolean usable = rsa.getPublicExponent().bitLength() <= LARGEST_EXPONENT;
            // As it is: to test whether a modulus may be one takes longer than to verify with it.
            return usable && size >= SMALLEST && size <= LARGEST
                    ? new RSAKeyParameters(false, rsa.getModulus(), rsa.getPublicExponent(), true)
                    : null;
        }
        Object curve = info.getAlgorithm().getParameters();
        boolean isKnown = algorithm.equals(X9ObjectIdentifiers.id_ecPublicKey)
                ? SECObjectIdentifiers.secp256r1.equals(curve)
                        || SECObjectIdentifiers.secp384r1.equals(curve)
                        || SECObjectIdentifiers.secp521r1.equals(curve)
                : Algorithms.isMlDsa(algorithm.getId());
        return isKnown ? PublicKeyFactory.createKey(info) : null;
    }

    /** Whether it makes signatures of the algorithm of this identifier. */
    boolean makes(String algorithm) {
        AsymmetricKeyParameter made = key();
        if (made instanceof MLDSAPublicKeyParameters) {
            return algorithm.equals(info.getAlgorithm().getAlgorithm().getId());
        }
        return made instanceof RSAKeyParameters && algorithm.equals(Algorithms.RSA)
                || made instanceof ECPublicKeyParameters && Algorithms.isEcdsa(algorithm);
    }

    /** How long a signature by an RSA key is. */
    int signatureBytes() {
        return key() instanceof RSAKeyParameters rsa ? (rsa.getModulus().bitLength() + 7) / 8 : 0;
    }

    /** Whether it signs what there is to sign itself, and not its digest. */
    boolean signsContents() {
        return key() instanceof MLDSAPublicKeyParameters;
    }

    /**
     * Whether a signature is by it.
     *
     * @param digest identifier of the digest that was signed
     * @param signed the digest, or what {@link #signsContents} signs
     * @param length how many of these bytes
     */
    boolean verifies(String digest, byte[] signed, int length, byte[] signature) {
        AsymmetricKeyParameter by = key();
        if (by == null) {
            return false;
        }
        try {
            Signer verifier;
            if (by instanceof RSAKeyParameters) {
                if (signature.length != signatureBytes()) {
                    return false;
                }
                verifier = new RSADigestSigner(new NullDigest(), new ASN1ObjectIdentifier(digest));
            } else if (by instanceof ECPublicKeyParameters) {
                verifier = new DSADigestSigner(new ECDSASigner(), new NullDigest());
            } else {
                verifier = new MLDSASigner();
            }
            verifier.init(false, by);
            verifier.update(signed, 0, length);
            return verifier.verifySignature(signature);
        } catch (RuntimeException e) {
            return false; // not even of the form the key makes
        }
    }

    /** Digests and signatures by object identifier, as kernels take them in PKCS#7 messages. */
    static final class Algorithms {
        static final String RSA = "1.2.840.113549.1.1.1";

        private static final Map<String, String> DIGESTS = Map.of(
                "1.2.840.113549.2.5", "MD5",
                "1.3.14.3.2.26", "SHA1",
                "2.16.840.1.101.3.4.2.4", "SHA224",
                "2.16.840.1.101.3.4.2.1", "SHA256",
                "2.16.840.1.101.3.4.2.2", "SHA384",
                "2.16.840.1.101.3.4.2.3", "SHA512",
                "2.16.840.1.101.3.4.2.8", "SHA3-256",
                "2.16.840.1.101.3.4.2.9", "SHA3-384",
                "2.16.840.1.101.3.4.2.10", "SHA3-512");

        private Algorithms() {}

        /** A digest's name as OpenSSL has it; null if kernels do not know it. */
        static @Nullable String digest(String identifier) {
            return DIGESTS.get(identifier);
        }

        /** The identifier of a digest by its name in any case; null if there is none. */
        static @Nullable String identifier(String digest) {
            for (Map.Entry<String, String> one : DIGESTS.entrySet()) {
                if (one.getValue().equals(digest.toUpperCase(Locale.ROOT))) {
                    return one.getKey();
                }
            }
            return null;
        }

        /** ecdsa-with-SHA1 and so on; which digest is the message's to say. */
        static boolean isEcdsa(String identifier) {
            return identifier.startsWith("1.2.840.10045.4.")
                    || identifier.equals("2.16.840.1.101.3.4.3.10")
                    || identifier.equals("2.16.840.1.101.3.4.3.11")
                    || identifier.equals("2.16.840.1.101.3.4.3.12");
        }

        /** ML-DSA-44, 65 or 87 (FIPS 204). */
        static boolean isMlDsa(String identifier) {
            return identifier.equals("2.16.840.1.101.3.4.3.17")
                    || identifier.equals("2.16.840.1.101.3.4.3.18")
                    || identifier.equals("2.16.840.1.101.3.4.3.19");
        }
    }
}
