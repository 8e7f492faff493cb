package dev.weaklink.load;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.ModuleSignature.Result;
import org.jspecify.annotations.Nullable;

/**
 * The signature (kernel/module_signature.c:mod_check_sig, kernel/module/signing.c, before 5.19
 * kernel/module_signing.c). One that is malformed or wrong is refused whatever the policy. What
 * cryptography says of it is a fact about the module here.
 */
final class SignatureStep {
  private SignatureStep() {}

  static void apply(Judgement j) {
    if (j.rules().is(LoaderRule.SIGNATURES, "no") || isEmpty(j)) {
      return;
    }
    ModuleSignature signature = j.module().signature();
    if (signature.kind() == Kind.UNSIGNED) {
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNSIGNED);
    } else if (signature.problem() == Problem.LENGTH) {
      bad(j, Errno.EBADMSG, null, "the signature is longer than the file");
    } else if (j.rules().is(LoaderRule.SIGNATURE_KIND, "x509")) {
      x509(j, signature);
    } else if (signature.kind() == Kind.PKCS7) {
      pkcs7(j, signature);
    } else if (!j.rules().version().atLeast(5, 4)) {
      bad(j, Errno.ENOPKG, notExpected(j), "signed in another way than this kernel understands");
    } else {
      j.note(Layer.SIGNATURE, null, notExpected(j), "the trailer is no PKCS#7 one: like unsigned");
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNSUPPORTED);
    }
  }

  /** An empty file is refused before it gets here (fs/kernel_read_file.c). */
  private static boolean isEmpty(Judgement j) {
    for (ElfDefect defect : j.module().defects()) {
      if (defect.kind() == ElfDefect.Kind.EMPTY_FILE) {
        return true;
      }
    }
    return false;
  }

  private static void pkcs7(Judgement j, ModuleSignature signature) {
    switch (signature.problem()) {
      case NON_ZERO_PARAMS ->
          bad(
              j,
              Errno.EBADMSG,
              prefix(j) + "PKCS#7 signature info has unexpected non-zero params",
              "fields of the signature's descriptor that must be 0 are not");
      case TOO_LONG -> bad(j, Errno.EMSGSIZE, null, "the signature is longer than 65,535 bytes");
      case UNEXPECTED -> bad(j, Errno.EINVAL, null, "the message is of a kind not expected");
      case ATTACHED -> bad(j, Errno.EINVAL, null, "what was signed is inside the signature");
      case ATTRIBUTES ->
          bad(
              j,
              Errno.EKEYREJECTED,
              "PKCS7: Invalid module sig (has authattrs)",
              "the signature has signed attributes, which a module's may not have");
      case UNSUPPORTED -> unsupported(j);
      case NONE -> proven(j, signature.proof());
      default -> bad(j, Errno.EBADMSG, null, "the signature is no PKCS#7 message");
    }
  }

  /** Fatal up to 5.3; later like a signature that is not there. */
  private static void unsupported(Judgement j) {
    if (j.rules().version().atLeast(5, 4)) {
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNSUPPORTED);
    } else {
      bad(j, Errno.ENOPKG, null, "signed with an algorithm that the kernel does not have");
    }
  }

  private static void x509(Judgement j, ModuleSignature signature) {
    if (signature.kind() != Kind.X509) {
      bad(
          j,
          Errno.ENOPKG,
          null,
          "signed in another way than this kernel understands (it wants X.509)");
    } else if (signature.problem() == Problem.UNSUPPORTED) {
      bad(j, Errno.ENOPKG, null, "signed with an algorithm that the kernel does not have");
    } else {
      proven(j, signature.proof());
    }
  }

  private static void proven(Judgement j, ModuleSignature.Proof proof) {
    if (proof.result() == Result.VERIFIED) {
      return;
    }
    if (proof.result() == Result.WRONG) {
      bad(
          j,
          Errno.EKEYREJECTED,
          null,
          "the file is not what was signed with the key of " + proof.key());
    } else if (proof.result() == Result.UNKNOWN_KEY) {
      SignaturePolicy.untrusted(j, SignaturePolicy.Reason.UNKNOWN_KEY);
    } else {
      SignaturePolicy.unproven(j, proof.result());
    }
  }

  private static void bad(Judgement j, String errno, @Nullable String dmesg, String detail) {
    j.refuse(Layer.SIGNATURE, errno, dmesg, detail);
  }

  private static String notExpected(Judgement j) {
    return prefix(j) + "not signed with expected PKCS#7 message";
  }

  private static String prefix(Judgement j) {
    return j.rules().version().atLeast(5, 4) ? "module: " : j.module().name() + ": ";
  }
}
