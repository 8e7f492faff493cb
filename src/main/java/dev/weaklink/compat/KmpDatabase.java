package dev.weaklink.compat;

import java.io.IOException;
import java.util.List;

/** Knows which kernel module packages are installed. */
interface KmpDatabase {
  /**
   * The packages for kernels of a flavor, from new to old, without those that are built from the
   * kernel's own sources.
   *
   * @param problems takes a line about each package that cannot be used
   * @throws IOException if that cannot be found out
   */
  List<Kmp> ofFlavor(String flavor, List<String> problems) throws IOException;
}
