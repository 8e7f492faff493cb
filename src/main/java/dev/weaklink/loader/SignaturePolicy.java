package dev.weaklink.loader;

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

  /** The module has no signature that the kernel trusts. */
  static void untrusted(VerdictBuilder j, Reason reason) {
    if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
      return;
    }
    KernelVersion version = j.target().version();
    String detail = reason.kind.meaning() + (reason == Reason.UNKNOWN_KEY ? signer(j) : "");
    boolean enforced = j.target().is(LoaderRule.SIGNATURE_POLICY, "enforced");
    if (!version.atLeast(5, 4)) {
      refuse(j, reason, Errno.ENOKEY, enforced ? null : oldLockdown(version), detail);
    } else if (enforced) {
      refuse(j, reason, Errno.EKEYREJECTED, rejected(j, reason), detail);
    } else {
      String line =
          "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7";
      refuse(j, reason, Errno.EPERM, line, detail);
    }
  }

  private static void refuse(
      VerdictBuilder j, Reason reason, String errno, @Nullable String line, String detail) {
    j.add(reason.kind, Finding.Effect.REFUSES, errno, null, line, detail);
  }

  /** What the kernel would find is not known. */
  static void unproven(VerdictBuilder j, Result result) {
    j.uncheck(Layer.SIGNATURE);
    if (j.rule(LoaderRule.SIGNATURE_POLICY, "permissive")) {
      return;
    }
    String signed = result == Result.NOT_REPORTED ? "" : "signed" + signer(j) + ", and ";
    FindingKind kind =
        switch (result) {
          case NOT_REPORTED -> FindingKind.SIGNATURE_NOT_REPORTED;
          case NOT_BUILT_IN -> FindingKind.SIGNATURE_KEY_NOT_BUILT_IN;
          case UNREADABLE -> FindingKind.SIGNATURE_TRUST_UNREADABLE;
          case NO_CERTIFICATE -> FindingKind.SIGNATURE_KEYS_UNKNOWN;
          default -> FindingKind.SIGNATURE_NOT_VERIFIED;
        };
    boolean readable = result != Result.UNREADABLE;
    j.unproven(kind, null, signed + kind.meaning() + (readable ? "; " + kind.remedy() : ""));
  }

  /** " by CN=…, 7a:7d:…"; empty if it is not known. */
  private static String signer(VerdictBuilder j) {
    Signer signer = j.module().signature().signer();
    if (signer == null) {
      return "";
    }
    String name = signer.name();
    String id = signer.id();
    return " by " + (name == null ? "" : name + ", ") + id;
  }

  /** The words changed with the versions; the early ones are silent. */
  private static String rejected(VerdictBuilder j, Reason reason) {
    KernelVersion version = j.target().version();
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
