package dev.weaklink.check;

import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.system.cache.FactsCache.ImageEvidence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's image, unpacked on a background thread because unpacking takes most of a second. A later run that needs
 * only the cached facts does not unpack the image.
 */
final class KeptImage {
    private final List<FoundFile> files;
    private final @Nullable String release;
    private final FactsCache cache;
    private final long started;
    private final @Nullable FileIdentity identity;
    private final @Nullable ImageEvidence kept;
    private final List<InputProblem> problems = new ArrayList<>();
    private @Nullable BackgroundTask<ReadImage> task;
    private @Nullable UsableImage image;
    private boolean wasRead;

    /**
     * A search for the certificates in an image.
     *
     * @param release the release of the kernel in the image
     * @param identity the identity of the file before it was read, null if unknown
     * @param started the time before the file was read
     */
    record FoundCertificates(
            FoundFile file,
            String release,
            @Nullable FileIdentity identity,
            long started,
            BackgroundTask<List<EncodedCertificate>> search) {}

    private record ReadImage(@Nullable UsableImage image, List<InputProblem> problems) {}

    /**
     * Looks up the image in the cache.
     *
     * @param files the image that boots, then its copies
     * @param release the required release, null for any
     */
    KeptImage(List<FoundFile> files, @Nullable String release, FactsCache cache) {
        this.files = files;
        this.release = release;
        this.cache = cache;
        started = cache.now();
        FoundFile first = files.isEmpty() || files.get(0).held() != null ? null : files.get(0);
        identity = first == null ? null : FileIdentity.ofOrNull(first.host());
        ImageEvidence found = first == null || identity == null ? null : cache.evidence(first.host(), identity);
        kept = found == null || release != null && !release.equals(found.release()) ? null : found;
    }

    void startUnlessKept() {
        if (kept == null && !files.isEmpty()) {
            task = BackgroundTask.start(this::unpack);
        }
    }

    private ReadImage unpack() {
        List<InputProblem> met = new ArrayList<>();
        return new ReadImage(UsableImage.first(files, release, met), met);
    }

    /**
     * Returns true if there is no image, or if an earlier run found that the image and this symvers file belong to one
     * build.
     */
    boolean agreesWith(UsableSymvers symvers) {
        return files.isEmpty() || kept != null && kept.symvers() == symvers.checksum();
    }

    /**
     * Returns the first usable image, null if there is none. The first call unpacks the image, or waits for the
     * background thread.
     */
    @Nullable
    UsableImage read() {
        if (!wasRead && !files.isEmpty()) {
            ReadImage result = task == null ? unpack() : task.get();
            problems.addAll(result.problems());
            image = result.image();
        }
        wasRead = true;
        return image;
    }

    List<InputProblem> problems() {
        return problems;
    }

    ImageFacts.@Nullable SeenInImage facts() {
        if (image != null) {
            return new ImageFacts.SeenInImage(
                    image.image().builtIn(), image.image().traces().hasSymbolSections());
        }
        return kept == null
                ? null
                : new ImageFacts.SeenInImage(kept.builtIn(), kept.traces().hasSymbolSections());
    }

    /** Returns the search for certificates in the unpacked image; null if the image was not read or is unusable. */
    @Nullable
    FoundCertificates certificates() {
        if (image == null) {
            return null;
        }
        boolean known = image.file() == files.get(0);
        return new FoundCertificates(
                image.file(), image.image().release(), known ? identity : null, started, image.certificates());
    }

    /** Returns the facts from an earlier run, null if there are none or if {@link #read} was called. */
    @Nullable
    ImageEvidence instead() {
        return wasRead ? null : kept;
    }

    void keep(@Nullable UsableSymvers agreeing) {
        if (image == null || identity == null || image.file() != files.get(0)) {
            return;
        }
        if (identity.equals(FileIdentity.ofOrNull(image.file().host()))) {
            long symvers = agreeing == null || image.exports() == null ? 0 : agreeing.checksum();
            KernelImage read = image.image();
            ImageEvidence found =
                    new ImageEvidence(read.release(), read.vermagic(), read.builtIn(), read.traces(), symvers);
            cache.keep(image.file().host(), identity, started, found);
        }
    }
}
