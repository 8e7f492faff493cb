package dev.weaklink.module;

/**
 * Whether bytes have the outer shape of a PKCS#7 message: a DER SEQUENCE that fills the given range
 * and begins with the object identifier of signedData (RFC 2315, 1.2.840.113549.1.7.2). What is
 * inside is for the verification of signatures.
 */
final class DerShape {
  private static final int SEQUENCE = 0x30;
  private static final byte[] SIGNED_DATA = {
    0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x07, 0x02
  };
  private static final int LONG_FORM = 0x80;
  private static final int MAX_LENGTH_BYTES = 4;

  private DerShape() {}

  static boolean isSequenceOf(byte[] data, int start, int end) {
    if (end - start < 2 || (data[start] & 0xff) != SEQUENCE) {
      return false;
    }
    int first = data[start + 1] & 0xff;
    int lengthBytes = first < LONG_FORM ? 0 : first - LONG_FORM;
    int content = start + 2 + lengthBytes;
    if (lengthBytes > MAX_LENGTH_BYTES || content > end) {
      return false;
    }
    long length = first;
    if (lengthBytes > 0) {
      length = 0;
      for (int i = 0; i < lengthBytes; i++) {
        length = length << 8 | (data[start + 2 + i] & 0xff);
      }
    }
    return length == end - content && startsWithSignedData(data, content, end);
  }

  private static boolean startsWithSignedData(byte[] data, int at, int end) {
    if (end - at < SIGNED_DATA.length) {
      return false;
    }
    for (int i = 0; i < SIGNED_DATA.length; i++) {
      if (data[at + i] != SIGNED_DATA[i]) {
        return false;
      }
    }
    return true;
  }
}
