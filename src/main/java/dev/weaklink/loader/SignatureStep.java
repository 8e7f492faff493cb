package dev.weaklink.loader;

import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.FindingKind.Errno;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Certificates;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import dev.weaklink.module.Signer;
import org.jspecify.annotations.Nullable;

/**
 * The check of the signature (kernel/module_signature.c:mod_check_sig, kernel/module/signing.c, before 5.19
 * kernel/module_signing.c). The kernel refuses a malformed or wrong signature under any policy. The cryptographic
 * result is one of the module's facts.
 */
final class SignatureStep {
    private static final Proof NOT_TRUSTED = new Proof(ProofResult.UNKNOWN_KEY, null);

    private SignatureStep() {}

    static void apply(VerdictBuilder j) {
        ModuleSignature signature = j.module().signature();
        if (signature.problem() == SignatureProblem.UNKNOWN) {
            j.uncheck(Layer.SIGNATURE);
            if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
                return;
            }
        }
        if (j.rules().is(LoaderRule.SIGNATURES, "no") || isEmpty(j)) {
            return;
        }
        if (signature.kind() == SignatureKind.UNSIGNED) {
            SignatureRefusal.untrusted(j, SignatureRefusal.Reason.UNSIGNED);
        } else if (signature.problem() == SignatureProblem.LENGTH) {
            j.refuse(FindingKind.SIGNATURE_LENGTH, null);
        } else if (j.rules().is(LoaderRule.SIGNATURE_KIND, "x509")) {
            x509(j, signature);
        } else if (signature.kind() == SignatureKind.PKCS7) {
            pkcs7(j, signature);
        } else if (signature.kind() == SignatureKind.HASHES && j.rule(LoaderRule.MODULE_HASHES, "yes")) {
            j.uncheck(Layer.SIGNATURE);
            j.unproven(
                    FindingKind.SIGNATURE_TRUST_UNREADABLE,
                    null,
                    "instead of a signature, the module has a proof that it was built with the kernel"
                            + " (CONFIG_MODULE_HASHES); weaklink cannot check such a proof");
        } else if (j.rules().is(LoaderRule.UNKNOWN_SIGNATURE, "refuse")) {
            j.refuse(FindingKind.SIGNATURE_FORMAT, notExpected(j));
        } else {
            j.note(
                    FindingKind.SIGNATURE_FORMAT,
                    null,
                    notExpected(j),
                    "the signature is not of type PKCS#7: the kernel treats the module like an unsigned module");
            SignatureRefusal.untrusted(j, SignatureRefusal.Reason.UNSUPPORTED);
        }
    }

    /** Returns whether the file is empty, which the kernel refuses before this step (fs/kernel_read_file.c). */
    private static boolean isEmpty(VerdictBuilder j) {
        for (ElfDefect defect : j.module().knownDefects()) {
            if (defect.kind() == ElfDefect.ElfDefectKind.EMPTY_FILE) {
                return true;
            }
        }
        return false;
    }

    private static void pkcs7(VerdictBuilder j, ModuleSignature signature) {
        if (isCertificateTheEnd(j, signature)) {
            return;
        }
        if (isOfUnknownAlgorithm(j, signature)) {
            unsupported(j);
            return;
        }
        switch (signature.problem()) {
            case NON_ZERO_PARAMS ->
                j.refuse(
                        FindingKind.SIGNATURE_PARAMS,
                        prefix(j) + "PKCS#7 signature info has unexpected non-zero params");
            case TOO_LONG -> j.refuse(FindingKind.SIGNATURE_SIZE, null);
            case UNEXPECTED -> j.refuse(FindingKind.SIGNATURE_CONTENT_TYPE, null);
            case ATTACHED -> j.refuse(FindingKind.SIGNATURE_ATTACHED, "PKCS#7 signature with non-detached data");
            case ATTRIBUTES -> j.refuse(FindingKind.SIGNATURE_ATTRIBUTES, "PKCS7: Invalid module sig (has authattrs)");
            case WAIVABLE -> waivable(j, signature);
            case UNSUPPORTED -> unsupported(j);
            case NONE, UNKNOWN -> proven(j, isUnverifiable(j, signature) ? NOT_TRUSTED : signature.proof());
            default -> j.refuse(FindingKind.SIGNATURE_MALFORMED, null);
        }
    }

    /**
     * Returns whether a self-signed ML-DSA certificate inside the signature decides the result, and adds the finding.
     * The kernel verifies such a certificate while it parses the signature
     * (crypto/asymmetric_keys/x509_public_key.c:x509_check_for_self_signed). If the kernel's crypto/ lacks ML-DSA, the
     * parser returns ENOENT. The kernel then refuses the module under any policy.
     */
    private static boolean isCertificateTheEnd(VerdictBuilder j, ModuleSignature signature) {
        if (signature.certificates() != Certificates.ML_DSA || j.rule(LoaderRule.ML_DSA, "no")) {
            return false;
        }
        String inside = "the signature contains a certificate signed with ML-DSA";
        FindingKind kind = FindingKind.SIGNATURE_ALGORITHM;
        if (j.rules().is(LoaderRule.ML_DSA, "unverified")) {
            String detail = inside + ", which this kernel cannot verify";
            j.add(kind, Finding.Effect.REFUSES, Errno.ENOENT, null, null, detail);
            return true;
        }
        if (j.rules().setting(LoaderRule.ML_DSA).assumed()) {
            j.uncheck(Layer.SIGNATURE);
            j.unproven(kind, null, inside + "; not known whether this kernel supports ML-DSA");
            return true;
        }
        return false;
    }

    /**
     * Returns whether the kernel's parser stops at an algorithm that the kernel does not know (pkcs7_parser.c,
     * x509_cert_parser.c).
     */
    private static boolean isOfUnknownAlgorithm(VerdictBuilder j, ModuleSignature signature) {
        Signer signer = signature.signer();
        boolean unknownCertificate = signature.certificates() == Certificates.ML_DSA && j.rule(LoaderRule.ML_DSA, "no");
        if (unknownCertificate || signer != null && !hasDigest(j, signer.digest())) {
            return true;
        }
        boolean isUnderstood = switch (signature.problem()) {
            case NONE, ATTACHED, ATTRIBUTES, WAIVABLE -> true;
            default -> false;
        };
        return isUnderstood
                && signer != null
                && (signer.isMlDsa()
                        ? j.rule(LoaderRule.ML_DSA, "no")
                        : "ecdsa".equals(signer.algorithm())
                                && !j.rules().version().atLeast(5, 14));
    }

    /**
     * Returns whether the kernel can parse the signer's ML-DSA signature but not verify it. Such a kernel also adds no
     * ML-DSA certificates to its keyrings.
     */
    private static boolean isUnverifiable(VerdictBuilder j, ModuleSignature signature) {
        Signer signer = signature.signer();
        return signer != null && signer.isMlDsa() && j.rules().is(LoaderRule.ML_DSA, "unverified");
    }

    private static boolean hasDigest(VerdictBuilder j, @Nullable String digest) {
        KernelVersion version = j.rules().version();
        return switch (String.valueOf(digest)) {
            case "md4", "md5" -> !version.atLeast(6, 7);
            case "sha3-256", "sha3-384", "sha3-512" -> version.atLeast(6, 7);
            default -> true;
        };
    }

    /** Checks an ML-DSA signature with signed attributes, which OpenSSL before 4.0 always adds. */
    private static void waivable(VerdictBuilder j, ModuleSignature signature) {
        if (j.rules().is(LoaderRule.ML_DSA, "attributes")) {
            proven(j, signature.proof());
        } else if (j.rules().setting(LoaderRule.ML_DSA).assumed()) {
            j.uncheck(Layer.SIGNATURE);
            j.unproven(
                    FindingKind.SIGNATURE_ATTRIBUTES,
                    null,
                    "the signature has signed attributes; not known whether this kernel accepts them with ML-DSA"
                            + " (CONFIG_PKCS7_WAIVE_AUTHATTRS_REJECTION_FOR_MLDSA)");
        } else {
            j.refuse(FindingKind.SIGNATURE_ATTRIBUTES, "PKCS7: Invalid module sig (has authattrs)");
        }
    }

    /** Refuses an unsupported signature up to 5.3; treats it as a missing signature from 5.4 on. */
    private static void unsupported(VerdictBuilder j) {
        if (j.rules().is(LoaderRule.UNKNOWN_SIGNATURE, "unsigned")) {
            SignatureRefusal.untrusted(j, SignatureRefusal.Reason.UNSUPPORTED);
        } else {
            j.refuse(FindingKind.SIGNATURE_ALGORITHM, null);
        }
    }

    private static void x509(VerdictBuilder j, ModuleSignature signature) {
        if (signature.kind() != SignatureKind.X509) {
            FindingKind kind = FindingKind.SIGNATURE_FORMAT;
            j.refuse(kind, null, kind.meaning() + " (it expects X.509)");
        } else if (signature.problem() == SignatureProblem.UNSUPPORTED) {
            j.refuse(FindingKind.SIGNATURE_ALGORITHM, null);
        } else {
            proven(j, signature.proof());
        }
    }

    private static void proven(VerdictBuilder j, Proof proof) {
        if (proof.result() == ProofResult.VERIFIED) {
            return;
        }
        if (proof.result() == ProofResult.WRONG) {
            FindingKind kind = FindingKind.SIGNATURE_WRONG;
            j.refuse(kind, null, kind.meaning() + " with the key of " + proof.key());
        } else if (proof.result() == ProofResult.UNKNOWN_KEY) {
            SignatureRefusal.untrusted(j, SignatureRefusal.Reason.UNKNOWN_KEY);
        } else {
            SignatureRefusal.unproven(j, proof.result());
        }
    }

    private static String notExpected(VerdictBuilder j) {
        return prefix(j) + "not signed with expected PKCS#7 message";
    }

    private static String prefix(VerdictBuilder j) {
        return j.rules().version().atLeast(5, 4) ? "module: " : j.module().name() + ": ";
    }

    /**
     * The kernel's policy for modules that it cannot trust (kernel/module/signing.c:module_sig_check,
     * security/lockdown/lockdown.c:lockdown_is_locked_down).
     */
    private static final class SignatureRefusal {
        private SignatureRefusal() {}

        enum Reason {
            UNSIGNED("unsigned module", FindingKind.SIGNATURE_UNSIGNED),
            UNSUPPORTED("module with unsupported crypto", FindingKind.SIGNATURE_UNSUPPORTED),
            UNKNOWN_KEY("module with unavailable key", FindingKind.SIGNATURE_UNKNOWN_KEY);

            private final String kernels;
            private final FindingKind kind;

            Reason(String kernels, FindingKind kind) {
                this.kernels = kernels;
                this.kind = kind;
            }
        }

        static void untrusted(VerdictBuilder j, Reason reason) {
            if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
                return;
            }
            KernelVersion version = j.rules().version();
            String detail = reason.kind.meaning() + (reason == Reason.UNKNOWN_KEY ? signer(j) : "");
            boolean enforced = j.rules().is(LoaderRule.SIGNATURE_POLICY, "enforced");
            if (!version.atLeast(5, 4)) {
                refuse(j, reason, Errno.ENOKEY, enforced ? null : oldLockdown(version), detail);
            } else if (enforced) {
                refuse(j, reason, Errno.EKEYREJECTED, rejected(j, reason), detail);
            } else {
                String line = "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7";
                refuse(j, reason, Errno.EPERM, line, detail);
            }
        }

        private static void refuse(
                VerdictBuilder j, Reason reason, String errno, @Nullable String line, String detail) {
            j.add(reason.kind, Finding.Effect.REFUSES, errno, null, line, detail);
        }

        static void unproven(VerdictBuilder j, ProofResult result) {
            j.uncheck(Layer.SIGNATURE);
            if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
                return;
            }
            String signed = result == ProofResult.NOT_REPORTED ? "" : "signed" + signer(j) + ", and ";
            FindingKind kind = switch (result) {
                case NOT_REPORTED -> FindingKind.SIGNATURE_NOT_REPORTED;
                case NOT_BUILT_IN -> FindingKind.SIGNATURE_KEY_NOT_BUILT_IN;
                case UNREADABLE -> FindingKind.SIGNATURE_TRUST_UNREADABLE;
                case NO_CERTIFICATE -> FindingKind.SIGNATURE_KEYS_UNKNOWN;
                default -> FindingKind.SIGNATURE_NOT_VERIFIED;
            };
            boolean readable = result != ProofResult.UNREADABLE;
            j.unproven(kind, null, signed + kind.meaning() + (readable ? "; " + kind.remedy() : ""));
        }

        private static String signer(VerdictBuilder j) {
            Signer signer = j.module().signature().signer();
            if (signer == null) {
                return "";
            }
            String name = signer.name();
            String id = signer.id();
            return " by " + (name == null ? "" : name + ", ") + id;
        }

        private static String rejected(VerdictBuilder j, Reason reason) {
            KernelVersion version = j.rules().version();
            String rest = "oading of " + reason.kernels + " is rejected";
            if (version.atLeast(5, 12) || !version.atLeast(5, 5)) {
                return "L" + rest;
            }
            return j.infoName() + (version.atLeast(5, 11) ? ": l" : ": L") + rest;
        }

        /**
         * Returns the message of kernels before 5.4 with lockdown. Only the message of RHEL 8 is known; null for other
         * kernels.
         */
        private static @Nullable String oldLockdown(KernelVersion version) {
            return version.atLeast(4, 18) && !version.atLeast(4, 19)
                    ? "Lockdown: Loading of untrusted modules is restricted; see man kernel_lockdown.7"
                    : null;
        }
    }
}
