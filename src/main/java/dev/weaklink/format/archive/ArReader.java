package dev.weaklink.format.archive;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the common ar format of deb(5): short names only, each member padded to an even size. */
final class ArReader {
  private static final byte[] MAGIC = "!<arch>\n".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER_LENGTH = 60;
  private static final int NAME_LENGTH = 16;
  private static final int SIZE_OFFSET = 48;
  private static final int SIZE_LENGTH = 10;
  private static final int END_OFFSET = 58;

  private final InputStream in;
  private EntryData data;
  private boolean padded;

  /** Reads on behind the magic. */
  ArReader(InputStream in) throws IOException {
    this.in = in;
    this.data = new EntryData(in, MAGIC.length);
    data.drain();
  }

  static boolean hasMagic(byte[] bytes, int length) {
    for (int i = 0; i < MAGIC.length; i++) {
      if (i >= length || bytes[i] != MAGIC[i]) {
        return false;
      }
    }
    return true;
  }

  /** The next member's name, without the blanks and the slash it may end in; null at the end. */
  @Nullable String next() throws IOException {
    data.drain();
    if (padded && in.read() < 0) {
      return null;
    }
    byte[] header = in.readNBytes(HEADER_LENGTH);
    if (header.length == 0) {
      return null;
    }
    if (header.length < HEADER_LENGTH) {
      throw new EOFException("truncated: the ar archive has no end");
    }
    if (header[END_OFFSET] != '`' || header[END_OFFSET + 1] != '\n') {
      throw new MalformedArchiveException("corrupt ar archive: a member has no header");
    }
    long size = size(header);
    data = new EntryData(in, size);
    padded = size % 2 != 0;
    String name = new String(header, 0, NAME_LENGTH, StandardCharsets.ISO_8859_1).stripTrailing();
    return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
  }

  InputStream contents() {
    return data;
  }

  private static long size(byte[] header) throws MalformedArchiveException {
    long size = 0;
    int i = SIZE_OFFSET;
    while (i < SIZE_OFFSET + SIZE_LENGTH && header[i] >= '0' && header[i] <= '9') {
      size = size * 10 + (header[i++] - '0');
    }
    if (i == SIZE_OFFSET || i < SIZE_OFFSET + SIZE_LENGTH && header[i] != ' ') {
      throw new MalformedArchiveException("corrupt ar archive: a size is not a number");
    }
    return size;
  }
}
