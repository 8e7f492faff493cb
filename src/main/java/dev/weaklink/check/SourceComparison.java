package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.VersionTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of a kernel's files that record CRCs. Rebuilding a kernel under the same release may leave headers,
 * modules or a kernel image of the earlier build behind. The kernel image decides, because the image is what boots.
 *
 * @param symvers the symvers file; null if it is missing, of another build than the image, or incomplete although the
 *     image has exports
 * @param image the image, null if it was not read
 * @param sample one of the kernel's own modules; null if the kernel has none, or if its modules are of another build
 *     than the image
 * @param modulesDiffer true if the kernel's own modules are of another build than the image or the symvers file
 * @param contradiction a sentence about two files of different builds if it is unknown which one boots, else null
 * @param notes sentences about files that are not used
 */
record SourceComparison(
        @Nullable UsableSymvers symvers,
        @Nullable UsableImage image,
        @Nullable KernelModule sample,
        boolean modulesDiffer,
        @Nullable String contradiction,
        List<String> notes) {
    private static final String OTHER_BUILD = " belongs to another build of this release than ";

    static SourceComparison of(
            @Nullable String release,
            @Nullable UsableSymvers symvers,
            @Nullable UsableImage image,
            @Nullable KernelModule sample,
            List<KernelModule> witnesses) {
        List<String> notes = new ArrayList<>();
        ExportTable ofImage = image == null || !image.image().hasCrcs() ? null : image.exports();
        ExportTable rows = symvers == null ? null : symvers.symvers().exports();
        if (symvers != null && !symvers.symvers().isWhole() && image != null && image.exports() != null) {
            notes.add(symvers.name() + " has invalid lines, so weaklink does not use it");
            symvers = null;
            rows = null;
        }
        String symbol = ofImage == null || rows == null ? null : difference(rows, ofImage);
        if (symvers != null && image != null && symbol != null) {
            notes.add(symvers.name() + OTHER_BUILD + described(image) + differing(symbol) + "; not used");
            symvers = null;
            rows = null;
        }
        ExportTable trusted = ofImage == null ? rows : ofImage;
        Foreign foreign = trusted == null ? null : Foreign.find(witnesses, trusted, release);
        if (foreign == null) {
            return new SourceComparison(symvers, image, sample, false, null, notes);
        }
        String words = foreign.module().origin() + OTHER_BUILD;
        String by = differing(foreign.symbol());
        if (image != null && ofImage != null) {
            notes.add(words + described(image) + by + "; the kernel may not load its own modules");
            return new SourceComparison(symvers, image, null, true, null, notes);
        }
        String other = symvers == null ? "" : symvers.name();
        String advice = "; install the kernel's image, modules and headers from one build";
        return new SourceComparison(symvers, image, sample, true, words + other + by + advice, notes);
    }

    private static String differing(String symbol) {
        return " (the CRC of " + symbol + " differs)";
    }

    private static String described(UsableImage image) {
        String banner = image.image().banner();
        int build = banner.indexOf(" #");
        return image.name()
                + (build < 0 ? "" : " (" + banner.substring(build + 1).strip() + ")");
    }

    /** Returns a symbol of vmlinux that has different CRCs in the two tables, null if no CRC differs. */
    private static @Nullable String difference(ExportTable symvers, ExportTable image) {
        for (int row = 0; row < image.size(); row++) {
            int other = symvers.find(image.names(), row);
            if (other >= 0
                    && symvers.isVmlinux(other)
                    && symvers.hasCrc(other)
                    && image.hasCrc(row)
                    && symvers.crc(other) != image.crc(row)) {
                return image.symbol(row);
            }
        }
        return null;
    }

    /** A module of the kernel, and a symbol for which the module expects another CRC than the kernel has. */
    private record Foreign(KernelModule module, String symbol) {
        static @Nullable Foreign find(List<KernelModule> modules, ExportTable exports, @Nullable String release) {
            for (KernelModule module : modules) {
                String built = module.release();
                String symbol =
                        release == null || built == null || built.equals(release) ? symbol(module, exports) : null;
                if (symbol != null) {
                    return new Foreign(module, symbol);
                }
            }
            return null;
        }

        private static @Nullable String symbol(KernelModule module, ExportTable exports) {
            VersionTable versions = module.versions();
            for (int i = 0; versions != null && i < versions.names().size(); i++) {
                int row = exports.find(versions.names(), i);
                if (row >= 0
                        && exports.isVmlinux(row)
                        && exports.hasCrc(row)
                        && exports.crc(row) != (int) versions.crcs()[i]) {
                    return versions.names().name(i);
                }
            }
            return null;
        }
    }
}
