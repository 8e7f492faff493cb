package dev.weaklink.module;

/** The one way symbol CRCs are written. */
public final class Crc {
  private static final String HEX = "0123456789abcdef";
  private static final int DIGITS = 8;

  private Crc() {}

  /** {@code 0x} and at least eight lower-case hex digits. */
  public static String hex(long crc) {
    int digits = DIGITS;
    while (digits < 16 && crc >>> digits * 4 != 0) {
      digits++;
    }
    char[] text = new char[digits + 2];
    text[0] = '0';
    text[1] = 'x';
    for (int i = 0; i < digits; i++) {
      text[digits + 1 - i] = HEX.charAt((int) (crc >>> i * 4) & 0xf);
    }
    return new String(text);
  }

  /** A 32-bit CRC. */
  public static String hex(int crc) {
    return hex(crc & 0xffffffffL);
  }
}
