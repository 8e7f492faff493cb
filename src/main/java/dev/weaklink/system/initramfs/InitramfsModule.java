package dev.weaklink.system.initramfs;

import dev.weaklink.system.ModuleNames;

/**
 * A module's file in an image, or a symbolic link that is named like one.
 *
 * @param path as the archive has it, mostly without a slash in front
 */
public record InitramfsModule(String path) {
  /** The module's name as the kernel has it. */
  public String name() {
    return ModuleNames.ofFile(fileName(path));
  }

  /** Whether it lies in the module directory of this kernel release. */
  boolean isOf(String kernel) {
    return ("/" + path).contains("/lib/modules/" + kernel + "/");
  }

  static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
