package dev.weaklink.module.signature;

/**
 * Whether DER is nested so little that a recursive parser can be trusted with it. Goes through it
 * once, without recursion.
 */
final class NestingLimit {
  private static final int DEEPEST = 32;
  private static final int CONSTRUCTED = 0x20;
  private static final int LONG_FORM = 0x80;
  private static final int LONG_TAG = 0x1f;
  private static final int MAX_LENGTH_BYTES = 4;

  private final byte[] data;
  private final int[] ends = new int[DEEPEST];
  private int depth;
  private int at;

  private NestingLimit(byte[] data, int start, int end) {
    this.data = data;
    this.at = start;
    this.ends[0] = end;
  }

  /** Lengths in indefinite form, and tags of more than a byte, are not within. */
  static boolean isWithin(byte[] data, int start, int end) {
    NestingLimit limit = new NestingLimit(data, start, end);
    while (limit.at < end) {
      if (!limit.next()) {
        return false;
      }
    }
    return true;
  }

  /** Goes into or past the next element; false if it is too deep or not in order. */
  private boolean next() {
    while (depth > 0 && at == ends[depth]) {
      depth--;
    }
    if (ends[depth] - at < 2 || (data[at] & LONG_TAG) == LONG_TAG) {
      return false;
    }
    boolean constructed = (data[at++] & CONSTRUCTED) != 0;
    long length = length();
    if (length < 0 || length > ends[depth] - at) {
      return false;
    }
    if (!constructed) {
      at += (int) length;
      return true;
    }
    depth++;
    if (depth == DEEPEST) {
      return false;
    }
    ends[depth] = at + (int) length;
    return true;
  }

  /** The length that is written here, -1 if there is none. */
  private long length() {
    int first = data[at++] & 0xff;
    if (first < LONG_FORM) {
      return first;
    }
    int bytes = first - LONG_FORM;
    if (bytes == 0 || bytes > MAX_LENGTH_BYTES || bytes > ends[depth] - at) {
      return -1;
    }
    long length = 0;
    for (int i = 0; i < bytes; i++) {
      length = length << 8 | (data[at++] & 0xff);
    }
    return length;
  }
}
