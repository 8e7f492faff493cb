package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kernel image that could be unpacked; its exports may still be unknown. */
record UsableImage(FoundFile file, KernelImage image) {
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
                KernelImage image = ImageReader.read(data, data.length);
                if (release != null && !release.equals(image.release())) {
                    problems.add(
                            new InputProblem(file.inside(), "belongs to kernel " + image.release() + "; not used"));
                } else if (image.missing() == null) {
                    return new UsableImage(file, image);
                } else {
                    String reason = "its exports cannot be read: " + image.missing();
                    problems.add(new InputProblem(file.inside(), reason));
                    withoutExports = withoutExports == null ? new UsableImage(file, image) : withoutExports;
                }
            } catch (UnreadableException e) {
                problems.add(new InputProblem(file.inside(), e.reason()));
            }
        }
        return withoutExports;
    }

    String name() {
        return file.inside();
    }

    @Nullable
    ExportTable exports() {
        return image.missing() == null ? image.exports() : null;
    }
}
