package dev.weaklink.kernel.image;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sizes of structures by name, from the kernel's BTF (Documentation/bpf/btf.rst). What cannot be
 * followed is not known.
 */
final class StructSizes {
  static final int UNKNOWN = -1;

  private static final int HEADER_SIZE = 24;
  private static final int TYPE_SIZE = 12;
  private static final int KIND_STRUCT = 4;
  private static final int MAX_KIND = 19;

  /** Bytes behind a type of each kind: once, and for each of its members. */
  private static final int[] FIXED = {0, 4, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0};

  private static final int[] EACH = {
    0, 0, 0, 0, 12, 12, 8, 0, 0, 0, 0, 0, 0, 8, 0, 12, 0, 0, 0, 12
  };

  private final Blob image;
  private final int start;
  private final int types;
  private final int typesEnd;
  private final long strings;
  private final long stringsEnd;

  private StructSizes(Blob image, int start, int types, int typesEnd) {
    this.image = image;
    this.start = start;
    this.types = types;
    this.typesEnd = typesEnd;
    this.strings = start + HEADER_SIZE + image.u32(start + 16);
    this.stringsEnd = Math.min(strings + image.u32(start + 20), image.length());
  }

  /** Reads the BTF that starts at an offset; null if none does. */
  static @Nullable StructSizes at(Blob image, int start) {
    if (!image.contains(start, HEADER_SIZE) || image.u32(start + 4) != HEADER_SIZE) {
      return null;
    }
    boolean magic =
        (image.i32(start) & (image.littleEndian() ? 0xffff : 0xffff0000))
            == (image.littleEndian() ? 0xeb9f : 0xeb9f0000);
    long types = start + HEADER_SIZE + image.u32(start + 8);
    long length = image.u32(start + 12);
    return magic && image.contains(types, length)
        ? new StructSizes(image, start, (int) types, (int) (types + length))
        : null;
  }

  /** Looks for the BTF of a raw image; null if there is none. */
  static @Nullable StructSizes search(Blob image) {
    // An image is full of zeros, at which a search for a text that ends with one would stop.
    TextSearch header =
        new TextSearch(
            image.littleEndian() ? "\u009f\u00eb\1\0\u0018" : "\u00eb\u009f\1\0\0\0\0\u0018");
    int at = header.next(image.data(), 0, image.length());
    while (at >= 0 && !(image.contains(at, HEADER_SIZE) && image.u32(at + 4) == HEADER_SIZE)) {
      at = header.next(image.data(), at + 1, image.length());
    }
    return at < 0 ? null : at(image, at);
  }

  /** The whole BTF, from its header to the end of types and strings; a view of the image. */
  ByteBuffer section() {
    int end = (int) Math.max(stringsEnd, typesEnd);
    return ByteBuffer.wrap(image.data(), start, end - start).slice();
  }

  /** Size in bytes of the first structure of that name. */
  int of(String name) {
    String wanted = name + "\0";
    for (int at = types; typesEnd - at >= TYPE_SIZE; ) {
      int info = image.i32(at + 4);
      int kind = info >>> 24 & 0x1f;
      if (kind > MAX_KIND) {
        return UNKNOWN;
      }
      if (kind == KIND_STRUCT && isNamed(image.u32(at), wanted)) {
        return image.i32(at + 8);
      }
      at += TYPE_SIZE + FIXED[kind] + EACH[kind] * (info & 0xffff);
    }
    return UNKNOWN;
  }

  private boolean isNamed(long offset, String wanted) {
    long at = strings + offset;
    return at + wanted.length() <= stringsEnd && image.hasText((int) at, wanted);
  }
}
