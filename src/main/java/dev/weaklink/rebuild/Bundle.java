package dev.weaklink.rebuild;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An installation image of Mellanox's that was unpacked or mounted, or is a tar archive.
 *
 * @param path its absolute path
 * @param form what lies there
 * @param product {@code MLNX_OFED_LINUX} or {@code mlnx-en}
 * @param version as in its name or its {@code .mlnx}; empty if unknown
 * @param distro what it was made for, such as {@code rhel9.4}; null if it does not say
 * @param script whether it has {@code mlnx_add_kernel_support.sh}
 * @param installer its installer's file name, null if it has none
 * @param debian whether it carries Debian packages and not RPMs
 * @param size bytes it takes
 * @param packages names of its package files with modules, sorted
 * @param supported kernels it says it has modules for
 */
public record Bundle(
    String path,
    Form form,
    String product,
    String version,
    @Nullable String distro,
    boolean script,
    @Nullable String installer,
    boolean debian,
    long size,
    List<String> packages,
    List<String> supported) {
  public static final String SCRIPT = "mlnx_add_kernel_support.sh";

  /** What a path leads to. */
  public enum Form {
    /** A directory with the marker file {@code .mlnx}. */
    DIRECTORY,
    /** A tar archive of such a directory. */
    ARCHIVE,
    /** Something that is no such image. */
    FOREIGN
  }

  public Bundle {
    packages = List.copyOf(packages);
    supported = List.copyOf(supported);
  }

  /** The same as it will be once it is unpacked to a directory. */
  public Bundle unpackedTo(String directory) {
    return new Bundle(
        directory,
        Form.DIRECTORY,
        product,
        version,
        distro,
        script,
        installer,
        debian,
        size,
        packages,
        supported);
  }
}
