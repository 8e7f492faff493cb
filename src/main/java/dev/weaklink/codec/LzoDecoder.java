package dev.weaklink.codec;

import java.util.zip.Adler32;

/**
 * What lzop(1) writes, as far as kernels are packed with it (lib/decompress_unlzo.c): a header,
 * then blocks of up to 256 KiB, each packed for itself behind its sizes and a checksum; a size of 0
 * is the end. Numbers are big-endian.
 */
final class LzoDecoder implements Decoder {
  private static final int MAGIC_LENGTH = 9;
  private static final int BLOCK_SIZE = 256 << 10;

  /** From this version on the header tells the level, and the time in 64 bits. */
  private static final int VERSION_WITH_LEVEL = 0x0940;

  private static final int HAS_FILTER = 0x0800;
  private static final int HAS_EXTRA_FIELD = 0x0040;
  private static final int ADLER_OF_PLAIN = 0x0001;
  private static final int ADLER_OF_PACKED = 0x0002;
  private static final int CRC_OF_PLAIN = 0x0100;
  private static final int CRC_OF_PACKED = 0x0200;

  private byte[] in = new byte[0];
  private int at;
  private int end;

  @Override
  public void decode(byte[] packed, int length, GrowingBuffer out) throws CodecException {
    in = packed;
    at = MAGIC_LENGTH;
    end = length;
    int flags = header();
    for (long size = u32(); size != 0; size = u32()) {
      long packedSize = u32();
      if (size > BLOCK_SIZE || packedSize == 0 || packedSize > size) {
        throw corrupt();
      }
      block((int) size, (int) packedSize, flags, out);
    }
  }

  /** Passes over the header; returns its flags. */
  private int header() throws CodecException {
    int version = (u8() << 8) | u8();
    skip(2 + 2 + 1); // the library's version, the one needed, the method
    if (version >= VERSION_WITH_LEVEL) {
      skip(1);
    }
    int flags = (int) u32();
    if ((flags & HAS_FILTER) != 0) {
      throw new CodecException("lzo data with a filter, which no kernel has");
    }
    skip(4 + 4); // mode and time
    if (version >= VERSION_WITH_LEVEL) {
      skip(4);
    }
    skip(u8()); // the file's name
    skip(4);
    if ((flags & HAS_EXTRA_FIELD) != 0) {
      skip(u32());
      skip(4);
    }
    return flags;
  }

  private void block(int size, int packedSize, int flags, GrowingBuffer out) throws CodecException {
    long adler = (flags & ADLER_OF_PLAIN) != 0 ? u32() : -1;
    skip((flags & CRC_OF_PLAIN) != 0 ? 4 : 0);
    if (packedSize < size) {
      skip((flags & ADLER_OF_PACKED) != 0 ? 4 : 0);
      skip((flags & CRC_OF_PACKED) != 0 ? 4 : 0);
    }
    if (packedSize > end - at) {
      throw truncated();
    }
    out.reserve(size);
    if (packedSize == size) {
      System.arraycopy(in, at, out.array(), out.length(), size);
    } else {
      new LzoBlock(in, at, packedSize, out.array(), out.length(), size).decode();
    }
    if (adler >= 0 && adler != adler(out.array(), out.length(), size)) {
      throw corrupt();
    }
    at += packedSize;
    out.advance(size);
  }

  private static long adler(byte[] bytes, int offset, int length) {
    Adler32 adler = new Adler32();
    adler.update(bytes, offset, length);
    return adler.getValue();
  }

  private int u8() throws CodecException {
    if (at >= end) {
      throw truncated();
    }
    return in[at++] & 0xff;
  }

  private long u32() throws CodecException {
    return ((long) u8() << 24) | (u8() << 16) | (u8() << 8) | u8();
  }

  private void skip(long count) throws CodecException {
    if (count > end - at) {
      throw truncated();
    }
    at += (int) count;
  }

  private static CodecException truncated() {
    return new CodecException("truncated lzo data");
  }

  static CodecException corrupt() {
    return new CodecException("corrupt lzo data");
  }
}
