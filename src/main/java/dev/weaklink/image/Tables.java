package dev.weaklink.image;

import java.util.List;

/**
 * All export tables of a kernel.
 *
 * @param entries reads their entries
 * @param tables in the kernel's order of looking
 * @param crcWidth bytes of an entry in the tables of CRCs; 0 if there are none
 */
record Tables(Entries entries, List<Table> tables, int crcWidth) {
  /** Whether CRCs or flags were found where they should be. */
  boolean isBacked() {
    return crcWidth > 0 || tables.get(0).flags() >= 0;
  }

  /** Number of exports. */
  int size() {
    int size = 0;
    for (Table table : tables) {
      size += table.count();
    }
    return size;
  }
}
