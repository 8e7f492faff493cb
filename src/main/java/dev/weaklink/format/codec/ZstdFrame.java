package dev.weaklink.format.codec;

import dev.weaklink.sys.ByteStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The packed bytes of exactly one Zstandard frame (RFC 8878, 3.1.1): the decoder reads ahead, and
 * what comes behind the frame belongs to the image's next segment.
 */
final class ZstdFrame extends ByteStream {
  private static final int MAGIC_LENGTH = 4;
  private static final int CHECKSUM_LENGTH = 4;
  private static final int BLOCK_HEADER_LENGTH = 3;
  private static final int BLOCK_RLE = 1;
  private static final int BLOCK_RESERVED = 3;

  private static final int[] DICTIONARY_ID_LENGTHS = {0, 1, 2, 4};
  private static final int[] CONTENT_SIZE_LENGTHS = {0, 2, 4, 8};

  private final InputStream in;
  private final boolean checksum;

  /** A header that was looked at and is still to be handed on. */
  private byte[] header;

  private int headerOffset;

  /** Bytes that follow the header and need no look. */
  private long left;

  private boolean lastBlockSeen;
  private boolean checksumSeen;

  /** Starts at the frame's magic. */
  ZstdFrame(InputStream in) throws IOException {
    this.in = in;
    header = require(MAGIC_LENGTH + 1);
    int descriptor = header[MAGIC_LENGTH];
    boolean singleSegment = (descriptor >> 5 & 1) != 0;
    int contentSize = CONTENT_SIZE_LENGTHS[descriptor >> 6 & 3];
    if (singleSegment && contentSize == 0) {
      contentSize = 1;
    }
    left = (singleSegment ? 0 : 1) + DICTIONARY_ID_LENGTHS[descriptor & 3] + contentSize;
    checksum = (descriptor >> 2 & 1) != 0;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (headerOffset == header.length && left == 0) {
      if (!nextPart()) {
        return -1;
      }
    }
    if (headerOffset < header.length) {
      int count = Math.min(length, header.length - headerOffset);
      System.arraycopy(header, headerOffset, bytes, offset, count);
      headerOffset += count;
      return count;
    }
    int count = in.read(bytes, offset, (int) Math.min(length, left));
    if (count < 0) {
      throw new EOFException();
    }
    left -= count;
    return count;
  }

  private boolean nextPart() throws IOException {
    if (!lastBlockSeen) {
      nextBlock();
      return true;
    }
    if (!checksum || checksumSeen) {
      return false;
    }
    checksumSeen = true;
    left = CHECKSUM_LENGTH;
    return true;
  }

  private void nextBlock() throws IOException {
    header = require(BLOCK_HEADER_LENGTH);
    headerOffset = 0;
    int value = header[0] & 0xff | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16;
    lastBlockSeen = (value & 1) != 0;
    int type = value >> 1 & 3;
    if (type == BLOCK_RESERVED) {
      throw new CodecException("corrupt zstd data: a block of no known type");
    }
    left = type == BLOCK_RLE ? 1 : value >> 3;
  }

  private byte[] require(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException();
    }
    return bytes;
  }
}
