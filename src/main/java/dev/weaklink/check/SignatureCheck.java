package dev.weaklink.check;

import dev.weaklink.format.codec.RawFile;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Certificates;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import dev.weaklink.module.Signer;
import dev.weaklink.module.signature.CertificateFile;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signatures of modules on one target, if the result can change a verdict: see {@link SignatureInterest}.
 */
final class SignatureCheck {
    private final ModuleFacts reading;
    private final SignatureInterest interest;

    private SignatureCheck(TrustedKeys keys, ModuleFacts reading) {
        this.reading = reading;
        this.interest = SignatureInterest.of(keys.target(), keys.isGiven());
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Proofs(@Nullable Proof[] proofs, List<String> notes) {
        static Proofs none(int size) {
            return new Proofs(new Proof[size], List.of());
        }

        KernelModule applied(int index, KernelModule module) {
            Proof proof = proofs[index];
            return proof == null ? module : module.with(module.signature().with(proof));
        }
    }

    static Proofs run(TrustedKeys keys, ModuleFacts reading) {
        @Nullable Proof[] proofs = new Proof[reading.size()];
        SignatureCheck check = new SignatureCheck(keys, reading);
        BitSet wanted = check.wanted();
        if (wanted.isEmpty()) {
            return Proofs.none(reading.size());
        }
        KeyRing ring = keys.ring();
        if (ring.certificates().isEmpty() && !ring.complete()) {
            wanted.stream().forEach(i -> proofs[i] = new Proof(ProofResult.NO_CERTIFICATE, null));
        } else {
            reading.verify(wanted, keys.verifier(), proofs);
        }
        return new Proofs(proofs, keys.notes());
    }

    private BitSet wanted() {
        BitSet wanted = new BitSet();
        for (int i = 0; i < reading.size(); i++) {
            KernelModule module = reading.module(i);
            wanted.set(i, module != null && interest.test(module));
        }
        return wanted;
    }

    /**
     * The filter for modules whose signature matters on a target. A kernel that does not enforce signatures refuses a
     * signed module only if the kernel knows the key and the file was changed. To save seconds, weaklink then verifies
     * only modules whose key the kernel may know.
     *
     * @param none true if the kernel does not support signatures, so that no signature matters
     * @param all true if the signature of every signed module matters
     * @param kind the kind of signature that the kernel parses
     * @param own the signer of the kernel's own modules, null if unknown
     * @param release the kernel's release, which shows that a module was built for the kernel; null if unknown, or if
     *     one of the kernel's own modules was read
     */
    record SignatureInterest(
            boolean none,
            boolean all,
            SignatureKind kind,
            @Nullable Signer own,
            @Nullable String release) implements Predicate<KernelModule> {

        static SignatureInterest of(CheckTarget target, boolean isGiven) {
            LoaderBehavior rules = target.kernel().rules();
            InTreeModules inTreeModules = target.inTreeModules();
            KernelModule sample = inTreeModules == null ? null : inTreeModules.sample();
            return new SignatureInterest(
                    rules.is(LoaderRule.SIGNATURES, "no"),
                    isGiven || target.insistsOnSignatures(),
                    rules.is(LoaderRule.SIGNATURE_KIND, "x509") ? SignatureKind.X509 : SignatureKind.PKCS7,
                    sample == null ? null : sample.signature().signer(),
                    sample == null ? target.kernel().release() : null);
        }

        @Override
        public boolean test(KernelModule module) {
            ModuleSignature signature = module.signature();
            Signer signer = signature.signer();
            return !none
                    && signature.problem() == SignatureProblem.NONE
                    && signature.kind() == kind
                    && signer != null
                    && (all || signature.certificates() != Certificates.NONE || isOfKernel(module, signer));
        }

        private boolean isOfKernel(KernelModule module, Signer signer) {
            if (own != null) {
                return own.isSameKeyAs(signer);
            }
            String vermagic = module.modInfo().first("vermagic");
            return release != null && vermagic != null && vermagic.startsWith(release + " ");
        }
    }

    static final class GivenCertificates {
        private static final int LONGEST = 1 << 20;
        private static final String WHAT_TO_GIVE = "; give a certificate as PEM or DER";

        private GivenCertificates() {}

        static List<EncodedCertificate> read(List<String> files, List<InputProblem> problems) {
            List<EncodedCertificate> all = new ArrayList<>();
            for (String file : files) {
                try {
                    byte[] contents = RawFile.read(Path.of(file), LONGEST);
                    List<EncodedCertificate> found = CertificateFile.read(contents, file);
                    if (found.isEmpty()) {
                        problems.add(new InputProblem(file, "contains no certificate" + WHAT_TO_GIVE));
                    }
                    all.addAll(found);
                } catch (UnreadableException e) {
                    problems.add(new InputProblem(file, e.reason() + WHAT_TO_GIVE));
                } catch (InvalidPathException e) {
                    problems.add(new InputProblem(file, "no such file" + WHAT_TO_GIVE));
                }
            }
            return all;
        }
    }
}
