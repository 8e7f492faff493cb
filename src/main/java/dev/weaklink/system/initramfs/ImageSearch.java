package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.initramfs.RenewalCommand.ImageStyle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the initramfs images of a kernel below a root directory; an initramfs image with two names counts once. */
final class ImageSearch {
    private static final String[] BOOT_PARTITIONS = {"/boot", "/efi", "/boot/efi"};
    private static final String[] TOKEN_FILES = {"/etc/kernel/entry-token", "/etc/machine-id"};

    private final Root root;

    ImageSearch(Root root) {
        this.root = root;
    }

    /**
     * Returns the existing initramfs images, in a fixed order.
     *
     * @param kernel the release, which must be a safe name
     */
    List<ImageFile> imagesOf(String kernel) {
        ImageCollector found = new ImageCollector();
        found.look("/boot/initramfs-" + kernel + ".img", ImageStyle.RED_HAT, kernel);
        found.look("/boot/initrd.img-" + kernel, ImageStyle.DEBIAN, kernel);
        found.look("/boot/initrd-" + kernel, ImageStyle.SUSE, kernel);
        found.look("/boot/initrd-" + kernel + ".img", ImageStyle.SUSE, kernel);
        String base = firstLine("/lib/modules/" + kernel + "/pkgbase");
        if (base != null) {
            found.look("/boot/initramfs-" + base + ".img", ImageStyle.PACKAGE_BASE, base);
            found.look("/boot/initramfs-" + base + "-fallback.img", ImageStyle.PACKAGE_FALLBACK, base);
        }
        for (String tokenFile : TOKEN_FILES) {
            String token = firstLine(tokenFile);
            for (String partition : BOOT_PARTITIONS) {
                if (token != null) {
                    String path = partition + "/" + token + "/" + kernel + "/initrd";
                    found.look(path, ImageStyle.BOOT_ENTRY, kernel);
                }
            }
        }
        return found.images;
    }

    private @Nullable String firstLine(String inside) {
        String line = new RootText(root).read(inside, 256).strip();
        return SafeNames.isSafe(line) ? line : null;
    }

    private final class ImageCollector {
        private final List<ImageFile> images = new ArrayList<>();
        private final Set<Object> seen = new HashSet<>();

        void look(String inside, ImageStyle style, String base) {
            try {
                Path host = root.resolve(inside);
                BasicFileAttributes attributes = Files.readAttributes(host, BasicFileAttributes.class);
                Object key = attributes.fileKey() == null ? host : attributes.fileKey();
                if (attributes.isRegularFile() && seen.add(key)) {
                    images.add(new ImageFile(inside, host, style, base));
                }
            } catch (IOException e) {
                // no usable image of this name
            }
        }
    }

    /**
     * An existing initramfs image.
     *
     * @param inside the path inside the root directory
     * @param host the path to open
     * @param style the naming scheme of the image
     * @param base the name of the kernel's package for {@link ImageStyle#PACKAGE_BASE} and
     *     {@link ImageStyle#PACKAGE_FALLBACK}, else the kernel's release
     */
    record ImageFile(String inside, Path host, ImageStyle style, String base) {}

    /** Decides which names from a root directory are safe in a path and in the arguments of a tool. */
    static final class SafeNames {
        private static final int MAX_LENGTH = 128;
        private static final String PUNCTUATION = "._+~:@-";

        private SafeNames() {}

        /**
         * Returns whether the name is a single path component of plain characters that no program parses as an option.
         */
        static boolean isSafe(String name) {
            if (name.isEmpty() || name.length() > MAX_LENGTH || !isAlphanumeric(name.charAt(0))) {
                return false;
            }
            for (int i = 1; i < name.length(); i++) {
                char character = name.charAt(i);
                if (!isAlphanumeric(character) && PUNCTUATION.indexOf(character) < 0) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isAlphanumeric(char character) {
            return character < 0x80 && Character.isLetterOrDigit(character);
        }
    }
}
