package dev.weaklink.format.codec;

/** Little-endian numbers in bytes; the caller has checked that they are there. */
final class LittleEndian {
  private LittleEndian() {}

  /** Unsigned 16 bits. */
  static int u16(byte[] data, int offset) {
    return (data[offset] & 0xff) | (data[offset + 1] & 0xff) << 8;
  }

  /** Unsigned 32 bits. */
  static long u32(byte[] data, int offset) {
    return u16(data, offset) | (long) u16(data, offset + 2) << 16;
  }
}
