package dev.weaklink.codec;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * gzip members (RFC 1952), one after the other. Bytes behind the last member are ignored, as zlib
 * and gzip(1) do.
 */
final class GzipDecoder implements Decoder {
  private static final int FIXED_HEADER_LENGTH = 10;
  private static final int METHOD_OFFSET = 2;
  private static final int FLAGS_OFFSET = 3;
  private static final int DEFLATE = 8;
  private static final int FLAG_HEADER_CRC = 2;
  private static final int FLAG_EXTRA = 4;
  private static final int FLAG_NAME = 8;
  private static final int FLAG_COMMENT = 16;

  /** CRC-32 and size modulo 2^32 of the contents, little-endian. */
  private static final int TRAILER_LENGTH = 8;

  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();

  @Override
  public void decode(byte[] packed, int length, GrowingBuffer out) throws CodecException {
    int offset = 0;
    do {
      int start = out.length();
      offset = inflate(packed, skipHeader(packed, offset, length), length, out);
      checkTrailer(packed, offset, length, out, start);
      offset += TRAILER_LENGTH;
    } while (Compression.GZIP.matches(packed, offset, length));
  }

  private static int skipHeader(byte[] packed, int start, int length) throws CodecException {
    int offset = start + FIXED_HEADER_LENGTH;
    requireWithin(offset, length);
    if (packed[start + METHOD_OFFSET] != DEFLATE) {
      throw new CodecException("corrupt gzip data: unknown compression method");
    }
    int flags = packed[start + FLAGS_OFFSET];
    if ((flags & FLAG_EXTRA) != 0) {
      requireWithin(offset + 2, length);
      offset += 2 + (packed[offset] & 0xff) + ((packed[offset + 1] & 0xff) << 8);
    }
    if ((flags & FLAG_NAME) != 0) {
      offset = skipString(packed, offset, length);
    }
    if ((flags & FLAG_COMMENT) != 0) {
      offset = skipString(packed, offset, length);
    }
    if ((flags & FLAG_HEADER_CRC) != 0) {
      offset += 2;
    }
    requireWithin(offset, length);
    return offset;
  }

  private static int skipString(byte[] packed, int start, int length) throws CodecException {
    int offset = start;
    while (offset < length && packed[offset] != 0) {
      offset++;
    }
    requireWithin(offset + 1, length);
    return offset + 1;
  }

  /** Inflates one member's contents and returns the offset of its trailer. */
  private int inflate(byte[] packed, int offset, int length, GrowingBuffer out)
      throws CodecException {
    inflater.reset();
    inflater.setInput(packed, offset, length - offset);
    try {
      while (!inflater.finished()) {
        out.grow();
        int count = inflater.inflate(out.array(), out.length(), out.room());
        out.advance(count);
        if (count == 0 && inflater.needsInput() && !inflater.finished()) {
          throw truncated();
        }
        if (inflater.needsDictionary()) {
          throw new CodecException("corrupt gzip data: asks for a dictionary");
        }
      }
    } catch (DataFormatException e) {
      throw new CodecException("corrupt gzip data: " + e.getMessage(), e);
    }
    return length - inflater.getRemaining();
  }

  private void checkTrailer(byte[] packed, int offset, int length, GrowingBuffer out, int start)
      throws CodecException {
    requireWithin(offset + TRAILER_LENGTH, length);
    crc.reset();
    crc.update(out.array(), start, out.length() - start);
    boolean intact =
        littleEndian(packed, offset) == (int) crc.getValue()
            && littleEndian(packed, offset + 4) == out.length() - start;
    if (!intact) {
      throw new CodecException("corrupt gzip data: checksum or size does not match");
    }
  }

  private static int littleEndian(byte[] bytes, int offset) {
    return (bytes[offset] & 0xff)
        | (bytes[offset + 1] & 0xff) << 8
        | (bytes[offset + 2] & 0xff) << 16
        | (bytes[offset + 3] & 0xff) << 24;
  }

  private static void requireWithin(int end, int length) throws CodecException {
    if (end > length) {
      throw truncated();
    }
  }

  private static CodecException truncated() {
    return new CodecException("truncated gzip data");
  }
}
