package dev.weaklink.module;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/**
 * The signature trailer behind the ELF data (include/linux/module_signature.h).
 *
 * @param kind the type in the trailer's descriptor
 * @param problem the defect of the trailer's form
 * @param length the number of bytes of signature data that the descriptor states; 0 if there is no descriptor
 * @param signer the signer named by the trailer; null if the trailer names none in a known way
 * @param certificates the certificates inside the PKCS#7 message
 * @param proof the result of the cryptographic check for the target kernel
 */
public record ModuleSignature(
        SignatureKind kind,
        SignatureProblem problem,
        long length,
        @Nullable Signer signer,
        Certificates certificates,
        Proof proof) {
    public static final ModuleSignature UNSIGNED =
            new ModuleSignature(SignatureKind.UNSIGNED, SignatureProblem.NONE, 0);

    public ModuleSignature(SignatureKind kind, SignatureProblem problem, long length) {
        this(kind, problem, length, null, Proof.NONE);
    }

    public ModuleSignature(
            SignatureKind kind, SignatureProblem problem, long length, @Nullable Signer signer, Proof proof) {
        this(kind, problem, length, signer, Certificates.NONE, proof);
    }

    public ModuleSignature with(Proof found) {
        return new ModuleSignature(kind, problem, length, signer, certificates, found);
    }

    /** The type of a signature: the descriptor's {@code id_type}, or UNSIGNED if the file has no trailer. */
    public enum SignatureKind implements StableId {
        UNSIGNED,
        PGP,
        X509,
        PKCS7,
        /** The proof that the module was built together with the kernel (CONFIG_MODULE_HASHES). */
        HASHES,
        UNKNOWN
    }

    /**
     * The certificates inside a PKCS#7 message. A kernel verifies the message with a matching certificate from the
     * message even if the kernel does not trust that certificate.
     */
    public enum Certificates {
        NONE,
        SOME,
        /** A certificate that is signed by its own ML-DSA key; kernels verify such a certificate while they read it. */
        ML_DSA
    }

    /** The defect of the trailer's form; the cryptographic result is in {@link Proof}. */
    public enum SignatureProblem implements StableId {
        NONE,
        UNKNOWN,
        /**
         * A file that ends with the marker but is too short for the descriptor, or for the signature length in the
         * descriptor.
         */
        LENGTH,
        /** A descriptor with non-zero fields that must be zero. */
        NON_ZERO_PARAMS,
        /** A message longer than the limit of the kernel's ASN.1 decoder (65,535 bytes). */
        TOO_LONG,
        UNPARSABLE,
        UNEXPECTED,
        ATTACHED,
        /** Signed attributes with another algorithm than ML-DSA, which kernels refuse in a module's signature. */
        ATTRIBUTES,
        /** Signed attributes with ML-DSA, which a kernel may accept. */
        WAIVABLE,
        UNSUPPORTED
    }

    /**
     * The result of the cryptographic check.
     *
     * @param key the certificate used, as shown to people; null if none was used
     * @param certificate the SHA-256 of that certificate if only the certificate and the file decide the result, so
     *     that the result may be cached; else null
     */
    public record Proof(
            ProofResult result,
            @Nullable String key,
            @Nullable String certificate) {
        public Proof(ProofResult result, @Nullable String key) {
            this(result, key, null);
        }

        public static final Proof NONE = new Proof(ProofResult.NOT_LOOKED_AT, null);
    }

    public enum ProofResult {
        NOT_LOOKED_AT,
        NOT_REPORTED,
        VERIFIED,
        UNKNOWN_KEY,
        /** A signature by a key that is not built into the kernel, and may be enrolled on the machine. */
        NOT_BUILT_IN,
        /** A signature that no given certificate matches, for a kernel whose keys are not all known. */
        NO_CERTIFICATE,
        /** A signature that does not match the file, because the file or the signature was changed. */
        WRONG,
        UNREADABLE
    }
}
