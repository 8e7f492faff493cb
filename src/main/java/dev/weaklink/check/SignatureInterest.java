package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Certificates;
import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.Signer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Of which modules the signature makes a difference on a target. A kernel that insists on nothing
 * refuses a signed module only if it was changed and its key is known: there only modules are
 * looked at that name the key of the kernel's own ones, or one that was given, or have one inside.
 * Unpacking a kernel for its certificates and digesting all modules costs seconds.
 *
 * @param none whether the kernel knows no signatures
 * @param all whether it matters of every module that is signed
 * @param kind what the kernel takes for a signature
 * @param own whom its own modules name, null if that is not known
 * @param release of a kernel whose own modules are not here; else null
 */
record SignatureInterest(
    boolean none, boolean all, Kind kind, @Nullable Signer own, @Nullable String release)
    implements Predicate<KernelModule> {

  /** Reads one of its own modules, if there is one. {@code isGiven}: certificates were named. */
  static SignatureInterest of(OpenTarget target, boolean isGiven) {
    LoaderRules rules = target.kernel().rules();
    NativeModules natives = target.natives();
    KernelModule sample = natives == null ? null : natives.sample();
    return new SignatureInterest(
        rules.is(LoaderRule.SIGNATURES, "no"),
        isGiven || target.insistsOnSignatures(),
        rules.is(LoaderRule.SIGNATURE_KIND, "x509") ? Kind.X509 : Kind.PKCS7,
        sample == null ? null : sample.signature().signer(),
        natives == null ? target.kernel().release() : null);
  }

  @Override
  public boolean test(KernelModule module) {
    ModuleSignature signature = module.signature();
    Signer signer = signature.signer();
    return !none
        && signature.problem() == Problem.NONE
        && signature.kind() == kind
        && signer != null
        && (all || signature.certificates() != Certificates.NONE || isOfKernel(module, signer));
  }

  /** Whether a module seems to be signed with the kernel's own key. */
  private boolean isOfKernel(KernelModule module, Signer signer) {
    if (own != null) {
      return own.isSameKeyAs(signer);
    }
    String vermagic = module.modInfo().first("vermagic");
    return release != null && vermagic != null && vermagic.startsWith(release + " ");
  }
}
