package dev.weaklink.module;

import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import org.jspecify.annotations.Nullable;

/**
 * The position of the signature in a module's bytes.
 *
 * @param signature the description of the signature in the trailer
 * @param length the number of signed bytes, from the start of the file
 * @param start the start of the PKCS#7 message; for an X.509 trailer, of the RSA signature
 * @param end the end of the message or RSA signature
 */
public record SignedContents(ModuleSignature signature, int length, int start, int end) {
    private static final int TRAILER = SignatureReader.DESCRIPTOR_SIZE + SignatureReader.MARKER_SIZE;

    /**
     * Locates the signature of a module.
     *
     * @param data the whole file, uncompressed; may contain more bytes than the module
     * @param length the module's length in bytes
     * @return null if the module has no well-formed signature that names its signer
     */
    public static @Nullable SignedContents of(byte[] data, int length) {
        ModuleSignature signature = SignatureReader.read(data, length).signature();
        Signer signer = signature.signer();
        boolean inOrder =
                signature.problem() == SignatureProblem.NONE || signature.problem() == SignatureProblem.WAIVABLE;
        if (!inOrder || signer == null) {
            return null;
        }
        int end = length - TRAILER;
        int start = (int) (end - signature.length());
        int names = signature.kind() == SignatureKind.X509 ? length(signer.text()) + length(signer.keyId()) : 0;
        return new SignedContents(signature, start - names, start, end);
    }

    private static int length(@Nullable String bytes) {
        return bytes == null ? 0 : bytes.length();
    }
}
