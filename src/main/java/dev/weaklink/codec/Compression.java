package dev.weaklink.codec;

/** How a file's bytes are packed, told by their magic and never by the file's name. */
public enum Compression {
  NONE,
  GZIP(0x1f, 0x8b),
  XZ(0xfd, '7', 'z', 'X', 'Z', 0x00),
  ZSTD(0x28, 0xb5, 0x2f, 0xfd);

  /** Length of the longest magic, in bytes. */
  static final int MAGIC_LENGTH = 6;

  private final int[] magic;

  Compression(int... magic) {
    this.magic = magic;
  }

  /** The compression whose magic the first {@code length} bytes start with, else {@link #NONE}. */
  public static Compression of(byte[] bytes, int length) {
    if (GZIP.matches(bytes, 0, length)) {
      return GZIP;
    }
    if (XZ.matches(bytes, 0, length)) {
      return XZ;
    }
    return ZSTD.matches(bytes, 0, length) ? ZSTD : NONE;
  }

  boolean matches(byte[] bytes, int offset, int length) {
    if (length - offset < magic.length) {
      return false;
    }
    for (int i = 0; i < magic.length; i++) {
      if ((bytes[offset + i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return true;
  }
}
