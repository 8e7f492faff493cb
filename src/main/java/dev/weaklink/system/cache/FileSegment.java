package dev.weaklink.system.cache;

import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.List;

/**
 * What is kept of one file, as one block of bytes, numbers little-endian:
 *
 * <pre>
 *   u32 magic, which says of what kind it is, u64 digest of the program, u32 length of all
 *   u64 device, inode, size, modified, changed of the file
 *   what is kept
 *   u32 CRC-32 of everything before
 * </pre>
 */
final class FileSegment {
  private FileSegment() {}

  /** Reads what is kept. */
  interface Reader<T> {
    T read(SegmentCursor in) throws UnreadableException;
  }

  /**
   * The bytes for a file.
   *
   * @throws BufferOverflowException if they are too long
   */
  static byte[] write(int magic, long program, FileIdentity file, List<SegmentBytes> kept) {
    List<SegmentBytes> parts = new ArrayList<>();
    parts.add(identity(file));
    parts.addAll(kept);
    return SegmentWriter.closed(magic, program, parts);
  }

  private static SegmentBytes identity(FileIdentity file) {
    SegmentBytes out = new SegmentBytes(5 * Long.BYTES);
    out.i64(file.device());
    out.i64(file.inode());
    out.i64(file.size());
    out.i64(file.modified());
    out.i64(file.changed());
    return out;
  }

  /**
   * What is kept of a file.
   *
   * @param file its identity now
   * @throws UnreadableException if the bytes are not whole, or of another kind, program or file
   */
  static <T> T read(byte[] bytes, int magic, long program, FileIdentity file, Reader<T> reader)
      throws UnreadableException {
    SegmentCursor in = Segment.opened(bytes, magic, program);
    try {
      FileIdentity kept = new FileIdentity(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
      if (!kept.equals(file)) {
        throw new UnreadableException("of another file");
      }
      return reader.read(in);
    } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
      throw new UnreadableException("contents beyond the end");
    }
  }
}
