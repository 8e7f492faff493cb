package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.kernel.image.KernelWindows.UnpackedKernel;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.CertificateScan;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A kernel image that could be unpacked; its exports may still be unknown.
 *
 * @param certificates the search for certificates in the unpacked kernel
 */
record UsableImage(FoundFile file, KernelImage image, BackgroundTask<List<EncodedCertificate>> certificates) {
    /**
     * Returns the first image whose exports can be read, else the first image that can be unpacked, else null. Reports
     * problems with the images that were tried.
     *
     * @param release the required release, null for any
     */
    static @Nullable UsableImage first(List<FoundFile> files, @Nullable String release, List<InputProblem> problems) {
        UsableImage withoutExports = null;
        for (FoundFile file : files) {
            try {
                byte[] data = file.stored(ImageReader.MAX_BYTES);
                CertificateSearch search = new CertificateSearch();
                KernelImage image = ImageReader.read(data, data.length, search);
                if (release != null && !release.equals(image.release())) {
                    problems.add(
                            new InputProblem(file.inside(), "belongs to kernel " + image.release() + "; not used"));
                } else if (image.missing() == null) {
                    return new UsableImage(file, image, search.started());
                } else {
                    String reason = "its exports cannot be read: " + image.missing();
                    problems.add(new InputProblem(file.inside(), reason));
                    withoutExports =
                            withoutExports == null ? new UsableImage(file, image, search.started()) : withoutExports;
                }
            } catch (UnreadableException e) {
                problems.add(new InputProblem(file.inside(), e.reason()));
            }
        }
        return withoutExports;
    }

    /** Starts the search as soon as the kernel is unpacked, so that the kernel is not unpacked again for its keys. */
    private static final class CertificateSearch implements Consumer<UnpackedKernel> {
        private @Nullable BackgroundTask<List<EncodedCertificate>> task;

        @Override
        public void accept(UnpackedKernel kernel) {
            task = BackgroundTask.start(() -> CertificateScan.of(kernel.data(), kernel.length(), ""));
        }

        BackgroundTask<List<EncodedCertificate>> started() {
            return Objects.requireNonNull(task);
        }
    }

    String name() {
        return file.inside();
    }

    @Nullable
    ExportTable exports() {
        return image.missing() == null ? image.exports() : null;
    }
}
