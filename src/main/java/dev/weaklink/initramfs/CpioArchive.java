package dev.weaklink.initramfs;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One cpio archive in the only formats the kernel takes: "newc" and "crc", 110 bytes of header in
 * ASCII hexadecimal, the name with its NUL, padding to four bytes, the contents, padding again.
 */
final class CpioArchive {
  private static final int HEADER_LENGTH = 110;
  private static final String MAGIC = "07070";
  private static final int MAGIC_LENGTH = 6;
  private static final int FIELD_LENGTH = 8;

  /** Fields, counted from the one behind the magic. */
  private static final int MODE = 1;

  private static final int LINKS = 4;
  private static final int FILE_SIZE = 6;
  private static final int NAME_SIZE = 11;

  /** As the kernel allows (init/initramfs.c:do_header), with the NUL. */
  private static final int MAX_NAME_SIZE = 4096;

  /** The largest of a distribution's modules have about 30 MiB, with debugging information. */
  private static final long MAX_MODULE_SIZE = 256L << 20;

  private static final String TRAILER = "TRAILER!!!";

  private CpioArchive() {}

  /** Reads entries up to and with the trailer. */
  static void read(InputStream in, ImageEntries entries) throws IOException {
    byte[] header = new byte[HEADER_LENGTH];
    while (true) {
      readFully(in, header);
      requireMagic(header);
      String name = readName(in, field(header, NAME_SIZE));
      long size = field(header, FILE_SIZE);
      int mode = (int) field(header, MODE);
      if (entries.wantsContents(name, mode) && !isContentsElsewhere(header, size)) {
        byte[] contents = readContents(in, size);
        skip(in, padding(size));
        entries.add(name, mode, size);
        entries.contents(contents);
        continue;
      }
      skip(in, size + padding(size));
      if (name.equals(TRAILER)) {
        return;
      }
      entries.add(name, mode, size);
    }
  }

  /** Of a file with several names only the last one is followed by its contents. */
  private static boolean isContentsElsewhere(byte[] header, long size) throws ImageException {
    return size == 0 && field(header, LINKS) > 1;
  }

  private static byte[] readContents(InputStream in, long size) throws IOException {
    if (size > MAX_MODULE_SIZE) {
      throw new ImageException("holds a module of " + size + " bytes, over the limit");
    }
    byte[] contents = in.readNBytes((int) size);
    if (contents.length < size) {
      throw truncated(null);
    }
    return contents;
  }

  private static void requireMagic(byte[] header) throws ImageException {
    String magic = new String(header, 0, MAGIC_LENGTH, StandardCharsets.ISO_8859_1);
    boolean known = magic.equals(MAGIC + "1") || magic.equals(MAGIC + "2");
    if (!known) {
      throw new ImageException(
          magic.equals(MAGIC + "7")
              ? "cpio archive in the old portable format, which no kernel unpacks"
              : "corrupt cpio archive: an entry without its magic");
    }
  }

  private static long field(byte[] header, int index) throws ImageException {
    int start = MAGIC_LENGTH + index * FIELD_LENGTH;
    long value = 0;
    for (int i = start; i < start + FIELD_LENGTH; i++) {
      int digit = header[i] < 0 ? -1 : Character.digit(header[i], 16);
      if (digit < 0) {
        throw new ImageException("corrupt cpio archive: a field is not a hexadecimal number");
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static String readName(InputStream in, long size) throws IOException {
    if (size <= 0 || size > MAX_NAME_SIZE) {
      throw new ImageException("corrupt cpio archive: a name of " + size + " bytes");
    }
    byte[] name = new byte[(int) size];
    readFully(in, name);
    if (name[name.length - 1] != 0) {
      throw new ImageException("corrupt cpio archive: a name without its end");
    }
    skip(in, padding(HEADER_LENGTH + size));
    int length = 0;
    while (name[length] != 0) {
      length++;
    }
    return new String(name, 0, length, StandardCharsets.UTF_8);
  }

  private static void readFully(InputStream in, byte[] bytes) throws IOException {
    if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
      throw truncated(null);
    }
  }

  private static void skip(InputStream in, long count) throws IOException {
    try {
      in.skipNBytes(count);
    } catch (EOFException e) {
      throw truncated(e);
    }
  }

  /** Entries start at multiples of four, as their archive does. */
  private static long padding(long length) {
    return -length & 3;
  }

  private static ImageException truncated(@Nullable Throwable cause) {
    return cause == null
        ? new ImageException("truncated cpio archive: no trailer")
        : new ImageException("truncated cpio archive: no trailer", cause);
  }
}
