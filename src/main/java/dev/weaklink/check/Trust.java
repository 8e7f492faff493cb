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
 * What installed kernels are to make of signatures.
 *
 * @param loader loader rules set by hand
 * @param certificates those that the user says are trusted
 * @param machine the running system, whose policy counts unless {@code loader} or the kernel itself has one, and whose
 *     enrolled keys are trusted; null where kernels are for another one
 */
public record Trust(
        Map<LoaderRule, String> loader,
        List<EncodedCertificate> certificates,
        @Nullable Root machine) {
    /** What kernels themselves say, and their own keys. */
    public static final Trust OF_KERNELS = new Trust(Map.of(), List.of(), null);

    public Trust {
        loader = Map.copyOf(loader);
        certificates = List.copyOf(certificates);
    }

    /** What the machine says, if this is its tree: another tree may be for another machine. */
    public static Trust in(Root root) {
        return root.isHost() ? new Trust(Map.of(), List.of(), root) : OF_KERNELS;
    }

    /**
     * As {@link #in(Root)}, with what the user says.
     *
     * @param files names of certificate files
     * @param problems takes what is wrong with these
     */
    public static Trust in(Root root, Map<LoaderRule, String> loader, List<String> files, List<InputProblem> problems) {
        return new Trust(loader, GivenCertificates.read(files, problems), in(root).machine());
    }
}
