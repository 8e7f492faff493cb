package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signatures of modules on one target, where that makes a difference: see {@link
 * SignatureInterest}.
 */
final class SignatureCheck {
  private final ModuleFacts reading;
  private final SignatureInterest interest;

  private SignatureCheck(TargetKeys keys, ModuleFacts reading) {
    this.reading = reading;
    this.interest = SignatureInterest.of(keys.target(), keys.isGiven());
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
    SignatureCheck check = new SignatureCheck(keys, reading);
    BitSet wanted = check.wanted();
    if (wanted.isEmpty()) {
      return Proofs.none(reading.size());
    }
    TrustedKeys.Found found = keys.found();
    if (found.ring().certificates().isEmpty() && !found.ring().complete()) {
      wanted.stream().forEach(i -> proofs[i] = new Proof(Result.NO_CERTIFICATE, null));
    } else {
      reading.verify(wanted, keys.verifier(), proofs);
    }
    return new Proofs(proofs, found.notes());
  }

  private BitSet wanted() {
    BitSet wanted = new BitSet();
    for (int i = 0; i < reading.size(); i++) {
      KernelModule module = reading.module(i);
      wanted.set(i, module != null && interest.test(module));
    }
    return wanted;
  }
}
