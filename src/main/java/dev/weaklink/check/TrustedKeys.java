package dev.weaklink.check;

import dev.weaklink.check.KeptImage.FoundCertificates;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelWindows;
import dev.weaklink.kernel.image.KernelWindows.UnpackedKernel;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.CertificateScan;
import dev.weaklink.module.signature.SignatureVerifier;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.system.cache.FactsCache.ImageCertificates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a target's kernel trusts: built in, given by the user, and enrolled. The keys are collected on first
 * use, because the kernel image has to be unpacked for them. Thread-safe.
 */
final class TrustedKeys {
    private final CheckTarget target;
    private final List<EncodedCertificate> given;
    private final @Nullable Root machine;
    private final List<EncodedCertificate> certificates = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private @Nullable KeyRing ring;
    private @Nullable SignatureVerifier verifier;

    TrustedKeys(CheckTarget target, List<EncodedCertificate> given, @Nullable Root machine) {
        this.target = target;
        this.given = given;
        this.machine = machine;
    }

    CheckTarget target() {
        return target;
    }

    boolean isGiven() {
        return !given.isEmpty();
    }

    synchronized KeyRing ring() {
        if (ring == null) {
            certificates.addAll(given);
            boolean complete = addBuiltIn();
            if (machine != null && target.kernel().rules().is(LoaderRule.PLATFORM_KEYS, "yes")) {
                complete &= addEnrolled(EnrolledKeys.read(machine));
            }
            ring = new KeyRing(certificates, complete);
        }
        return ring;
    }

    /** Returns notes about keys that could not be read; empty before the first call of {@link #ring}. */
    synchronized List<String> notes() {
        return notes;
    }

    synchronized SignatureVerifier verifier() {
        if (verifier == null) {
            verifier = new SignatureVerifier(ring());
        }
        return verifier;
    }

    private boolean addBuiltIn() {
        for (FoundFile image : target.images()) {
            String reason = addBuiltIn(image);
            if (reason == null) {
                return true;
            }
            notes.add(image.inside() + ": no certificates read from it: " + reason);
        }
        return false;
    }

    /** Adds the certificates in the image; returns null, or the reason why the image is unusable. */
    private @Nullable String addBuiltIn(FoundFile image) {
        InTreeModules inTreeModules = target.inTreeModules();
        FactsCache cache = inTreeModules == null ? FactsCache.NONE : inTreeModules.cache();
        long started = cache.now();
        FoundCertificates searched = target.certificates();
        FileIdentity before = image.held() == null ? identity(image) : null;
        ImageCertificates kept = before == null ? null : cache.certificates(image.host(), before);
        try {
            ImageCertificates found = kept;
            if (found == null && searched != null && searched.file().equals(image)) {
                found = certificates(searched.release(), searched.search().get());
                before = searched.identity();
                started = searched.started();
            } else if (found == null) {
                found = unpacked(image);
            }
            if (kept == null && before != null && before.equals(identity(image))) {
                cache.keep(image.host(), before, started, found);
            }
            String release = target.kernel().release();
            if (release != null && !release.equals(found.release())) {
                return "belongs to kernel " + found.release();
            }
            for (String der : found.certificates()) {
                byte[] bytes = der.getBytes(StandardCharsets.ISO_8859_1);
                certificates.add(new EncodedCertificate(bytes, "in " + image.inside()));
            }
            return null;
        } catch (UnreadableException e) {
            return e.reason();
        }
    }

    private static ImageCertificates unpacked(FoundFile image) throws UnreadableException {
        byte[] stored = image.stored(ImageReader.MAX_BYTES);
        ImageCertificates found = inPieces(stored);
        if (found != null) {
            return found;
        }
        UnpackedKernel kernel = UnpackedKernel.of(stored, stored.length);
        return certificates(kernel.release(), CertificateScan.of(kernel.data(), kernel.length(), ""));
    }

    /**
     * Reads the certificates while the image is unpacked piece by piece. Returns null if that fails. The caller then
     * unpacks the image as a whole, which reports the error.
     */
    private static @Nullable ImageCertificates inPieces(byte[] image) {
        try (KernelWindows kernel = KernelWindows.open(image, image.length)) {
            CertificateScan scan = new CertificateScan("");
            int from = 0;
            while (kernel != null && kernel.next(from)) {
                from = scan.add(kernel.data(), kernel.length());
            }
            return kernel == null || kernel.release() == null ? null : certificates(kernel.release(), scan.found());
        } catch (IOException e) {
            return null;
        }
    }

    private static ImageCertificates certificates(String release, List<EncodedCertificate> found) {
        List<String> certificates = new ArrayList<>();
        for (EncodedCertificate one : found) {
            certificates.add(new String(one.der(), StandardCharsets.ISO_8859_1));
        }
        return new ImageCertificates(release, certificates);
    }

    private static @Nullable FileIdentity identity(FoundFile image) {
        try {
            return FileIdentity.of(image.host());
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    private boolean addEnrolled(KeyRing enrolled) {
        certificates.addAll(enrolled.certificates());
        if (!enrolled.complete()) {
            notes.add("some keys enrolled in the firmware could not be read; usually only root can read them");
        }
        return enrolled.complete();
    }
}
