package dev.weaklink.report;

import java.nio.charset.StandardCharsets;

/** Paths as relative references (RFC 3986), for those who show files by address. */
final class FileUri {
  private static final String PLAIN = "/-._~";
  private static final String HEX = "0123456789ABCDEF";

  private FileUri() {}

  /** A path without what stands before its first name; everything unusual is percent-encoded. */
  static String relative(String path) {
    int start = 0;
    while (start < path.length() && path.charAt(start) == '/') {
      start++;
    }
    StringBuilder uri = new StringBuilder();
    for (byte value : path.substring(start).getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (value & 0xff);
      if (isPlain(c)) {
        uri.append(c);
      } else {
        uri.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
      }
    }
    return uri.toString();
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN.indexOf(c) >= 0;
  }
}
