package dev.weaklink.kernel.image;

/**
 * One export table.
 *
 * @param license who may use its symbols
 * @param start offset of its first entry
 * @param count number of entries
 * @param crcs where its CRCs start; -1 if there are none
 * @param flags where its flags start, a byte for each entry (__kflagstab, 7.1 and later); -1 if
 *     there are none. They say whose each symbol is, and {@code license} nothing
 */
record Table(License license, int start, int count, int crcs, int flags) {
  /** Of a symbol's flags (include/linux/module_symbol.h, KSYM_FLAG_GPL_ONLY). */
  static final int GPL_ONLY_FLAG = 1;

  /** Who may use a table's symbols. */
  enum License {
    ANY,
    GPL_ONLY,
    UNKNOWN
  }

  /** The same table with its CRCs and flags. */
  Table with(int crcStart, int flagStart) {
    return new Table(license, start, count, crcStart, flagStart);
  }
}
