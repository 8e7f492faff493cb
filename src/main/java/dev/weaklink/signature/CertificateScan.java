package dev.weaklink.signature;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the certificates in a kernel (certs/system_certificates.S: system_certificate_list). They
 * lie there one after the other as DER; without a symbol table only their looks tell where: a
 * SEQUENCE of at least 256 bytes that starts with a SEQUENCE that starts with the version, 3, and a
 * serial number (RFC 5280, 4.1).
 */
public final class CertificateScan {
  private static final int MAX_CERTIFICATES = 256;
  private static final int SEQUENCE = 0x30;
  private static final int LONG_1 = 0x81;
  private static final int LONG_2 = 0x82;
  private static final int OUTER_HEADER = 4;
  private static final byte[] VERSION_AND_SERIAL = {(byte) 0xa0, 3, 2, 1, 2, 2};

  private final byte[] data;
  private final int length;
  private final String where;
  private final List<EncodedCertificate> found = new ArrayList<>();

  private CertificateScan(byte[] data, int length, String where) {
    this.data = data;
    this.length = length;
    this.where = where;
  }

  /**
   * What looks like a certificate; each once.
   *
   * @param kernel the unpacked kernel
   * @param length how many of its bytes count
   * @param where what to say they were found in
   */
  public static List<EncodedCertificate> of(byte[] kernel, int length, String where) {
    CertificateScan scan = new CertificateScan(kernel, length, where);
    int at = 0;
    while (at < length - OUTER_HEADER && scan.found.size() < MAX_CERTIFICATES) {
      at += kernel[at] == SEQUENCE && (kernel[at + 1] & 0xff) == LONG_2 ? scan.take(at) : 1;
    }
    return scan.found;
  }

  /** Takes the certificate that starts here, if one does; returns how far to go on. */
  private int take(int at) {
    int size = (data[at + 2] & 0xff) << 8 | (data[at + 3] & 0xff);
    int end = at + OUTER_HEADER + size;
    if (end > length || !isSigned(at + OUTER_HEADER, end)) {
      return 1;
    }
    byte[] der = Arrays.copyOfRange(data, at, end);
    for (EncodedCertificate other : found) {
      if (Arrays.equals(other.der(), der)) {
        return der.length;
      }
    }
    found.add(new EncodedCertificate(der, where));
    return der.length;
  }

  /** Whether what is signed in a certificate starts here. */
  private boolean isSigned(int at, int end) {
    if (end - at < OUTER_HEADER + VERSION_AND_SERIAL.length || data[at] != SEQUENCE) {
      return false;
    }
    int form = data[at + 1] & 0xff;
    int header = form == LONG_2 ? 4 : form == LONG_1 ? 3 : 0;
    return header > 0
        && Arrays.equals(
            data,
            at + header,
            at + header + VERSION_AND_SERIAL.length,
            VERSION_AND_SERIAL,
            0,
            VERSION_AND_SERIAL.length);
  }
}
