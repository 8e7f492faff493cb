package dev.weaklink.check;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier;
import dev.weaklink.sys.Root;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that a target trusts, read when first needed because the kernel has to be unpacked. Thread-safe. */
final class TargetKeys {
    private final OpenTarget target;
    private final List<EncodedCertificate> given;
    private final @Nullable Root machine;
    private TrustedKeys.@Nullable Found found;
    private @Nullable SignatureVerifier verifier;

    /**
     * Creates the keys without reading them.
     *
     * @param given certificates that the user trusts
     * @param machine the running system whose enrolled keys are trusted, null for none
     */
    TargetKeys(OpenTarget target, List<EncodedCertificate> given, @Nullable Root machine) {
        this.target = target;
        this.given = given;
        this.machine = machine;
    }

    OpenTarget target() {
        return target;
    }

    boolean isGiven() {
        return !given.isEmpty();
    }

    synchronized TrustedKeys.Found found() {
        if (found == null) {
            found = TrustedKeys.of(target, given, machine);
        }
        return found;
    }

    synchronized SignatureVerifier verifier() {
        if (verifier == null) {
            verifier = new SignatureVerifier(found().ring());
        }
        return verifier;
    }
}
