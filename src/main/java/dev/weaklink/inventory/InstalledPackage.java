package dev.weaklink.inventory;

import java.util.List;

/**
 * An installed package. Texts are bytes.
 *
 * @param kind deb or rpm
 * @param version with epoch and release where there are any
 */
record InstalledPackage(String kind, String name, String version, String arch) {
  private static final List<String> PREFIXES =
      List.of(
          "kmod-",
          "akmod",
          "mlnx",
          "mlx",
          "doca-",
          "knem",
          "xpmem",
          "rdma-core",
          "libibverbs",
          "ibverbs-",
          "libmlx",
          "libmlnx",
          "librdmacm",
          "zfs",
          "nvidia",
          "lustre",
          "gpfs",
          "beegfs",
          "srp",
          "iser",
          "isert",
          "mft");
  private static final List<String> ENDINGS = List.of("-dkms", "-kmp", "-kmod");

  /** Whether its name is one of those that products which bring modules give their packages. */
  boolean isOfProduct() {
    if (name.startsWith("kmod-libs")) {
      return false;
    }
    for (String prefix : PREFIXES) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    for (String ending : ENDINGS) {
      if (name.endsWith(ending)) {
        return true;
      }
    }
    return name.equals("dkms")
        || name.contains("-kmp-")
        || name.contains("-kmod-")
        || name.contains("ofed");
  }

  /** What packages are sorted by. */
  String key() {
    return kind + " " + name + " " + version + " " + arch;
  }
}
