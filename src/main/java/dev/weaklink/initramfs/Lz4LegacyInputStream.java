package dev.weaklink.initramfs;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorInputStream;

/**
 * lz4's legacy format, as {@code lz4 -l} writes it and the kernel reads it
 * (lib/decompress_unlz4.c): a magic, then blocks of a 32-bit little-endian packed size and that
 * many bytes. It has no end mark; a size of zero, or one no block can have, belongs to what comes
 * after it.
 */
final class Lz4LegacyInputStream extends InputStream {
  private static final int MAGIC = 0x184c2102;
  private static final int WORD = 4;
  private static final int MAX_UNPACKED = 8 << 20;

  /** What 8 MiB that cannot be packed become (lz4.h, LZ4_COMPRESSBOUND). */
  private static final int MAX_PACKED = MAX_UNPACKED + MAX_UNPACKED / 255 + 16;

  private final InputStream in;
  private InputStream block = InputStream.nullInputStream();
  private int unpacked;

  /** Starts at the magic, which has been looked at. */
  Lz4LegacyInputStream(InputStream in) throws IOException {
    this.in = in;
    in.skipNBytes(WORD);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int count = block.read(bytes, offset, length);
    while (count < 0) {
      if (!openBlock()) {
        return -1;
      }
      count = block.read(bytes, offset, length);
    }
    unpacked += count;
    if (unpacked > MAX_UNPACKED) {
      throw new ImageException("corrupt lz4 data: a block of more than 8 MiB");
    }
    return count;
  }

  private boolean openBlock() throws IOException {
    int size = nextSize();
    if (size == 0) {
      return false;
    }
    byte[] packed = in.readNBytes(size);
    if (packed.length < size) {
      throw new EOFException();
    }
    block = new BlockLZ4CompressorInputStream(new ByteArrayInputStream(packed));
    unpacked = 0;
    return true;
  }

  /** The next block's packed size; 0, and nothing read, if there is none. */
  private int nextSize() throws IOException {
    int size;
    do {
      in.mark(WORD);
      byte[] word = in.readNBytes(WORD);
      size = word.length < WORD ? 0 : littleEndian(word);
    } while (size == MAGIC);
    if (size > 0 && size <= MAX_PACKED) {
      return size;
    }
    in.reset();
    return 0;
  }

  private static int littleEndian(byte[] word) {
    return word[0] & 0xff | (word[1] & 0xff) << 8 | (word[2] & 0xff) << 16 | (word[3] & 0xff) << 24;
  }
}
