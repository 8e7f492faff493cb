package dev.weaklink.cache;

import dev.weaklink.sys.FileIdentity;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.List;

/**
 * The certificates in a kernel's image as one block of bytes, numbers little-endian:
 *
 * <pre>
 *   u32 magic, u64 digest of the program, u32 length of all
 *   u64 device, inode, size, modified, changed of the image
 *   the kernel's release, u32 certificates, each of them
 *   u32 CRC-32 of everything before
 * </pre>
 */
final class CertificateSegment {
  static final int MAGIC = 0x31434c57;
  private static final int SMALLEST = 4;

  private CertificateSegment() {}

  /**
   * The bytes for an image.
   *
   * @throws UnkeepableException if they cannot hold it
   */
  static byte[] write(ImageCertificates found, FileIdentity file, long program) {
    SegmentBytes body = new SegmentBytes(1 << 14);
    body.text(found.release());
    body.i32(found.certificates().size());
    found.certificates().forEach(body::text);
    return SegmentWriter.closed(MAGIC, program, List.of(PackageSegment.identity(file), body));
  }

  /**
   * What was found in an image.
   *
   * @param file the image as it is now
   * @throws CorruptSegmentException if the bytes are not whole, or of another program or image
   */
  static ImageCertificates read(byte[] bytes, long program, FileIdentity file)
      throws CorruptSegmentException {
    SegmentCursor in = Segment.opened(bytes, MAGIC, program);
    try {
      PackageSegment.requireIdentity(in, file);
      String release = in.textOrThrow();
      List<String> certificates = new ArrayList<>();
      for (int i = in.count(SMALLEST); i > 0; i--) {
        certificates.add(in.textOrThrow());
      }
      return new ImageCertificates(release, certificates);
    } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
      throw new CorruptSegmentException("contents beyond the end");
    }
  }
}
