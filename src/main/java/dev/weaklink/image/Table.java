package dev.weaklink.image;

/**
 * One export table.
 *
 * @param license who may use its symbols
 * @param start offset of its first entry
 * @param count number of entries
 * @param crcs where its CRCs start; -1 if there are none
 */
record Table(License license, int start, int count, int crcs) {
  /** Who may use a table's symbols. */
  enum License {
    ANY,
    GPL_ONLY,
    UNKNOWN
  }

  /** The same table with its CRCs. */
  Table with(int crcStart) {
    return new Table(license, start, count, crcStart);
  }
}
