package dev.weaklink.kernel.image;

import dev.weaklink.kernel.image.ByteView.TextSearch;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The kernel's banner (init/version.c:linux_banner), which every kernel has in clear text. */
final class Banner {
  private static final String START = "Linux version ";
  private static final TextSearch SEARCH = new TextSearch(START);
  private static final int MAX_LENGTH = 1024;

  private Banner() {}

  static boolean isIn(ByteView bytes) {
    return find(bytes) != null;
  }

  /** The first line that is the start of words and then a number; null if there is none. */
  static @Nullable String find(ByteView bytes) {
    byte[] data = bytes.data();
    int end = bytes.length();
    for (int at = SEARCH.next(data, 0, end); at >= 0; at = SEARCH.next(data, at + 1, end)) {
      int number = at + START.length();
      if (number < end && data[number] >= '0' && data[number] <= '9') {
        return line(data, at, Math.min(end, at + MAX_LENGTH));
      }
    }
    return null;
  }

  private static String line(byte[] data, int start, int limit) {
    int end = start;
    while (end < limit && data[end] != '\n' && data[end] != 0) {
      end++;
    }
    return new String(data, start, end - start, StandardCharsets.ISO_8859_1);
  }

  /** The release that a banner says: its third word. */
  static @Nullable String release(@Nullable String banner) {
    if (banner == null) {
      return null;
    }
    int end = banner.indexOf(' ', START.length());
    return end < 0 ? banner.substring(START.length()) : banner.substring(START.length(), end);
  }
}
