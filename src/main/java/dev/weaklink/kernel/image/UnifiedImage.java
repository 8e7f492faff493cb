package dev.weaklink.kernel.image;

import org.jspecify.annotations.Nullable;

/**
 * What a PE header contains: the section {@code .linux} of a unified kernel image, which has a
 * whole kernel image in it, and whether an image is LoongArch's.
 */
final class UnifiedImage {
  private static final int PE_OFFSET_AT = 0x3c;
  private static final int COFF_HEADER_SIZE = 24;
  private static final int SECTION_SIZE = 40;

  /** At 0x38 of Linux's own EFI programs (include/linux/pe.h). */
  private static final long LINUX_PE_MAGIC = 0x818223cdL;

  private UnifiedImage() {}

  /** By the machine of the header, which has no other mark of this architecture before it. */
  static boolean isLoongArch(Blob file) {
    if (!file.hasText(0, "MZ")
        || !file.contains(0x38, Long.BYTES)
        || file.u32(0x38) != LINUX_PE_MAGIC) {
      return false;
    }
    long header = file.u32(PE_OFFSET_AT);
    return file.contains(header, 6) && file.hasText((int) header, "PE\0\0db");
  }

  /** The section's bytes in the file; null if it is no such file or they are not all there. */
  static @Nullable Section linux(Blob file) {
    if (!file.hasText(0, "MZ") || !file.contains(PE_OFFSET_AT, 4)) {
      return null;
    }
    long header = file.u32(PE_OFFSET_AT);
    if (!file.contains(header, COFF_HEADER_SIZE) || !file.hasText((int) header, "PE\0\0")) {
      return null;
    }
    int count = file.i32((int) header + 4) >>> 16;
    long table = header + COFF_HEADER_SIZE + (file.i32((int) header + 20) & 0xffff);
    for (int i = 0; i < count && file.contains(table, SECTION_SIZE); i++, table += SECTION_SIZE) {
      int at = (int) table;
      if (file.hasText(at, ".linux\0\0")) {
        long size = Math.min(file.u32(at + 8), file.u32(at + 16));
        long offset = file.u32(at + 20);
        return file.contains(offset, size) ? new Section((int) offset, (int) size) : null;
      }
    }
    return null;
  }
}
