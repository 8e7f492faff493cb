package dev.weaklink.rebuild;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An installation image of Mellanox: an unpacked or mounted directory, a tar archive or an ISO 9660 file. The facts
 * about an archive or an ISO file result only from its name and size.
 *
 * @param path the absolute path
 * @param form the kind of file at the path
 * @param unpacker the program that unpacks the archive or ISO file; empty for a directory and for {@link Form#FOREIGN}
 * @param product {@code MLNX_OFED_LINUX} or {@code mlnx-en}; empty for {@link Form#FOREIGN}
 * @param version the version in the archive's name or in the marker file; empty if unknown
 * @param distro the distribution that the image is for, such as {@code rhel9.4}; null if unknown
 * @param script true if the image has {@code mlnx_add_kernel_support.sh}; true for every archive and ISO file
 * @param installer the file name of the installer, null if there is none
 * @param debian true if the image has Debian packages and no RPMs, or if the name of an archive or ISO file shows
 *     Debian or Ubuntu
 * @param size the size in bytes
 * @param packages the names of the package files with modules, sorted; empty for an archive or ISO file
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

    /** The programs that read an ISO 9660 file and preserve file modes, the best first. */
    public static final List<String> ISO_READERS = List.of("xorriso", "bsdtar");

    public enum Form {
        /** A directory with the marker file {@code .mlnx} or {@code mlnx}. */
        DIRECTORY,
        ARCHIVE,
        /** A file named {@code *.iso} that an installed program can read without mounting it. */
        ISO,
        FOREIGN
    }

    public Bundle {
        packages = List.copyOf(packages);
    }

    /**
     * Returns whether the image is of a product; false for {@link Form#FOREIGN}.
     *
     * @param wanted {@code mlnx-ofed} or {@code mlnx-en}; null accepts both
     */
    public boolean isOf(@Nullable String wanted) {
        String own = product.equals("mlnx-en") ? "mlnx-en" : "mlnx-ofed";
        return form != Form.FOREIGN && (wanted == null || wanted.equals(own));
    }

    public boolean isPacked() {
        return form == Form.ARCHIVE || form == Form.ISO;
    }

    /** Returns the metapackage in the image's repository that installs the drivers without user space. */
    public String metapackage() {
        return product.equals("mlnx-en") ? "mlnx-en-kernel-only" : "mlnx-ofed-kernel-only";
    }

    public Bundle unpackedTo(String directory) {
        return new Bundle(
                directory, Form.DIRECTORY, "", product, version, distro, script, installer, debian, size, packages);
    }

    /**
     * Returns the distribution that the image is for, if the system has another release of the same major version. This
     * is an argument for Mellanox's script, which does not know releases that are later than itself.
     *
     * @return null to let the script detect the distribution; always null for a Debian image, whose script has no such
     *     option
     */
    public @Nullable String distroOn(Platform platform) {
        String ours = platform.bundleName();
        if (distro == null || ours == null || debian || distro.equals(ours)) {
            return null;
        }
        return Preflight.major(distro).equals(Preflight.major(ours)) ? distro : null;
    }
}
