package dev.weaklink.module.signature;

import java.util.List;

/**
 * The certificates whose keys a kernel trusts for its modules.
 *
 * @param certificates all that are known
 * @param complete whether those that are built into the kernel are among them, so that a key that
 *     is none of these is not trusted
 */
public record KeyRing(List<EncodedCertificate> certificates, boolean complete) {
  public static final KeyRing UNKNOWN = new KeyRing(List.of(), false);

  public KeyRing {
    certificates = List.copyOf(certificates);
  }
}
