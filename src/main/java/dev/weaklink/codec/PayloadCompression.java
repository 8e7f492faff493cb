package dev.weaklink.codec;

import org.jspecify.annotations.Nullable;

/** How the payload of a kernel image is packed, told by its magic (scripts/extract-vmlinux). */
public enum PayloadCompression {
  GZIP("gzip", 0x1f, 0x8b, 0x08),
  XZ("xz", 0xfd, '7', 'z', 'X', 'Z', 0x00),
  ZSTD("zstd", 0x28, 0xb5, 0x2f, 0xfd),
  /** Blocks of up to 8 MiB behind lz4's first magic, as {@code lz4 -l} writes them. */
  LZ4("lz4", 0x02, 0x21, 0x4c, 0x18),
  /** Has no magic of its own: properties as every kernel is packed with, then a dictionary size. */
  LZMA("lzma", 0x5d, 0x00, 0x00),
  BZIP2("bzip2", 'B', 'Z', 'h'),
  LZO("lzo", 0x89, 'L', 'Z', 'O', 0x00, 0x0d, 0x0a, 0x1a, 0x0a);

  private static final PayloadCompression[] ALL = values();
  private static final int LZMA_HEADER = 13;
  private static final long BZIP2_BLOCK = 0x314159265359L;

  private final String id;
  private final int[] magic;

  PayloadCompression(String id, int... magic) {
    this.id = id;
    this.magic = magic;
  }

  /** Stable name in machine-readable output. */
  public String id() {
    return id;
  }

  /** What starts at {@code offset} of the first {@code length} bytes, null if none does. */
  public static @Nullable PayloadCompression at(byte[] data, int offset, int length) {
    for (PayloadCompression one : ALL) {
      if ((data[offset] & 0xff) == one.magic[0] && one.startsAt(data, offset, length)) {
        return one;
      }
    }
    return null;
  }

  private boolean startsAt(byte[] data, int offset, int length) {
    if (length - offset < magic.length) {
      return false;
    }
    for (int i = 1; i < magic.length; i++) {
      if ((data[offset + i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return switch (this) {
      case LZMA -> isLzmaHeader(data, offset, length);
      case BZIP2 -> isBzip2Header(data, offset, length);
      default -> true;
    };
  }

  /** A dictionary that is a power of two, and a size that is not given or not absurd. */
  private static boolean isLzmaHeader(byte[] data, int offset, int length) {
    if (length - offset < LZMA_HEADER) {
      return false;
    }
    long dictionary = LittleEndian.u32(data, offset + 1);
    long high = LittleEndian.u32(data, offset + 9);
    boolean unknown = LittleEndian.u32(data, offset + 5) == 0xffffffffL && high == 0xffffffffL;
    return Long.bitCount(dictionary) == 1 && (unknown || high == 0);
  }

  private static boolean isBzip2Header(byte[] data, int offset, int length) {
    if (length - offset < 10 || data[offset + 3] < '1' || data[offset + 3] > '9') {
      return false;
    }
    long block = 0;
    for (int i = 4; i < 10; i++) {
      block = block << 8 | (data[offset + i] & 0xff);
    }
    return block == BZIP2_BLOCK;
  }
}
