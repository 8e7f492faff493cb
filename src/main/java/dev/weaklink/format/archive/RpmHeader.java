package dev.weaklink.format.archive;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A header of an rpm package: an index of tags and a store of their values, all big-endian.
 *
 * <p>Intro of 16 bytes: magic 8e ad e8 01, four reserved, number of index entries, size of the
 * store. Index entry of 16 bytes: tag, type, offset in the store, count.
 */
final class RpmHeader {
  private static final int INTRO_LENGTH = 16;
  private static final int MAGIC = 0x8eade801;
  private static final int ENTRY_LENGTH = 16;

  /** rpm's own limit. */
  private static final int MAX_ENTRIES = 0xffff;

  /** rpm allows 256 MiB; headers of the largest kernel packages have a few. */
  private static final int MAX_STORE = 64 << 20;

  /** Packages of kernel sources have some ten thousand files. */
  private static final int MAX_VALUES = 1 << 18;

  private static final int TYPE_INT16 = 3;
  private static final int TYPE_INT32 = 4;
  private static final int TYPE_INT64 = 5;
  private static final int TYPE_STRING = 6;
  private static final int TYPE_STRING_ARRAY = 8;
  private static final int TYPE_I18N_STRING = 9;

  private final ByteBuffer index;
  private final byte[] store;

  private RpmHeader(ByteBuffer index, byte[] store) {
    this.index = index;
    this.store = store;
  }

  /** Reads a header and no byte more. */
  static RpmHeader read(InputStream in) throws IOException {
    ByteBuffer intro = bytes(in, INTRO_LENGTH);
    if (intro.getInt() != MAGIC) {
      throw new MalformedArchiveException("corrupt rpm package: a header has no magic");
    }
    int entries = intro.getInt(8);
    int size = intro.getInt(12);
    if (entries < 0 || entries > MAX_ENTRIES || size < 0 || size > MAX_STORE) {
      throw new MalformedArchiveException("corrupt rpm package: a header is too large");
    }
    ByteBuffer index = bytes(in, entries * ENTRY_LENGTH);
    return new RpmHeader(index, bytes(in, size).array());
  }

  /** Does not believe a length until the bytes are there. */
  private static ByteBuffer bytes(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("truncated: the rpm package ends in its header");
    }
    return ByteBuffer.wrap(bytes);
  }

  /** Size of the store in bytes. */
  int storeSize() {
    return store.length;
  }

  boolean has(int tag) {
    return find(tag) >= 0;
  }

  /** A string, or the first of several; empty if there is none. */
  String string(int tag) throws MalformedArchiveException {
    int entry = find(tag);
    return entry < 0 ? "" : strings(entry, 1)[0];
  }

  /** The strings of a tag; none if it is absent. */
  String[] strings(int tag) throws MalformedArchiveException {
    int entry = find(tag);
    return entry < 0 ? new String[0] : strings(entry, count(entry));
  }

  private String[] strings(int entry, int count) throws MalformedArchiveException {
    int type = index.getInt(entry + 4);
    if (type != TYPE_STRING && type != TYPE_STRING_ARRAY && type != TYPE_I18N_STRING) {
      throw wrongType(entry);
    }
    String[] strings = new String[count];
    int start = index.getInt(entry + 8);
    for (int i = 0; i < count; i++) {
      int end = start;
      while (end >= 0 && end < store.length && store[end] != 0) {
        end++;
      }
      if (start < 0 || end >= store.length) {
        throw outside(entry);
      }
      strings[i] = new String(store, start, end - start, StandardCharsets.UTF_8);
      start = end + 1;
    }
    return strings;
  }

  /** The numbers of a tag, unsigned but for 64 bits; none if it is absent. */
  long[] numbers(int tag) throws MalformedArchiveException {
    int entry = find(tag);
    if (entry < 0) {
      return new long[0];
    }
    int width = width(entry);
    int count = count(entry);
    int offset = index.getInt(entry + 8);
    if (offset < 0 || offset + (long) count * width > store.length) {
      throw outside(entry);
    }
    ByteBuffer values = ByteBuffer.wrap(store, offset, count * width);
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] =
          switch (width) {
            case 2 -> values.getShort() & 0xffffL;
            case 4 -> values.getInt() & 0xffffffffL;
            default -> values.getLong();
          };
    }
    return numbers;
  }

  private int width(int entry) throws MalformedArchiveException {
    switch (index.getInt(entry + 4)) {
      case TYPE_INT16:
        return 2;
      case TYPE_INT32:
        return 4;
      case TYPE_INT64:
        return 8;
      default:
        throw wrongType(entry);
    }
  }

  private int count(int entry) throws MalformedArchiveException {
    int count = index.getInt(entry + 12);
    if (count < 0 || count > MAX_VALUES) {
      throw new MalformedArchiveException(
          "corrupt rpm package: " + count + " values for tag " + index.getInt(entry));
    }
    return count;
  }

  private int find(int tag) {
    for (int entry = 0; entry < index.capacity(); entry += ENTRY_LENGTH) {
      if (index.getInt(entry) == tag) {
        return entry;
      }
    }
    return -1;
  }

  private MalformedArchiveException wrongType(int entry) {
    return new MalformedArchiveException(
        "corrupt rpm package: tag " + index.getInt(entry) + " has an unexpected type");
  }

  private MalformedArchiveException outside(int entry) {
    return new MalformedArchiveException(
        "corrupt rpm package: tag " + index.getInt(entry) + " lies outside the header");
  }
}
