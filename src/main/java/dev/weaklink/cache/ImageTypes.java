package dev.weaklink.cache;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The types (BTF) in a kernel's image.
 *
 * @param release the kernel's release (uname -r)
 * @param section its BTF section; null if it has none
 */
public record ImageTypes(String release, @Nullable ByteBuffer section) {
  static final int MAGIC = 0x31494c57;

  /** Kernels have 4 to 7 MB of them. */
  private static final int LARGEST = 32 << 20;

  /**
   * The release, u8 whether there are types, u32 their length, the types.
   *
   * @throws UnkeepableException if they are too long
   */
  SegmentBytes bytes() {
    int length = section == null ? 0 : section.remaining();
    if (length > LARGEST) {
      throw new UnkeepableException("too many types");
    }
    SegmentBytes out = new SegmentBytes(length + 256);
    out.text(release);
    out.bool(section != null);
    if (section != null) {
      byte[] types = new byte[length];
      section.duplicate().get(types);
      out.i32(length);
      out.bytes(types, 0, length);
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
