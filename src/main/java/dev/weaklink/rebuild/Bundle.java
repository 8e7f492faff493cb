package dev.weaklink.rebuild;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An installation image of Mellanox's that was unpacked or mounted, or is a tar archive or an ISO 9660 file.
 *
 * @param path its absolute path
 * @param form what lies there
 * @param unpacker the program that unpacks it; empty if nothing is to be unpacked, or nothing can
 * @param product {@code MLNX_OFED_LINUX} or {@code mlnx-en}
 * @param version as in its name or its {@code .mlnx}; empty if unknown
 * @param distro what it was made for, such as {@code rhel9.4}; null if it does not say
 * @param script whether it has {@code mlnx_add_kernel_support.sh}
 * @param installer its installer's file name, null if it has none
 * @param debian whether it carries Debian packages and not RPMs
 * @param size bytes it takes
 * @param packages names of its package files with modules, sorted
 */
public record Bundle(
        String path,
        Form form,
        String unpacker,
        String product,
        String version,
        @Nullable String distro,
        boolean script,
        @Nullable String installer,
        boolean debian,
        long size,
        List<String> packages) {
    public static final String SCRIPT = "mlnx_add_kernel_support.sh";

    /** Programs that read an ISO 9660 file and keep the modes of its files, the best first. */
    public static final List<String> ISO_READERS = List.of("xorriso", "bsdtar");

    /** What a path leads to. */
    public enum Form {
        /** A directory with the marker file {@code .mlnx}. */
        DIRECTORY,
        /** A tar archive of such a directory. */
        ARCHIVE,
        /** An ISO 9660 file of such a directory, and a program that reads it without mounting it. */
        ISO,
        /** Something that is no such image. */
        FOREIGN
    }

    public Bundle {
        packages = List.copyOf(packages);
    }

    /**
     * Whether it is an image of a product.
     *
     * @param wanted {@code mlnx-ofed} or {@code mlnx-en}; null for either
     */
    public boolean isOf(@Nullable String wanted) {
        String own = product.equals("mlnx-en") ? "mlnx-en" : "mlnx-ofed";
        return form != Form.FOREIGN && (wanted == null || wanted.equals(own));
    }

    /** Whether it has to be unpacked first. */
    public boolean isPacked() {
        return form == Form.ARCHIVE || form == Form.ISO;
    }

    /**
     * The package without files of its own, in the repository that comes with the image, which requires the drivers of
     * the image and nothing else.
     */
    public String metapackage() {
        return product.equals("mlnx-en") ? "mlnx-en-kernel-only" : "mlnx-ofed-kernel-only";
    }

    /** The same as it will be once it is unpacked to a directory. */
    public Bundle unpackedTo(String directory) {
        return new Bundle(
                directory, Form.DIRECTORY, "", product, version, distro, script, installer, debian, size, packages);
    }

    /**
     * The distribution to pass to Mellanox's script as the one it runs on: that which the image was made for, where
     * this is a later or earlier release of the same major version. A script does not know those that came after it.
     * The option exists for RPM only.
     *
     * @return null to let the script look by itself
     */
    public @Nullable String distroOn(Platform platform) {
        String ours = platform.bundleName();
        if (distro == null || ours == null || debian || distro.equals(ours)) {
            return null;
        }
        return Preflight.major(distro).equals(Preflight.major(ours)) ? distro : null;
    }
}
