package dev.weaklink.system.cache;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.image.ImageTypes;
import dev.weaklink.module.SymbolNames;
import java.nio.ByteBuffer;

/** The types in a kernel's image, and its exports if they were read, as they are kept. */
final class TypesSegment {
  static final int MAGIC = 0x32494c57;

  /** Kernels have 4 to 7 MB of them. */
  private static final int LARGEST = 32 << 20;

  private static final int UNKNOWN = 0;
  private static final int ANY = 1;
  private static final int GPL_ONLY = 2;

  /** Bytes of one with an empty name and no namespace. */
  private static final int SMALLEST_EXPORT = 14;

  private TypesSegment() {}

  /**
   * The release, u8 whether there are types, u32 their length, the types; u8 whether exports were
   * read, u32 how many, and for each its name, u8 whether it has a CRC, u32 the CRC, u8 its license
   * and its namespace.
   *
   * @throws UnkeepableException if they are too long
   */
  static SegmentBytes bytes(ImageTypes types) {
    byte[] section = types.bytes();
    int length = section == null ? 0 : section.length;
    if (length > LARGEST) {
      throw new UnkeepableException("too many types");
    }
    SegmentBytes out = new SegmentBytes(length + 256);
    out.text(types.release());
    out.bool(section != null);
    if (section != null) {
      out.i32(length);
      out.bytes(section, 0, length);
    }
    out.bool(types.exports() != null);
    if (types.exports() != null) {
      write(types.exports(), out);
    }
    return out;
  }

  private static void write(ExportTable exports, SegmentBytes out) {
    SymbolNames names = exports.names();
    out.i32(exports.size());
    for (int row = 0; row < exports.size(); row++) {
      out.i32(names.length(row));
      out.bytes(names.bytes(), names.offset(row), names.length(row));
      out.bool(exports.hasCrc(row));
      out.i32(exports.crc(row));
      out.u8(exports.isLicenseKnown(row) ? exports.isGplOnly(row) ? GPL_ONLY : ANY : UNKNOWN);
      out.text(exports.namespace(row));
    }
  }

  static ImageTypes read(SegmentCursor in) throws CorruptSegmentException {
    String release = in.textOrThrow();
    ByteBuffer section = null;
    if (in.bool()) {
      int length = in.count(1);
      section = ByteBuffer.wrap(in.bytes(), in.position(), length).slice();
      in.skip(length);
    }
    return new ImageTypes(release, section, in.bool() ? exports(in) : null);
  }

  private static ExportTable exports(SegmentCursor in) throws CorruptSegmentException {
    int count = in.count(SMALLEST_EXPORT);
    ExportTableBuilder rows = new ExportTableBuilder(count);
    int vmlinux = rows.owner(Symvers.VMLINUX);
    for (int i = 0; i < count; i++) {
      int length = in.count(1);
      int name = in.position();
      in.skip(length);
      boolean hasCrc = in.bool();
      int crc = in.i32();
      int license = in.u8();
      rows.add(
          in.bytes(),
          name,
          length,
          hasCrc ? crc : null,
          license == UNKNOWN ? null : license == GPL_ONLY,
          vmlinux,
          rows.namespace(in.text()));
    }
    return rows.build();
  }
}
