package dev.weaklink.fleet.intake;

/** Follows JSON as far as to see where its first object ends; the object itself is not checked. */
final class BraceCount {
  private int depth;
  private boolean text;
  private boolean escaped;

  /** Goes on; gives the place behind the brace that closes the object, or -1. */
  int end(byte[] bytes, int start, int limit) {
    for (int i = start; i < limit; i++) {
      byte b = bytes[i];
      if (escaped) {
        escaped = false;
      } else if (text) {
        escaped = b == '\\';
        text = b != '"';
      } else if (b == '"') {
        text = true;
      } else if (b == '{' || b == '[') {
        depth++;
      } else if ((b == '}' || b == ']') && --depth <= 0) {
        return i + 1;
      }
    }
    return -1;
  }
}
