package dev.weaklink.system.cache;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.List;

/**
 * The certificates that were found in a kernel's image.
 *
 * @param release the kernel's release (uname -r)
 * @param certificates their DER, one character a byte
 */
public record ImageCertificates(String release, List<String> certificates) {
  static final int MAGIC = 0x31434c57;
  private static final int SMALLEST = 4;

  public ImageCertificates {
    certificates = List.copyOf(certificates);
  }

  /** The release, u32 certificates, each of them. */
  SegmentBytes bytes() {
    SegmentBytes out = new SegmentBytes(1 << 14);
    out.text(release);
    out.i32(certificates.size());
    certificates.forEach(out::text);
    return out;
  }

  static ImageCertificates read(SegmentCursor in) throws UnreadableException {
    String release = in.textOrThrow();
    List<String> certificates = new ArrayList<>();
    for (int i = in.count(SMALLEST); i > 0; i--) {
      certificates.add(in.textOrThrow());
    }
    return new ImageCertificates(release, certificates);
  }
}
