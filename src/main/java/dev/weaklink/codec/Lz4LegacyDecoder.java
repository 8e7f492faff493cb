package dev.weaklink.codec;

/**
 * lz4's legacy frame: a magic, then blocks of up to 8 MiB, each behind its packed size (32 bits,
 * little-endian). It has no end mark: the last block is the one that is shorter than the others, or
 * that is followed by a size that no block can have, or by the size of the whole, as kernels have.
 */
final class Lz4LegacyDecoder implements Decoder {
  private static final int MAGIC_LENGTH = 4;
  private static final int BLOCK_SIZE = 8 << 20;

  /** The most bytes a block of noise is packed to. */
  private static final int MAX_PACKED = BLOCK_SIZE + BLOCK_SIZE / 255 + 16;

  private static final int MIN_MATCH = 4;
  private static final int NIBBLE = 15;

  private byte[] in = new byte[0];
  private int at;
  private int end;

  @Override
  public void decode(byte[] packed, int length, GrowingBuffer out) throws CodecException {
    in = packed;
    at = MAGIC_LENGTH;
    boolean full = true;
    while (full && length - at > 4) {
      long size = LittleEndian.u32(packed, at);
      if (size == 0 || size > MAX_PACKED || size == out.length()) {
        break;
      }
      at += 4;
      if (size > length - at) {
        throw new CodecException("truncated lz4 data");
      }
      end = at + (int) size;
      int start = out.length();
      decodeBlock(out);
      full = out.length() - start == BLOCK_SIZE;
    }
  }

  private void decodeBlock(GrowingBuffer out) throws CodecException {
    int start = out.length();
    while (at < end) {
      int token = in[at++] & 0xff;
      literals(run(token >>> 4), out);
      if (at == end) {
        break;
      }
      if (end - at < 2) {
        throw corrupt();
      }
      int distance = LittleEndian.u16(in, at);
      at += 2;
      int count = run(token & NIBBLE) + MIN_MATCH;
      if (distance == 0 || distance > out.length() - start) {
        throw corrupt();
      }
      match(distance, count, out);
      if (out.length() - start > BLOCK_SIZE) {
        throw corrupt();
      }
    }
  }

  /** A length: four bits, and bytes that are added for as long as they are 255. */
  private int run(int nibble) throws CodecException {
    int count = nibble;
    int more = nibble == NIBBLE ? 255 : 0;
    while (more == 255) {
      if (at >= end) {
        throw corrupt();
      }
      more = in[at++] & 0xff;
      count += more;
      if (count > BLOCK_SIZE) {
        throw corrupt();
      }
    }
    return count;
  }

  private void literals(int count, GrowingBuffer out) throws CodecException {
    if (count > end - at) {
      throw corrupt();
    }
    out.reserve(count);
    System.arraycopy(in, at, out.array(), out.length(), count);
    out.advance(count);
    at += count;
  }

  /** Repeats what was written {@code distance} bytes ago; the copy may overlap itself. */
  private static void match(int distance, int count, GrowingBuffer out) throws CodecException {
    out.reserve(count);
    byte[] array = out.array();
    int to = out.length();
    if (distance >= count) {
      System.arraycopy(array, to - distance, array, to, count);
    } else {
      for (int i = 0; i < count; i++) {
        array[to + i] = array[to + i - distance];
      }
    }
    out.advance(count);
  }

  private static CodecException corrupt() {
    return new CodecException("corrupt lz4 data");
  }
}
