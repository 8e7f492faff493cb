package dev.weaklink.inventory;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The bytes of paths, which need not be valid in the charset of the platform. */
final class PathBytes {
  private static final int HEX = 16;

  private PathBytes() {}

  /** The path as it is on disk, one byte a character; a relative one stays relative. */
  static String of(Path path) {
    String text = path.toString();
    if (isAscii(text)) {
      return text;
    }
    String whole = decoded(path.toUri().getRawPath());
    if (!path.isAbsolute()) {
      // A URI is absolute: it begins with the working directory.
      String here = of(Path.of("").toAbsolutePath());
      whole = whole.substring(here.equals("/") ? 1 : here.length() + 1);
    }
    // That of a directory ends in a slash.
    boolean added = whole.endsWith("/") && !text.endsWith("/");
    return added ? whole.substring(0, whole.length() - 1) : whole;
  }

  /** What a charset cannot say becomes a character of its own, which is none of ASCII. */
  static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  private static String decoded(String raw) {
    byte[] bytes = new byte[raw.length()];
    int count = 0;
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        bytes[count++] = (byte) Integer.parseInt(raw, i + 1, i + 3, HEX);
        i += 2;
      } else {
        bytes[count++] = (byte) c;
      }
    }
    return new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
  }
}
