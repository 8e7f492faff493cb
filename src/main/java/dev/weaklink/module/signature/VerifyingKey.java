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
 * The public key of a certificate, parsed on first use: RSA, ECDSA on the curves P-256, P-384 and P-521, or ML-DSA
 * (crypto/asymmetric_keys/public_key.c). Signatures are verified by Bouncy Castle's own classes, without a JCA
 * provider. Thread-safe.
 */
final class VerifyingKey {
    // The key sizes in bits that Java accepts for RSA; the kernel accepts fewer.
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
                key = null; // Bouncy Castle throws exceptions of its own for some malformed keys
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
            // The constructor's check is skipped: validating a modulus takes longer than verifying with it.
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

    /**
     * Returns whether a signature algorithm fits the type of the key.
     *
     * @param algorithm the object identifier of the signature algorithm
     */
    boolean makes(String algorithm) {
        AsymmetricKeyParameter made = key();
        if (made instanceof MLDSAPublicKeyParameters) {
            return algorithm.equals(info.getAlgorithm().getAlgorithm().getId());
        }
        return made instanceof RSAKeyParameters && algorithm.equals(Algorithms.RSA)
                || made instanceof ECPublicKeyParameters && Algorithms.isEcdsa(algorithm);
    }

    /** Returns the length in bytes of a signature by an RSA key; 0 for another key. */
    int signatureBytes() {
        return key() instanceof RSAKeyParameters rsa ? (rsa.getModulus().bitLength() + 7) / 8 : 0;
    }

    /** Returns whether the key signs the contents themselves instead of their digest. */
    boolean signsContents() {
        return key() instanceof MLDSAPublicKeyParameters;
    }

    /**
     * Returns whether a signature was made by this key.
     *
     * @param digest the object identifier of the digest
     * @param signed the digest; if {@link #signsContents}, the contents or the signed attributes
     * @param length the number of valid bytes in {@code signed}
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
            return false; // the signature has an invalid format
        }
    }

    /** The object identifiers of the digests and signatures that the verifier supports. */
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

        /** Returns OpenSSL's name of a digest, or null if the identifier is not that of a known digest. */
        static @Nullable String digest(String identifier) {
            return DIGESTS.get(identifier);
        }

        /** Returns the object identifier of a digest, or null; the case of the name does not matter. */
        static @Nullable String identifier(String digest) {
            for (Map.Entry<String, String> one : DIGESTS.entrySet()) {
                if (one.getValue().equals(digest.toUpperCase(Locale.ROOT))) {
                    return one.getKey();
                }
            }
            return null;
        }

        static boolean isEcdsa(String identifier) {
            return identifier.startsWith("1.2.840.10045.4.")
                    || identifier.equals("2.16.840.1.101.3.4.3.10")
                    || identifier.equals("2.16.840.1.101.3.4.3.11")
                    || identifier.equals("2.16.840.1.101.3.4.3.12");
        }

        static boolean isMlDsa(String identifier) {
            return identifier.equals("2.16.840.1.101.3.4.3.17")
                    || identifier.equals("2.16.840.1.101.3.4.3.18")
                    || identifier.equals("2.16.840.1.101.3.4.3.19");
        }
    }
}
