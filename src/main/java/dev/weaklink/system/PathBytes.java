package dev.weaklink.system;

import java.net.URI;
import java.nio.file.Path;

/** Paths from raw bytes: names that are not valid in the platform's charset keep their bytes. */
final class PathBytes {
  private static final String HEX = "0123456789ABCDEF";

  private PathBytes() {}

  /** The path of these bytes, which must not contain NUL; relative ones stay relative. */
  static Path toPath(byte[] bytes, int start, int end) {
    StringBuilder text = new StringBuilder();
    for (int i = start; i < end && bytes[i] > 0; i++) {
      text.append((char) bytes[i]);
    }
    return text.length() == end - start ? Path.of(text.toString()) : fromUri(bytes, start, end);
  }

  /** A percent-encoded URI is the only way to make a Path from bytes; it is always absolute. */
  private static Path fromUri(byte[] bytes, int start, int end) {
    StringBuilder uri = new StringBuilder("file:///");
    for (int i = start; i < end; i++) {
      if (bytes[i] == '/') {
        uri.append(uri.charAt(uri.length() - 1) == '/' ? "" : "/");
      } else {
        uri.append('%').append(HEX.charAt(bytes[i] >> 4 & 0xf)).append(HEX.charAt(bytes[i] & 0xf));
      }
    }
    Path absolute = Path.of(URI.create(uri.toString()));
    return bytes[start] == '/' ? absolute : absolute.subpath(0, absolute.getNameCount());
  }
}
