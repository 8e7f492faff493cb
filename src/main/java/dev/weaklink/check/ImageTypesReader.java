package dev.weaklink.check;

import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class ImageTypesReader {
    private ImageTypesReader() {}

    /**
     * Reads the first readable kernel image of the release; returns null if there is none.
     *
     * @param release the required release, null for any
     * @param wanted true to read the exports too
     * @param reasons receives the reasons why images were skipped
     */
    static @Nullable ImageTypes first(
            List<FoundFile> images, @Nullable String release, boolean wanted, FactsCache cache, List<String> reasons) {
        for (FoundFile file : images) {
            try {
                ImageTypes image = image(file, wanted, cache);
                if (release == null || release.equals(image.release())) {
                    return image;
                }
                reasons.add(file.inside() + " belongs to kernel " + image.release() + "; not used");
            } catch (IOException e) {
                reasons.add(file.inside() + ": " + IoReason.of(e));
            }
        }
        if (images.isEmpty()) {
            reasons.add("no kernel image, so the causes of CRC changes are unknown");
        }
        return null;
    }

    private static ImageTypes image(FoundFile file, boolean wanted, FactsCache cache) throws IOException {
        FileIdentity identity = file.held() == null ? FileIdentity.of(file.host()) : null;
        ImageTypes kept = identity == null ? null : cache.types(file.host(), identity);
        if (kept != null && (kept.exports() != null || !wanted)) {
            return kept;
        }
        long now = cache.now();
        byte[] data = file.stored(ImageReader.MAX_BYTES);
        ImageTypes image = ImageReader.types(data, data.length, wanted);
        if (identity != null) {
            cache.keep(file.host(), identity, now, image);
        }
        return image;
    }

    /**
     * Returns a copy of the BTF section of the first usable kernel image; null if that image has no BTF, or if no image
     * is usable.
     *
     * @param reasons receives the reasons why no image is usable; stays empty if an image is usable but has no BTF
     */
    static byte @Nullable [] section(
            List<FoundFile> images, @Nullable String release, FactsCache cache, List<String> reasons) {
        List<String> unused = new ArrayList<>();
        ImageTypes image = first(images, release, false, cache, unused);
        if (image == null) {
            reasons.addAll(unused);
        }
        return image == null ? null : image.bytes();
    }
}
