package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import dev.weaklink.signature.SignatureVerifier;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signatures of modules on one target, where that makes a difference. A kernel that
 * insists on nothing refuses a signed module only if it was changed and its key is known: there
 * only modules are looked at that name the key of the kernel's own ones, or one that was given.
 * Unpacking a kernel for its certificates and digesting all modules costs seconds.
 */
final class SignatureCheck {
  private final TargetKeys keys;
  private final OpenTarget target;
  private final ModuleFacts reading;
  private final @Nullable Signer own;

  private SignatureCheck(TargetKeys keys, ModuleFacts reading) {
    this.keys = keys;
    this.target = keys.target();
    this.reading = reading;
    NativeModules natives = target.natives();
    KernelModule sample = natives == null ? null : natives.sample();
    this.own = sample == null ? null : sample.signature().signer();
  }

  /** What was found out, by the index of the file, and what is to be said about how. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Proofs(@Nullable Proof[] proofs, List<String> notes) {
    /** Nothing was looked at. */
    static Proofs none(int size) {
      return new Proofs(new Proof[size], List.of());
    }

    /** The module with what was found out about it. */
    KernelModule applied(int index, KernelModule module) {
      Proof proof = proofs[index];
      return proof == null ? module : module.with(module.signature().with(proof));
    }
  }

  /** Looks at all files that have been read, on the target these keys are of. */
  static Proofs run(TargetKeys keys, ModuleFacts reading) {
    @Nullable Proof[] proofs = new Proof[reading.size()];
    if (keys.target().kernel().rules().is(LoaderRule.SIGNATURES, "no")) {
      return Proofs.none(reading.size());
    }
    SignatureCheck check = new SignatureCheck(keys, reading);
    BitSet wanted = check.wanted();
    if (wanted.isEmpty()) {
      return Proofs.none(reading.size());
    }
    TrustedKeys.Found found = keys.found();
    if (found.ring().certificates().isEmpty() && !found.ring().complete()) {
      wanted.stream().forEach(i -> proofs[i] = new Proof(Result.NO_CERTIFICATE, null));
    } else {
      verify(reading, wanted, keys.verifier(), proofs);
    }
    return new Proofs(proofs, found.notes());
  }

  private static void verify(
      ModuleFacts reading, BitSet wanted, SignatureVerifier verifier, @Nullable Proof[] proofs) {
    reading.again(
        wanted,
        (index, data, length) -> {
          SignedContents place = SignedContents.of(data, length);
          proofs[index] = place == null ? Proof.NONE : verifier.verify(data, place);
        });
  }

  private BitSet wanted() {
    LoaderRules rules = target.kernel().rules();
    Kind kind = rules.is(LoaderRule.SIGNATURE_KIND, "x509") ? Kind.X509 : Kind.PKCS7;
    boolean all = !rules.is(LoaderRule.SIGNATURE_POLICY, "permissive") || keys.isGiven();
    BitSet wanted = new BitSet();
    for (int i = 0; i < reading.size(); i++) {
      KernelModule module = reading.module(i);
      if (module != null) {
        ModuleSignature signature = module.signature();
        Signer signer = signature.signer();
        boolean sound = signature.problem() == Problem.NONE && signature.kind() == kind;
        if (sound && signer != null && (all || isOfKernel(module, signer))) {
          wanted.set(i);
        }
      }
    }
    return wanted;
  }

  /** Whether a module seems to be signed with the kernel's own key. */
  private boolean isOfKernel(KernelModule module, Signer signer) {
    if (own != null) {
      return own.isSameKeyAs(signer);
    }
    String release = target.kernel().release();
    String vermagic = module.modInfo().first("vermagic");
    return target.natives() == null
        && release != null
        && vermagic != null
        && vermagic.startsWith(release + " ");
  }
}
