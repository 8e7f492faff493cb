package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.Signer;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * What targets' keys say of the modules of sets: of those whose files are here cryptography says
 * it, of the others who is reported to have signed them.
 */
public final class SetSignatures {
  private final FileProofs files;
  private final List<EncodedCertificate> given;

  SetSignatures(FileProofs files, List<EncodedCertificate> given) {
    this.files = files;
    this.given = given;
  }

  /** The same on one target, whose keys are looked for when they are first needed. */
  public OnTarget on(OpenTarget target) {
    return new OnTarget(target);
  }

  /** For one thread. */
  public final class OnTarget {
    private final TargetKeys keys;
    private final Kind expected;

    /** Whether keys are trusted that are enrolled on machines, which are not here. */
    private final boolean enrolled;

    private final Map<KernelModule, KernelModule> proven = new IdentityHashMap<>();

    private OnTarget(OpenTarget target) {
      LoaderRules rules = target.kernel().rules();
      keys = target.keys(given, null);
      expected = rules.is(LoaderRule.SIGNATURE_KIND, "x509") ? Kind.X509 : Kind.PKCS7;
      enrolled = rules.is(LoaderRule.PLATFORM_KEYS, "yes");
    }

    /**
     * The target as one that insists on signatures, also on those of its own modules.
     *
     * @param policy a value of {@link LoaderRule#SIGNATURE_POLICY}, which nodes have
     */
    public OpenTarget insisting(String policy) {
      MachinePolicy ofNodes = new MachinePolicy(policy, "as reported by its nodes", null);
      OpenTarget insisting = keys.target().on(ofNodes);
      insisting.trusting(keys);
      return insisting;
    }

    /** The modules, with what was found out about their signatures. */
    public List<KernelModule> proven(List<KernelModule> modules) {
      List<KernelModule> all = new ArrayList<>(modules.size());
      for (KernelModule module : modules) {
        all.add(proven.computeIfAbsent(module, this::prove));
      }
      return all;
    }

    private KernelModule prove(KernelModule module) {
      ModuleSignature signature = module.signature();
      boolean isReported = !files.has(module);
      if (isReported && signature.kind() == Kind.UNKNOWN) {
        signature =
            new ModuleSignature(
                expected, signature.problem(), 0, signature.signer(), signature.proof());
      }
      Problem problem = signature.problem();
      boolean isSound =
          (problem == Problem.NONE || problem == Problem.UNKNOWN) && signature.kind() == expected;
      Signer signer = signature.signer();
      if (!isSound || signer == null) {
        return module.with(signature);
      }
      SignatureVerifier verifier = keys.verifier();
      Proof proof = isReported ? verifier.reported(signer) : files.of(module, verifier);
      return module.with(signature.with(enrolled ? ifNotEnrolled(proof) : proof));
    }

    private Proof ifNotEnrolled(Proof proof) {
      boolean isUnknown = proof.result() == Result.UNKNOWN_KEY;
      return isUnknown ? new Proof(Result.NOT_BUILT_IN, null) : proof;
    }
  }
}
