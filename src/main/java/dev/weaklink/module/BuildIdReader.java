package dev.weaklink.module;

import dev.weaklink.elf.ElfImage;
import org.jspecify.annotations.Nullable;

/** Reads the GNU build id from {@code .note.gnu.build-id}. */
final class BuildIdReader {
  private static final byte[] SECTION = NamedSections.wanted(".note.gnu.build-id");
  private static final int HEADER_SIZE = 12;
  private static final int GNU_OWNER_SIZE = 4;
  private static final int NT_GNU_BUILD_ID = 3;
  private static final int MAX_SIZE = 64;
  private static final String HEX = "0123456789abcdef";

  private BuildIdReader() {}

  /** The id in lower-case hex, or null if there is none in order. */
  static @Nullable String read(ElfImage image, NamedSections named) {
    int section = named.find(SECTION);
    if (section < 0
        || !image.hasContents(section)
        || image.sections().size(section) < HEADER_SIZE + GNU_OWNER_SIZE) {
      return null;
    }
    int at = (int) image.sections().offset(section);
    long size = image.u32(at + 4);
    boolean fits = size <= image.sections().size(section) - HEADER_SIZE - GNU_OWNER_SIZE;
    if (image.u32(at) != GNU_OWNER_SIZE
        || image.i32(at + 8) != NT_GNU_BUILD_ID
        || size > MAX_SIZE
        || !fits) {
      return null;
    }
    return hex(image.data(), at + HEADER_SIZE + GNU_OWNER_SIZE, (int) size);
  }

  private static String hex(byte[] data, int start, int size) {
    StringBuilder text = new StringBuilder(size * 2);
    for (int i = start; i < start + size; i++) {
      text.append(HEX.charAt(data[i] >> 4 & 0xf)).append(HEX.charAt(data[i] & 0xf));
    }
    return text.toString();
  }
}
