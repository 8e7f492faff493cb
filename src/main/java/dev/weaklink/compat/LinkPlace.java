package dev.weaklink.compat;

import dev.weaklink.system.WeakUpdates;

/** Where weak-modules puts the link to a module, however the module's path is spelt. */
final class LinkPlace {
  private LinkPlace() {}

  /**
   * The link's path below a kernel's directory: what follows the directory of the module's own
   * kernel without the first component, {@code extra} or {@code updates}; of a module that lies
   * elsewhere, its whole path.
   *
   * @param path absolute
   * @param release the kernel that the module was built for
   */
  static String redHat(String path, String release) {
    String clean = PathFormat.clean(path);
    String directory = "/lib/modules/" + release + "/";
    int at = clean.indexOf(directory);
    if (at >= 0) {
      int slash = clean.indexOf('/', at + directory.length());
      if (slash >= 0) {
        return WeakUpdates.NAME + clean.substring(slash);
      }
    }
    return WeakUpdates.NAME + clean;
  }

  /** The link's path in SUSE's layout: the whole path below the kernel's directory is kept. */
  static String suse(String placeBelowKernel) {
    return WeakUpdates.NAME + "/" + placeBelowKernel;
  }
}
