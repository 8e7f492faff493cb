package dev.weaklink.format.codec;

/**
 * One block of LZO1X (Documentation/staging/lzo.rst): instructions that each repeat what was
 * written before, and then copy up to three literals; how many those were is the state that says
 * what the smallest instructions mean.
 */
final class LzoBlock {
  /** After a run of literals of its own. */
  private static final int AFTER_RUN = 4;

  /** First bytes above this one copy so many literals. */
  private static final int FIRST_LITERALS = 17;

  private static final int NEAR = 1;
  private static final int BEYOND_NEAR = 2049;
  private static final int FAR = 16384;
  private static final int SHORT_RUN = 3;

  /** The end is a match of this length at the distance that none can have. */
  private static final int END_LENGTH = 3;

  private final byte[] in;
  private int at;
  private final int end;
  private final byte[] out;
  private final int start;
  private int to;
  private final int limit;
  private int state;

  /** Will unpack some bytes to a place that has room for {@code size}, which is all there are. */
  LzoBlock(byte[] in, int at, int length, byte[] out, int to, int size) {
    this.in = in;
    this.at = at;
    this.end = at + length;
    this.out = out;
    this.start = to;
    this.to = to;
    this.limit = to + size;
  }

  void decode() throws CodecException {
    int first = u8();
    if (first > FIRST_LITERALS) {
      int count = first - FIRST_LITERALS;
      literals(count);
      state = Math.min(count, AFTER_RUN);
    } else {
      at--;
    }
    boolean more = true;
    while (more) {
      more = instruction(u8());
    }
    if (at != end || to != limit) {
      throw LzoStream.corrupt();
    }
  }

  /** False at the end of the block. */
  private boolean instruction(int code) throws CodecException {
    if (code >= 128) {
      match(((u8() << 3) | (code >> 2 & 7)) + NEAR, 5 + (code >> 5 & 3), code);
    } else if (code >= 64) {
      match(((u8() << 3) | (code >> 2 & 7)) + NEAR, 3 + (code >> 5 & 1), code);
    } else if (code >= 32) {
      int length = 2 + run(code, 31);
      int word = u16();
      match((word >> 2) + NEAR, length, word);
    } else if (code >= 16) {
      int length = 2 + run(code, 7);
      int word = u16();
      int distance = FAR + ((code & 8) << 11) + (word >> 2);
      if (distance == FAR && length == END_LENGTH) {
        return false;
      }
      match(distance, length, word);
    } else {
      small(code);
    }
    return true;
  }

  private void small(int code) throws CodecException {
    if (state == 0) {
      literals(SHORT_RUN + run(code, 15));
      state = AFTER_RUN;
    } else if (state == AFTER_RUN) {
      match(((u8() << 2) | (code >> 2)) + BEYOND_NEAR, 3, code);
    } else {
      match(((u8() << 2) | (code >> 2)) + NEAR, 2, code);
    }
  }

  /** A length: some low bits of the code; if they are 0, bytes of 0 that stand for 255 each. */
  private int run(int code, int mask) throws CodecException {
    int count = code & mask;
    if (count > 0) {
      return count;
    }
    count = mask;
    int next = u8();
    while (next == 0) {
      count += 255;
      if (count > limit - start) {
        throw LzoStream.corrupt();
      }
      next = u8();
    }
    return count + next;
  }

  /** Repeats what was written {@code distance} bytes ago; then literals as the code says. */
  private void match(int distance, int count, int code) throws CodecException {
    if (distance > to - start || count > limit - to) {
      throw LzoStream.corrupt();
    }
    for (int i = 0; i < count; i++) {
      out[to] = out[to - distance];
      to++;
    }
    state = code & 3;
    literals(state);
  }

  private void literals(int count) throws CodecException {
    if (count > end - at || count > limit - to) {
      throw LzoStream.corrupt();
    }
    System.arraycopy(in, at, out, to, count);
    at += count;
    to += count;
  }

  private int u8() throws CodecException {
    if (at >= end) {
      throw LzoStream.corrupt();
    }
    return in[at++] & 0xff;
  }

  private int u16() throws CodecException {
    return u8() | (u8() << 8);
  }
}
