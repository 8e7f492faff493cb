package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.Signer;

/**
 * The signature (kernel/module_signature.c:mod_check_sig, kernel/module/signing.c, before 5.19
 * kernel/module_signing.c). One that is malformed or wrong is refused whatever the policy. What
 * cryptography says of it is a fact about the module here.
 */
final class SignatureStep {
  private SignatureStep() {}

  static void apply(VerdictBuilder j) {
    ModuleSignature signature = j.module().signature();
    if (signature.problem() == Problem.UNKNOWN) {
      j.uncheck(Layer.SIGNATURE);
      if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
        return;
      }
    }
    if (j.target().is(LoaderRule.SIGNATURES, "no") || isEmpty(j)) {
      return;
    }
    if (signature.kind() == Kind.UNSIGNED) {
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNSIGNED);
    } else if (signature.problem() == Problem.LENGTH) {
      j.refuse(FindingKind.SIGNATURE_LENGTH, null);
    } else if (j.target().is(LoaderRule.SIGNATURE_KIND, "x509")) {
      x509(j, signature);
    } else if (signature.kind() == Kind.PKCS7) {
      pkcs7(j, signature);
    } else if (signature.kind() == Kind.HASHES && j.rule(LoaderRule.MODULE_HASHES, "yes")) {
      j.uncheck(Layer.SIGNATURE);
      j.unproven(
          FindingKind.SIGNATURE_TRUST_UNREADABLE,
          null,
          "it has a proof that it was built with a kernel (CONFIG_MODULE_HASHES) instead of a"
              + " signature; such proofs are not followed");
    } else if (j.target().is(LoaderRule.UNKNOWN_SIGNATURE, "refuse")) {
      j.refuse(FindingKind.SIGNATURE_FORMAT, notExpected(j));
    } else {
      j.note(
          FindingKind.SIGNATURE_FORMAT,
          null,
          notExpected(j),
          "the trailer is no PKCS#7 one: like unsigned");
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNSUPPORTED);
    }
  }

  /** An empty file is refused before it gets here (fs/kernel_read_file.c). */
  private static boolean isEmpty(VerdictBuilder j) {
    for (ElfDefect defect : j.module().knownDefects()) {
      if (defect.kind() == ElfDefect.Kind.EMPTY_FILE) {
        return true;
      }
    }
    return false;
  }

  private static void pkcs7(VerdictBuilder j, ModuleSignature signature) {
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
      case ATTACHED -> j.refuse(FindingKind.SIGNATURE_ATTACHED, null);
      case ATTRIBUTES ->
          j.refuse(FindingKind.SIGNATURE_ATTRIBUTES, "PKCS7: Invalid module sig (has authattrs)");
      case WAIVABLE -> waivable(j, signature);
      case UNSUPPORTED -> unsupported(j);
      case NONE, UNKNOWN -> proven(j, signature.proof());
      default -> j.refuse(FindingKind.SIGNATURE_MALFORMED, null);
    }
  }

  /** The parser ends at an algorithm it does not know, before anything is said of attributes. */
  private static boolean isOfUnknownAlgorithm(VerdictBuilder j, ModuleSignature signature) {
    Signer signer = signature.signer();
    boolean isUnderstood =
        switch (signature.problem()) {
          case NONE, ATTACHED, ATTRIBUTES, WAIVABLE -> true;
          default -> false;
        };
    return isUnderstood && signer != null && signer.isMlDsa() && j.rule(LoaderRule.ML_DSA, "no");
  }

  /** Signed attributes with ML-DSA, which OpenSSL made always before 4.0. */
  private static void waivable(VerdictBuilder j, ModuleSignature signature) {
    if (j.target().is(LoaderRule.ML_DSA, "attributes")) {
      proven(j, signature.proof());
    } else if (j.target().setting(LoaderRule.ML_DSA).assumed()) {
      j.uncheck(Layer.SIGNATURE);
      j.unproven(
          FindingKind.SIGNATURE_ATTRIBUTES,
          null,
          "the signature has signed attributes; whether this kernel takes them with ML-DSA is not"
              + " known (CONFIG_PKCS7_WAIVE_AUTHATTRS_REJECTION_FOR_MLDSA)");
    } else {
      j.refuse(FindingKind.SIGNATURE_ATTRIBUTES, "PKCS7: Invalid module sig (has authattrs)");
    }
  }

  /** Fatal up to 5.3; later like a signature that is not there. */
  private static void unsupported(VerdictBuilder j) {
    if (j.target().is(LoaderRule.UNKNOWN_SIGNATURE, "unsigned")) {
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNSUPPORTED);
    } else {
      j.refuse(FindingKind.SIGNATURE_ALGORITHM, null);
    }
  }

  private static void x509(VerdictBuilder j, ModuleSignature signature) {
    if (signature.kind() != Kind.X509) {
      FindingKind kind = FindingKind.SIGNATURE_FORMAT;
      j.refuse(kind, null, kind.meaning() + " (it wants X.509)");
    } else if (signature.problem() == Problem.UNSUPPORTED) {
      j.refuse(FindingKind.SIGNATURE_ALGORITHM, null);
    } else {
      proven(j, signature.proof());
    }
  }

  private static void proven(VerdictBuilder j, ModuleSignature.Proof proof) {
    if (proof.result() == Result.VERIFIED) {
      return;
    }
    if (proof.result() == Result.WRONG) {
      FindingKind kind = FindingKind.SIGNATURE_WRONG;
      j.refuse(kind, null, kind.meaning() + " with the key of " + proof.key());
    } else if (proof.result() == Result.UNKNOWN_KEY) {
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNKNOWN_KEY);
    } else {
      SignaturePolicy.unproven(j, proof.result());
    }
  }

  private static String notExpected(VerdictBuilder j) {
    return prefix(j) + "not signed with expected PKCS#7 message";
  }

  private static String prefix(VerdictBuilder j) {
    return j.target().version().atLeast(5, 4) ? "module: " : j.module().name() + ": ";
  }
}
