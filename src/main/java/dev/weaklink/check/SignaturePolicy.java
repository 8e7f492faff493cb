package dev.weaklink.check;

import dev.weaklink.check.SignatureCheck.GivenCertificates;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The signature policy and the trusted keys for installed kernels.
 *
 * @param loader loader rules set by the user
 * @param certificates certificates that the user trusts
 * @param machine the running system, null if the kernels are for another machine. Its enrolled keys are trusted; its
 *     policy applies unless {@code loader} or the kernel itself sets one
 */
public record SignaturePolicy(
        Map<LoaderRule, String> loader,
        List<EncodedCertificate> certificates,
        @Nullable Root machine) {
    public static final SignaturePolicy OF_KERNELS = new SignaturePolicy(Map.of(), List.of(), null);

    public SignaturePolicy {
        loader = Map.copyOf(loader);
        certificates = List.copyOf(certificates);
    }

    /**
     * Returns the policy and keys for the kernels of a root. For the host's root, the policy and the enrolled keys of
     * the running machine apply too.
     */
    public static SignaturePolicy in(Root root) {
        return root.isHost() ? new SignaturePolicy(Map.of(), List.of(), root) : OF_KERNELS;
    }

    /**
     * Returns the result of {@link #in(Root)} with the user's rules and certificates added.
     *
     * @param files the names of certificate files
     * @param problems receives problems with the certificate files
     */
    public static SignaturePolicy in(
            Root root, Map<LoaderRule, String> loader, List<String> files, List<InputProblem> problems) {
        return new SignaturePolicy(loader, GivenCertificates.read(files, problems), in(root).machine());
    }
}
