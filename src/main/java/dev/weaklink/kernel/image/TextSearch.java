package dev.weaklink.kernel.image;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Looks for a text in many bytes, in steps of its length where it can (Horspool's way). */
final class TextSearch {
  private final byte[] text;
  private final int[] steps = new int[256];

  /** {@code wanted} is taken as one byte a character. */
  TextSearch(String wanted) {
    text = wanted.getBytes(StandardCharsets.ISO_8859_1);
    Arrays.fill(steps, text.length);
    for (int i = 0; i < text.length - 1; i++) {
      steps[text[i] & 0xff] = text.length - 1 - i;
    }
  }

  /** Where it starts first at or after {@code from}, below {@code end}; -1 if nowhere. */
  int next(byte[] data, int from, int end) {
    int last = text.length - 1;
    byte wanted = text[last];
    for (int at = from + last; at < end; at += steps[data[at] & 0xff]) {
      if (data[at] == wanted && Arrays.equals(data, at - last, at + 1, text, 0, text.length)) {
        return at - last;
      }
    }
    return -1;
  }
}
