package dev.weaklink.module;

import org.jspecify.annotations.Nullable;

/**
 * Who a signature says it is of. Bytes are kept as text of one character a byte.
 *
 * @param digest name of the digest, such as sha256; null if the kernel has no such digest
 * @param algorithm rsa, ecdsa, or mldsa44, 65 or 87 (from 7.0 on); null if no kernel knows it
 * @param issuer the DER of the name of the signing certificate's issuer, null if not said
 * @param serial the signing certificate's serial number, null if not said
 * @param keyId the signing key's identifier, null if not said
 * @param text the signer's name in words where the trailer has it so, else null
 */
public record Signer(
        @Nullable String digest,
        @Nullable String algorithm,
        @Nullable String issuer,
        @Nullable String serial,
        @Nullable String keyId,
        @Nullable String text) {

    /** Whether it is by ML-DSA, which kernels know from 7.0 on. */
    public boolean isMlDsa() {
        return algorithm != null && algorithm.startsWith("mldsa");
    }

    /** Whether both name the same key in the same way. */
    public boolean isSameKeyAs(Signer other) {
        if (keyId != null) {
            return keyId.equals(other.keyId);
        }
        return issuer != null && issuer.equals(other.issuer) && serial != null && serial.equals(other.serial);
    }

    /** The signer's, or its issuer's, name for people; one character a byte, not escaped. */
    public @Nullable String name() {
        return text != null || issuer == null ? text : DistinguishedName.text(issuer);
    }

    /** Serial number or key identifier in hexadecimal, two digits a byte with colons between. */
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
