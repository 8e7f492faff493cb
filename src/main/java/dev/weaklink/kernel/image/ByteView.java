package dev.weaklink.kernel.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Bytes read in one byte order; every access is checked against their number. */
final class ByteView {
  private final byte[] data;
  private final int length;
  private final ByteBuffer buffer;

  /** The first {@code length} bytes, which are not copied. */
  ByteView(byte[] data, int length, boolean littleEndian) {
    this.data = data;
    this.length = length;
    this.buffer =
        ByteBuffer.wrap(data, 0, length)
            .order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
  }

  byte[] data() {
    return data;
  }

  int length() {
    return length;
  }

  boolean littleEndian() {
    return buffer.order() == ByteOrder.LITTLE_ENDIAN;
  }

  /** The same bytes read in another order. */
  ByteView inOrder(boolean little) {
    return little == littleEndian() ? this : new ByteView(data, length, little);
  }

  /** Whether {@code size} bytes at {@code offset} are there. */
  boolean contains(long offset, long size) {
    return offset >= 0 && size >= 0 && offset <= length && size <= length - offset;
  }

  int i32(int offset) {
    return buffer.getInt(offset);
  }

  long u32(int offset) {
    return buffer.getInt(offset) & 0xffffffffL;
  }

  /** A number of 4 or 8 bytes, the former unsigned. */
  long word(int offset, int size) {
    return size == Long.BYTES ? buffer.getLong(offset) : u32(offset);
  }

  /** Whether these ASCII characters stand at an offset. */
  boolean hasText(int offset, String text) {
    if (!contains(offset, text.length())) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (data[offset + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
