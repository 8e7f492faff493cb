package dev.weaklink.kernel.image;

/**
 * How struct kernel_symbol is laid out (include/linux/export.h, include/linux/export-internal.h):
 * value, name and, from 5.4 on, namespace.
 *
 * @param relative whether fields are 32-bit distances from their own place (x86 and arm64 from 4.19
 *     on), else they are pointers
 * @param fieldSize bytes of a field
 * @param fields 2, or 3 with a namespace
 */
public record EntryLayout(boolean relative, int fieldSize, int fields) {
  static final EntryLayout RELATIVE_2 = new EntryLayout(true, 4, 2);
  static final EntryLayout RELATIVE_3 = new EntryLayout(true, 4, 3);

  /** Pointers of this size. */
  static EntryLayout pointers(int size, int fields) {
    return new EntryLayout(false, size, fields);
  }

  /** Bytes of an entry. */
  public int size() {
    return fieldSize * fields;
  }

  /** Such as "3 relative fields of 4 bytes". */
  public String words() {
    return fields + (relative ? " relative fields" : " pointers") + " of " + fieldSize + " bytes";
  }
}
