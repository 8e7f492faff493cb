package dev.weaklink.module;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/**
 * The signature trailer behind the ELF data (include/linux/module_signature.h).
 *
 * @param kind what the trailer says it is
 * @param problem what makes it malformed
 * @param length bytes of signature data, without descriptor and marker; 0 if unsigned
 * @param signer who is said to have signed; null if the trailer does not say so in a known way
 * @param certificates what the message has inside
 * @param proof what cryptography says, on the kernel that the module is held against
 */
public record ModuleSignature(
        Kind kind, Problem problem, long length, @Nullable Signer signer, Certificates certificates, Proof proof) {
    /** No marker at the end of the file. */
    public static final ModuleSignature UNSIGNED = new ModuleSignature(Kind.UNSIGNED, Problem.NONE, 0);

    /** A trailer of which nothing is known but its form. */
    public ModuleSignature(Kind kind, Problem problem, long length) {
        this(kind, problem, length, null, Proof.NONE);
    }

    /** A trailer without certificates. */
    public ModuleSignature(Kind kind, Problem problem, long length, @Nullable Signer signer, Proof proof) {
        this(kind, problem, length, signer, Certificates.NONE, proof);
    }

    /** The same, with what cryptography says. */
    public ModuleSignature with(Proof found) {
        return new ModuleSignature(kind, problem, length, signer, certificates, found);
    }

    /** The descriptor's {@code id_type}. */
    public enum Kind implements StableId {
        UNSIGNED,
        PGP,
        X509,
        PKCS7,
        /** A proof that the module is one of those built with the kernel (CONFIG_MODULE_HASHES). */
        HASHES,
        UNKNOWN
    }

    /** What a message has inside to verify it with, which kernels do whoever trusts it. */
    public enum Certificates {
        NONE,
        SOME,
        /** One of them signed itself by ML-DSA: kernels verify that as they read it. */
        ML_DSA
    }

    /** What is wrong with the trailer's form; nothing is said here about the cryptography. */
    public enum Problem implements StableId {
        NONE,
        /** Whether it is well-formed is not known. */
        UNKNOWN,
        /** The marker is there, but no room for a descriptor or for the signature it announces. */
        LENGTH,
        /** Fields that must be zero are not. */
        NON_ZERO_PARAMS,
        /** The message is longer than the kernel's ASN.1 decoder takes (64 KiB). */
        TOO_LONG,
        /** The PKCS#7 blob does not parse as DER. */
        UNPARSABLE,
        /** A version or a content that the kernel's parser does not take. */
        UNEXPECTED,
        /** The message carries what was signed inside. */
        ATTACHED,
        /** Signed attributes, which a module's signature may not have. */
        ATTRIBUTES,
        /** The same with ML-DSA, of which a kernel may take them. */
        WAIVABLE,
        /** An algorithm that the kernel does not know. */
        UNSUPPORTED
    }

    /**
     * What cryptography says.
     *
     * @param key the certificate it was found out with, for people; null if with none
     * @param certificate the digest of that certificate, if nothing but it and the file decides; else null
     */
    public record Proof(
            Result result, @Nullable String key, @Nullable String certificate) {
        /** That holds for no other run. */
        public Proof(Result result, @Nullable String key) {
            this(result, key, null);
        }

        /** Nobody has looked. */
        public static final Proof NONE = new Proof(Result.NOT_LOOKED_AT, null);
    }

    /** The answers of cryptography. */
    public enum Result {
        NOT_LOOKED_AT,
        /** Whether it is signed is not known. */
        NOT_REPORTED,
        /** Signed with a key that the kernel trusts. */
        VERIFIED,
        /** Signed with a key that the kernel does not trust. */
        UNKNOWN_KEY,
        /** Signed with a key that is not built into the kernel, and may be enrolled on the machine. */
        NOT_BUILT_IN,
        /** The kernel's keys are unknown, and no certificate given matches. */
        NO_CERTIFICATE,
        /** The key is known, and the file or the signature has been changed. */
        WRONG,
        /** The message or the key cannot be worked with here. */
        UNREADABLE
    }
}
