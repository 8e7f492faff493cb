package dev.weaklink.loader;

import dev.weaklink.module.Crc;
import org.jspecify.annotations.Nullable;

/**
 * CRCs in words. One changed export is found in hundreds of modules, so what was put into words
 * lately is kept. For one thread.
 */
final class CrcTexts {
  private static final int SIZE = 1 << 12;

  private final long[] crcs = new long[SIZE];
  private final @Nullable String[] texts = new String[SIZE];

  /** As {@link Crc#hex(long)}. */
  String hex(long crc) {
    int at = (int) (crc ^ crc >>> Integer.SIZE) & SIZE - 1;
    String known = texts[at];
    if (known == null || crcs[at] != crc) {
      known = Crc.hex(crc);
      crcs[at] = crc;
      texts[at] = known;
    }
    return known;
  }
}
