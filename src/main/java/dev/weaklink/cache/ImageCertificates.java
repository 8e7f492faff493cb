package dev.weaklink.cache;

import java.util.List;

/**
 * The certificates that were found in a kernel's image.
 *
 * @param release the kernel's release (uname -r)
 * @param certificates their DER, one character a byte
 */
public record ImageCertificates(String release, List<String> certificates) {
  public ImageCertificates {
    certificates = List.copyOf(certificates);
  }
}
