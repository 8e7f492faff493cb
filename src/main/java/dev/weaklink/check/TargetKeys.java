package dev.weaklink.check;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier;
import dev.weaklink.sys.Root;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys a target trusts, looked for when they are first needed: a kernel has to be unpacked. May be used by several
 * threads.
 */
final class TargetKeys {
    private final OpenTarget target;
    private final List<EncodedCertificate> given;
    private final @Nullable Root machine;
    private TrustedKeys.@Nullable Found found;
    private @Nullable SignatureVerifier verifier;

    /**
     * Looks for nothing yet.
     *
     * @param given certificates that the user says are trusted
     * @param machine the running system whose enrolled keys count; null for none
     */
    TargetKeys(OpenTarget target, List<EncodedCertificate> given, @Nullable Root machine) {
        this.target = target;
        this.given = given;
        this.machine = machine;
    }

    OpenTarget target() {
        return target;
    }

    /** Whether the user has named any. */
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
