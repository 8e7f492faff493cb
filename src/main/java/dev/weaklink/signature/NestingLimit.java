package dev.weaklink.signature;

/**
 * Whether DER or BER is nested so little that a recursive parser can be trusted with it. Goes
 * through it once, without recursion.
 */
final class NestingLimit {
  private static final int DEEPEST = 32;
  private static final int CONSTRUCTED = 0x20;
  private static final int LONG_FORM = 0x80;
  private static final int LONG_TAG = 0x1f;

  private NestingLimit() {}

  /** Lengths in indefinite form are not within. */
  static boolean isWithin(byte[] data, int start, int end) {
    int[] ends = new int[DEEPEST];
    int depth = 0;
    int at = start;
    ends[0] = end;
    while (at < end) {
      while (depth > 0 && at == ends[depth]) {
        depth--;
      }
      if (ends[depth] - at < 2 || (data[at] & LONG_TAG) == LONG_TAG) {
        return false;
      }
      boolean constructed = (data[at] & CONSTRUCTED) != 0;
      int first = data[at + 1] & 0xff;
      at += 2;
      long length = first;
      if (first >= LONG_FORM) {
        int bytes = first - LONG_FORM;
        if (bytes == 0 || bytes > 4 || bytes > ends[depth] - at) {
          return false;
        }
        length = 0;
        for (int i = 0; i < bytes; i++) {
          length = length << 8 | (data[at++] & 0xff);
        }
      }
      if (length > ends[depth] - at) {
        return false;
      }
      if (!constructed) {
        at += (int) length;
      } else if (++depth == DEEPEST) {
        return false;
      } else {
        ends[depth] = at + (int) length;
      }
    }
    return true;
  }
}
