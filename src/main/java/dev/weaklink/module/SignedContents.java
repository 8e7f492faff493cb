package dev.weaklink.module;

import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Where in a module's bytes the signature is, and what it is of.
 *
 * @param signature what the trailer says
 * @param length how many bytes from the start are signed
 * @param start where the PKCS#7 message starts; of an X.509 trailer, the number that the key made
 * @param end where that ends
 */
public record SignedContents(ModuleSignature signature, int length, int start, int end) {
    private static final int TRAILER = SignatureReader.DESCRIPTOR_SIZE + SignatureReader.MARKER_SIZE;

    /**
     * Finds them.
     *
     * @param data the whole file, uncompressed; may be longer than the module
     * @param length number of bytes that belong to it
     * @return null if the module has no signature, or none in order
     */
    public static @Nullable SignedContents of(byte[] data, int length) {
        ModuleSignature signature = SignatureReader.read(data, length).signature();
        Signer signer = signature.signer();
        boolean inOrder = signature.problem() == Problem.NONE || signature.problem() == Problem.WAIVABLE;
        if (!inOrder || signer == null) {
            return null;
        }
        int end = length - TRAILER;
        int start = (int) (end - signature.length());
        int names = signature.kind() == Kind.X509 ? length(signer.text()) + length(signer.keyId()) : 0;
        return new SignedContents(signature, start - names, start, end);
    }

    private static int length(@Nullable String bytes) {
        return bytes == null ? 0 : bytes.length();
    }
}
