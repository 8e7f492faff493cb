package dev.weaklink.cache;

import dev.weaklink.image.ImageTypes;
import java.nio.ByteBuffer;

/** The types in a kernel's image, as they are kept. */
final class TypesSegment {
  static final int MAGIC = 0x31494c57;

  /** Kernels have 4 to 7 MB of them. */
  private static final int LARGEST = 32 << 20;

  private TypesSegment() {}

  /**
   * The release, u8 whether there are types, u32 their length, the types.
   *
   * @throws UnkeepableException if they are too long
   */
  static SegmentBytes bytes(ImageTypes types) {
    ByteBuffer section = types.section();
    int length = section == null ? 0 : section.remaining();
    if (length > LARGEST) {
      throw new UnkeepableException("too many types");
    }
    SegmentBytes out = new SegmentBytes(length + 256);
    out.text(types.release());
    out.bool(section != null);
    if (section != null) {
      byte[] bytes = new byte[length];
      section.duplicate().get(bytes);
      out.i32(length);
      out.bytes(bytes, 0, length);
    }
    return out;
  }

  static ImageTypes read(SegmentCursor in) throws CorruptSegmentException {
    String release = in.textOrThrow();
    if (!in.bool()) {
      return new ImageTypes(release, null);
    }
    int length = in.count(1);
    return new ImageTypes(release, ByteBuffer.wrap(in.bytes(), in.position(), length).slice());
  }
}
