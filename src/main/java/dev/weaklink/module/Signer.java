package dev.weaklink.module;

import org.jspecify.annotations.Nullable;

/**
 * The signer that a signature names. Byte strings are stored as one character for each byte.
 *
 * @param digest the name of the digest, such as sha256; null if unknown
 * @param algorithm rsa, ecdsa, mldsa44, mldsa65 or mldsa87 (the last three from 7.0 on); null if unknown
 * @param issuer the issuer's name in the signing certificate, as DER, or null
 * @param serial the signing certificate's serial number, or null
 * @param keyId the signing key's identifier, or null
 * @param text the signer's readable name in an X.509 trailer, or the name that a node (a machine) reports; else null
 */
public record Signer(
        @Nullable String digest,
        @Nullable String algorithm,
        @Nullable String issuer,
        @Nullable String serial,
        @Nullable String keyId,
        @Nullable String text) {

    public boolean isMlDsa() {
        return algorithm != null && algorithm.startsWith("mldsa");
    }

    public boolean isSameKeyAs(Signer other) {
        if (keyId != null) {
            return keyId.equals(other.keyId);
        }
        return issuer != null && issuer.equals(other.issuer) && serial != null && serial.equals(other.serial);
    }

    /**
     * Returns the readable name of the signer or of the certificate's issuer, not escaped, with one character for each
     * byte; null if the signature contains neither.
     */
    public @Nullable String name() {
        return text != null || issuer == null ? text : DistinguishedName.text(issuer);
    }

    /**
     * Returns the key identifier, else the serial number, in hexadecimal, such as {@code 7a:7d}. Returns null if the
     * signature contains neither.
     */
    public @Nullable String id() {
        String bytes = keyId != null ? keyId : serial;
        return bytes == null ? null : hex(bytes);
    }

    private static String hex(String bytes) {
        StringBuilder text = new StringBuilder(3 * bytes.length());
        for (int i = 0; i < bytes.length(); i++) {
            if (i > 0) {
                text.append(':');
            }
            text.append(Character.forDigit(bytes.charAt(i) >> 4 & 0xf, 16));
            text.append(Character.forDigit(bytes.charAt(i) & 0xf, 16));
        }
        return text.toString();
    }
}
