package dev.weaklink.load;

import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.Signer;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel does with a module it cannot trust (kernel/module/signing.c:module_sig_check,
 * security/lockdown/lockdown.c:lockdown_is_locked_down).
 */
final class SignaturePolicy {
  private SignaturePolicy() {}

  /** Why it cannot. */
  enum Reason {
    UNSIGNED("unsigned module", "the module is not signed"),
    UNSUPPORTED(
        "module with unsupported crypto", "the module is signed in a way the kernel cannot check"),
    UNKNOWN_KEY("module with unavailable key", "the module is signed with an unknown key");

    private final String kernels;
    private final String words;

    Reason(String kernels, String words) {
      this.kernels = kernels;
      this.words = words;
    }
  }

  /** The module has no signature that the kernel trusts. */
  static void untrusted(Judgement j, Reason reason) {
    if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
      return;
    }
    KernelVersion version = j.rules().version();
    String detail = reason.words + (reason == Reason.UNKNOWN_KEY ? signer(j) : "");
    boolean enforced = j.rules().is(LoaderRule.SIGNATURE_POLICY, "enforced");
    if (!version.atLeast(5, 4)) {
      j.refuse(Layer.SIGNATURE, Errno.ENOKEY, enforced ? null : oldLockdown(version), detail);
    } else if (enforced) {
      j.refuse(Layer.SIGNATURE, Errno.EKEYREJECTED, rejected(j, reason), detail);
    } else {
      j.refuse(
          Layer.SIGNATURE,
          Errno.EPERM,
          "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
          detail);
    }
  }

  /** What the kernel would find is not known. */
  static void unproven(Judgement j, Result result) {
    j.uncheck(Layer.SIGNATURE);
    if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
      return;
    }
    String signed = result == Result.NOT_TOLD ? "" : "signed" + signer(j) + ", and ";
    j.unproven(
        Layer.SIGNATURE,
        null,
        signed
            + switch (result) {
              case NOT_TOLD ->
                  "unknown whether it is signed; give its file with --modules, or collect again";
              case NOT_BUILT_IN ->
                  "the key is not built into the kernel, and which are enrolled on its nodes is not"
                      + " known; give the signer's certificate with --cert";
              case UNREADABLE -> "how the kernel trusts that could not be followed";
              case NO_CERTIFICATE ->
                  "the keys that the kernel trusts are not known; give its image with --kernel, or"
                      + " the signer's certificate with --cert";
              default -> "not verified; give the module as a file of its own";
            });
  }

  /** " by CN=…, 7a:7d:…"; empty if it is not known. */
  private static String signer(Judgement j) {
    Signer signer = j.module().signature().signer();
    if (signer == null) {
      return "";
    }
    String name = signer.name();
    String id = signer.id();
    return " by " + (name == null ? "" : name + ", ") + id;
  }

  /** The words changed with the versions; the early ones are silent. */
  private static String rejected(Judgement j, Reason reason) {
    KernelVersion version = j.rules().version();
    String rest = "oading of " + reason.kernels + " is rejected";
    if (version.atLeast(5, 12) || !version.atLeast(5, 5)) {
      return "L" + rest;
    }
    return j.infoName() + (version.atLeast(5, 11) ? ": l" : ": L") + rest;
  }

  /** Of the old kernels with lockdown, only RHEL 8's words are known. */
  private static @Nullable String oldLockdown(KernelVersion version) {
    return version.atLeast(4, 18) && !version.atLeast(4, 19)
        ? "Lockdown: Loading of untrusted modules is restricted; see man kernel_lockdown.7"
        : null;
  }
}
