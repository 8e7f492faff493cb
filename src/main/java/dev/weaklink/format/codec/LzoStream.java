package dev.weaklink.format.codec;

import dev.weaklink.sys.ByteStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Adler32;

/**
 * What lzop(1) writes, as far as kernels read it (lib/decompress_unlzo.c): a header, then blocks of
 * up to 256 KiB, each packed for itself behind its sizes and a checksum; a size of 0 is the end.
 * Numbers are big-endian.
 */
final class LzoStream extends ByteStream {
  private static final int MAGIC_LENGTH = 9;
  private static final int BLOCK_SIZE = 256 << 10;

  /** From this version on the header has the level, and the time in 64 bits. */
  private static final int VERSION_WITH_LEVEL = 0x0940;

  private static final int HAS_FILTER = 0x0800;
  private static final int HAS_EXTRA_FIELD = 0x0040;
  private static final int ADLER_OF_PLAIN = 0x0001;
  private static final int ADLER_OF_PACKED = 0x0002;
  private static final int CRC_OF_PLAIN = 0x0100;
  private static final int CRC_OF_PACKED = 0x0200;

  private final InputStream in;
  private final int flags;
  private final byte[] block = new byte[BLOCK_SIZE];
  private int at;
  private int length;
  private boolean ended;

  /** Starts at the magic, which has been looked at. */
  LzoStream(InputStream in) throws IOException {
    this.in = in;
    this.flags = header();
  }

  /** Passes over the header; returns its flags. */
  private int header() throws IOException {
    in.skipNBytes(MAGIC_LENGTH);
    int version = (u8() << 8) | u8();
    in.skipNBytes(2 + 2 + 1); // the library's version, the one needed, the method
    if (version >= VERSION_WITH_LEVEL) {
      in.skipNBytes(1);
    }
    int found = (int) u32();
    if ((found & HAS_FILTER) != 0) {
      throw new CodecException("lzo data with a filter, which no kernel reads");
    }
    in.skipNBytes(4 + 4); // mode and time
    if (version >= VERSION_WITH_LEVEL) {
      in.skipNBytes(4);
    }
    in.skipNBytes(u8()); // the file's name
    in.skipNBytes(4);
    if ((found & HAS_EXTRA_FIELD) != 0) {
      in.skipNBytes(u32());
      in.skipNBytes(4);
    }
    return found;
  }

  @Override
  public int read(byte[] bytes, int offset, int count) throws IOException {
    if (count == 0) {
      return 0;
    }
    if (at == length && !nextBlock()) {
      return -1;
    }
    int copied = Math.min(count, length - at);
    System.arraycopy(block, at, bytes, offset, copied);
    at += copied;
    return copied;
  }

  private boolean nextBlock() throws IOException {
    long size = ended ? 0 : u32();
    if (size == 0) {
      ended = true;
      return false;
    }
    long packedSize = u32();
    if (size > BLOCK_SIZE || packedSize == 0 || packedSize > size) {
      throw corrupt();
    }
    readBlock((int) size, (int) packedSize);
    at = 0;
    length = (int) size;
    return true;
  }

  private void readBlock(int size, int packedSize) throws IOException {
    long adler = (flags & ADLER_OF_PLAIN) != 0 ? u32() : -1;
    in.skipNBytes((flags & CRC_OF_PLAIN) != 0 ? 4 : 0);
    if (packedSize < size) {
      in.skipNBytes((flags & ADLER_OF_PACKED) != 0 ? 4 : 0);
      in.skipNBytes((flags & CRC_OF_PACKED) != 0 ? 4 : 0);
    }
    byte[] packed = in.readNBytes(packedSize);
    if (packed.length < packedSize) {
      throw new EOFException();
    }
    if (packedSize == size) {
      System.arraycopy(packed, 0, block, 0, size);
    } else {
      new LzoBlock(packed, 0, packedSize, block, 0, size).decode();
    }
    if (adler >= 0 && adler != adler(size)) {
      throw corrupt();
    }
  }

  private long adler(int size) {
    Adler32 adler = new Adler32();
    adler.update(block, 0, size);
    return adler.getValue();
  }

  private int u8() throws IOException {
    int value = in.read();
    if (value < 0) {
      throw new EOFException();
    }
    return value;
  }

  private long u32() throws IOException {
    return ((long) u8() << 24) | (u8() << 16) | (u8() << 8) | u8();
  }

  static CodecException corrupt() {
    return new CodecException("corrupt lzo data");
  }
}
