package dev.weaklink.archive;

import dev.weaklink.codec.Compression;
import dev.weaklink.codec.Limits;
import dev.weaklink.codec.Streams;
import dev.weaklink.sys.IoReason;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.LZMAInputStream;
import org.tukaani.xz.MemoryLimitException;

/** How a stream in a package is packed, told by its magic. */
enum Packing implements Decoding {
  NONE,
  GZIP,
  XZ,
  ZSTD,
  BZIP2,
  LZMA;

  /** How many bytes tell it. */
  static final int MAGIC_LENGTH = 13;

  private static final int LZMA_PROPERTIES = 0x5d;
  private static final int LZMA_SIZE_OFFSET = 5;

  /** The packing that the first {@code length} bytes tell. */
  static Packing of(byte[] bytes, int length) {
    switch (Compression.of(bytes, length)) {
      case GZIP:
        return GZIP;
      case XZ:
        return XZ;
      case ZSTD:
        return ZSTD;
      default:
        break;
    }
    if (length >= 4
        && bytes[0] == 'B'
        && bytes[1] == 'Z'
        && bytes[2] == 'h'
        && bytes[3] >= '1'
        && bytes[3] <= '9') {
      return BZIP2;
    }
    return isLzma(bytes, length) ? LZMA : NONE;
  }

  /**
   * The .lzma form has no magic: the usual properties, a dictionary of 2^n or 2^n + 2^(n-1) bytes,
   * and a size that is unknown or below 256 GiB, are what xz(1) goes by, too.
   */
  private static boolean isLzma(byte[] bytes, int length) {
    if (length < MAGIC_LENGTH || bytes[0] != LZMA_PROPERTIES) {
      return false;
    }
    long dictionary = littleEndian(bytes, 1, 4);
    long size = littleEndian(bytes, LZMA_SIZE_OFFSET, 8);
    long highest = Long.highestOneBit(dictionary);
    long rest = dictionary - highest;
    return dictionary >= 4096
        && (rest == 0 || rest == highest / 2)
        && (size == -1 || size >>> 38 == 0);
  }

  private static long littleEndian(byte[] bytes, int offset, int length) {
    long value = 0;
    for (int i = length - 1; i >= 0; i--) {
      value = value << 8 | (bytes[offset + i] & 0xff);
    }
    return value;
  }

  @Override
  public InputStream decoded(InputStream raw, PackageLimits limits) throws IOException {
    switch (this) {
      case NONE:
        return raw;
      case BZIP2:
        return new BZip2CompressorInputStream(raw, true);
      case LZMA:
        return new LZMAInputStream(raw, limits.decoderKib());
      default:
        return Streams.decoded(raw, compression(), codecLimits(limits));
    }
  }

  @Override
  public boolean isPlain() {
    return this == NONE;
  }

  @Override
  public String reason(IOException e, PackageLimits limits) {
    if (this != BZIP2 && this != LZMA) {
      return Streams.reason(e, compression(), codecLimits(limits));
    }
    if (e instanceof MemoryLimitException limit) {
      return "needs "
          + limit.getMemoryNeeded()
          + " KiB to decode, more than "
          + limits.decoderKib();
    }
    String name = this == BZIP2 ? "bzip2" : "lzma";
    boolean truncated =
        e instanceof EOFException || IoReason.of(e).startsWith("Unexpected end of stream");
    return (truncated ? "truncated " : "corrupt ") + name + " data";
  }

  private Compression compression() {
    switch (this) {
      case GZIP:
        return Compression.GZIP;
      case XZ:
        return Compression.XZ;
      case ZSTD:
        return Compression.ZSTD;
      default:
        return Compression.NONE;
    }
  }

  private static Limits codecLimits(PackageLimits limits) {
    return new Limits(Limits.DEFAULT.maxBytes(), limits.decoderKib());
  }
}
