package dev.weaklink.module;

/** Object identifiers (X.690, 8.19). */
final class ObjectIdentifier {
  private static final int MAX_BYTES = 64;

  private ObjectIdentifier() {}

  /** The dotted form of an identifier's contents; of those that are too long, an empty text. */
  static String dotted(byte[] data, int start, int end) {
    StringBuilder text = new StringBuilder(32);
    long arc = 0;
    for (int i = start; i < end && end - start <= MAX_BYTES; i++) {
      arc = arc << 7 | (data[i] & 0x7f);
      if ((data[i] & 0x80) == 0) {
        append(text, arc);
        arc = 0;
      }
    }
    return text.toString();
  }

  /** The first number stands for two. */
  private static void append(StringBuilder text, long arc) {
    if (text.isEmpty()) {
      long first = Math.min(arc / 40, 2);
      text.append(first).append('.').append(arc - 40 * first);
    } else {
      text.append('.').append(arc);
    }
  }
}
