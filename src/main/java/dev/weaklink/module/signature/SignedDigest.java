package dev.weaklink.module.signature;

import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is needed of a module's contents to verify its signature when they are gone.
 *
 * @param message its PKCS#7 message
 * @param digest what the digest is, such as SHA256
 * @param value of what is signed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SignedDigest(byte[] message, String digest, byte[] value) {
    /**
     * Digests a module as its signature says.
     *
     * @param data the whole module, uncompressed; may be longer
     * @return null if it has no PKCS#7 message in order, or Java has no such digest
     */
    public static @Nullable SignedDigest of(byte[] data, int length) {
        SignedContents place = SignedContents.of(data, length);
        Signer signer = place == null ? null : place.signature().signer();
        String digest = signer == null ? null : signer.digest();
        if (place == null || digest == null || place.signature().kind() != Kind.PKCS7) {
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
