package dev.weaklink.load;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import org.jspecify.annotations.Nullable;

/**
 * The signature's form (kernel/module_signature.c:mod_check_sig, kernel/module/signing.c). A
 * malformed one is refused whatever the policy; whether a well-formed one is genuine, and whether
 * an unsigned module is welcome, is not known here.
 */
final class SignatureStep {
  private SignatureStep() {}

  static void apply(Judgement j) {
    if (j.rules().is(LoaderRule.SIGNATURES, "no")) {
      return;
    }
    ModuleSignature signature = j.module().signature();
    j.uncheck("signature-policy");
    if (signature.kind() == Kind.UNSIGNED) {
      return;
    }
    if (j.rules().is(LoaderRule.SIGNATURE_KIND, "x509")) {
      x509(j, signature);
    } else if (signature.kind() == Kind.PKCS7) {
      pkcs7(j, signature);
    } else if (signature.problem() == Problem.LENGTH) {
      badMessage(j, null, "the signature is longer than the file");
    } else if (!j.rules().version().atLeast(5, 4)) {
      j.refuse(
          Layer.SIGNATURE,
          Errno.ENOPKG,
          notExpected(j),
          "signed in another way than this kernel understands");
    } else {
      j.note(Layer.SIGNATURE, null, notExpected(j), "the trailer is no PKCS#7 one: like unsigned");
    }
  }

  private static void pkcs7(Judgement j, ModuleSignature signature) {
    switch (signature.problem()) {
      case NON_ZERO_PARAMS ->
          badMessage(
              j,
              prefix(j) + "PKCS#7 signature info has unexpected non-zero params",
              "fields of the signature's descriptor that must be 0 are not");
      case LENGTH -> badMessage(j, null, "the signature is longer than the file");
      case UNPARSABLE -> badMessage(j, null, "the signature is no PKCS#7 message");
      case NONE -> j.uncheck(Layer.SIGNATURE);
    }
  }

  private static void x509(Judgement j, ModuleSignature signature) {
    if (signature.problem() == Problem.LENGTH) {
      badMessage(j, null, "the signature is longer than the file");
    } else if (signature.kind() != Kind.X509) {
      j.refuse(
          Layer.SIGNATURE,
          Errno.ENOPKG,
          null,
          "signed in another way than this kernel understands (it wants X.509)");
    } else {
      j.uncheck(Layer.SIGNATURE);
    }
  }

  private static void badMessage(Judgement j, @Nullable String dmesg, String detail) {
    j.refuse(Layer.SIGNATURE, Errno.EBADMSG, dmesg, detail);
  }

  private static String notExpected(Judgement j) {
    return prefix(j) + "not signed with expected PKCS#7 message";
  }

  private static String prefix(Judgement j) {
    return j.rules().version().atLeast(5, 4) ? "module: " : j.module().name() + ": ";
  }
}
