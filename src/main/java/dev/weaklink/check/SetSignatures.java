package dev.weaklink.check;

import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier;
import dev.weaklink.module.signature.SignedDigest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The signature results for modules of several sets on several targets. If the file of a module is available, its
 * signature is verified cryptographically; if not, the reported signer is compared with the keys.
 */
public final class SetSignatures {
    private final @Nullable ModuleBatch files;
    private final List<EncodedCertificate> given;
    private final Map<KernelModule, Integer> places = new IdentityHashMap<>();
    private @Nullable SignedDigest @Nullable [] digests;

    SetSignatures(@Nullable ModuleBatch files, List<EncodedCertificate> given) {
        this.files = files;
        this.given = given;
        for (int i = 0; files != null && i < files.size(); i++) {
            if (files.failure(i) == null) {
                places.put(files.module(i), i);
            }
        }
    }

    private Proof verified(ModuleBatch batch, int place, SignatureVerifier verifier) {
        SignedDigest digest = digests(batch)[place];
        Proof proof = digest == null ? Proof.NONE : verifier.verify(digest);
        if (proof != Proof.NONE) {
            return proof;
        }
        @Nullable Proof[] found = new Proof[batch.size()];
        BitSet wanted = new BitSet();
        wanted.set(place);
        batch.again(wanted, (index, data, length) -> {
            SignedContents contents = SignedContents.of(data, length);
            found[index] = contents == null ? null : verifier.verify(data, contents);
        });
        Proof whole = found[place];
        return whole == null ? Proof.NONE : whole;
    }

    private synchronized @Nullable SignedDigest[] digests(ModuleBatch batch) {
        @Nullable SignedDigest[] known = digests;
        if (known == null) {
            @Nullable SignedDigest[] read = new SignedDigest[batch.size()];
            BitSet signed = new BitSet();
            places.forEach(
                    (module, place) -> signed.set(place, module.signature().signer() != null));
            batch.again(signed, (index, data, length) -> read[index] = SignedDigest.of(data, length));
            digests = read;
            known = read;
        }
        return known;
    }

    public OnTarget on(CheckTarget target) {
        return new OnTarget(target);
    }

    /** The results on one target. Not thread-safe. */
    public final class OnTarget {
        private final TrustedKeys keys;
        private final SignatureKind expected;

        /**
         * The flag that is true if the target also trusts the keys enrolled on its machines. These keys are not
         * available here.
         */
        private final boolean enrolled;

        private final Map<KernelModule, KernelModule> proven = new IdentityHashMap<>();

        private OnTarget(CheckTarget target) {
            LoaderBehavior rules = target.kernel().rules();
            keys = target.keys(given, null);
            expected = rules.is(LoaderRule.SIGNATURE_KIND, "x509") ? SignatureKind.X509 : SignatureKind.PKCS7;
            enrolled = rules.is(LoaderRule.PLATFORM_KEYS, "yes");
        }

        /**
         * Returns the target with this signature policy; if the kernel's own policy is known, that policy stays. If the
         * target may then enforce signatures, its own modules are verified too.
         *
         * @param policy a value of {@link LoaderRule#SIGNATURE_POLICY}, as reported by nodes
         */
        public CheckTarget insisting(String policy) {
            MachinePolicy ofNodes = new MachinePolicy(policy, "as reported by its nodes", null);
            CheckTarget insisting = keys.target().on(ofNodes);
            insisting.trusting(keys);
            return insisting;
        }

        public List<KernelModule> proven(List<KernelModule> modules) {
            List<KernelModule> all = new ArrayList<>(modules.size());
            for (KernelModule module : modules) {
                all.add(proven.computeIfAbsent(module, this::prove));
            }
            return all;
        }

        private KernelModule prove(KernelModule module) {
            ModuleSignature signature = module.signature();
            Integer place = places.get(module);
            if (place == null && signature.kind() == SignatureKind.UNKNOWN) {
                signature =
                        new ModuleSignature(expected, signature.problem(), 0, signature.signer(), signature.proof());
            }
            SignatureProblem problem = signature.problem();
            boolean isSound = (problem == SignatureProblem.NONE || problem == SignatureProblem.UNKNOWN)
                    && signature.kind() == expected;
            Signer signer = signature.signer();
            if (!isSound || signer == null) {
                return module.with(signature);
            }
            SignatureVerifier verifier = keys.verifier();
            Proof proof = files == null || place == null ? verifier.reported(signer) : verified(files, place, verifier);
            return module.with(signature.with(enrolled ? ifNotEnrolled(proof) : proof));
        }

        private Proof ifNotEnrolled(Proof proof) {
            boolean isUnknown = proof.result() == ProofResult.UNKNOWN_KEY;
            return isUnknown ? new Proof(ProofResult.NOT_BUILT_IN, null) : proof;
        }
    }
}
