package dev.weaklink.module.signature;

import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The facts that suffice to verify most signatures of modules whose contents are no longer available.
 *
 * @param message the PKCS#7 message
 * @param digest the name of the digest, such as SHA256
 * @param value the digest of the signed contents
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SignedDigest(byte[] message, String digest, byte[] value) {
    /**
     * Digests a module with the algorithm that its signature names.
     *
     * @param data the whole module, uncompressed; may contain more bytes than the module
     * @return null if the module has no valid PKCS#7 message, or the digest is not supported
     */
    public static @Nullable SignedDigest of(byte[] data, int length) {
        SignedContents place = SignedContents.of(data, length);
        Signer signer = place == null ? null : place.signature().signer();
        String digest = signer == null ? null : signer.digest();
        if (place == null || digest == null || place.signature().kind() != SignatureKind.PKCS7) {
            return null;
        }
        try {
            String name = digest.toUpperCase(Locale.ROOT);
            byte[] value = ContentsDigest.of(name, data, place.length());
            return new SignedDigest(Arrays.copyOfRange(data, place.start(), place.end()), name, value);
        } catch (NoSuchAlgorithmException e) {
            return null;
        }
    }
}
