package dev.weaklink.format.codec;

import dev.weaklink.sys.ByteStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorInputStream;

/**
 * lz4's legacy format, as {@code lz4 -l} writes it and the kernel reads it
 * (lib/decompress_unlz4.c): a magic, then blocks of up to 8 MiB, each behind its packed size (32
 * bits, little-endian). It has no end mark. The last block is the one that is shorter than the
 * others, or that is followed by a size that no block can have, or by the size of the whole, as in
 * kernel images.
 */
final class Lz4LegacyStream extends ByteStream {
  private static final int WORD = 4;
  private static final int BLOCK_SIZE = 8 << 20;

  /** What 8 MiB that cannot be packed become (lz4.h, LZ4_COMPRESSBOUND). */
  private static final int MAX_PACKED = BLOCK_SIZE + BLOCK_SIZE / 255 + 16;

  private final InputStream in;
  private InputStream block = InputStream.nullInputStream();
  private int unpackedOfBlock = BLOCK_SIZE;
  private long unpacked;

  /** Starts at the magic, which has been looked at; marks a place of the stream. */
  Lz4LegacyStream(InputStream in) throws IOException {
    this.in = in;
    in.skipNBytes(WORD);
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int count = block.read(bytes, offset, length);
    while (count < 0) {
      if (unpackedOfBlock < BLOCK_SIZE || !openBlock()) {
        return -1;
      }
      count = block.read(bytes, offset, length);
    }
    unpackedOfBlock += count;
    unpacked += count;
    if (unpackedOfBlock > BLOCK_SIZE) {
      throw new CodecException("corrupt lz4 data: a block of more than 8 MiB");
    }
    return count;
  }

  private boolean openBlock() throws IOException {
    in.mark(WORD);
    byte[] word = in.readNBytes(WORD);
    long size = word.length < WORD ? 0 : LittleEndian.u32(word, 0);
    if (size == 0 || size > MAX_PACKED || size == unpacked) {
      in.reset();
      return false;
    }
    byte[] packed = in.readNBytes((int) size);
    if (packed.length < size) {
      throw new EOFException();
    }
    block = new BlockLZ4CompressorInputStream(new ByteArrayInputStream(packed));
    unpackedOfBlock = 0;
    return true;
  }
}
