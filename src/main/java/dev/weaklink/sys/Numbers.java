package dev.weaklink.sys;

import java.util.HexFormat;

/** Numbers as text, without the cost of a formatter. */
public final class Numbers {
    private Numbers() {}

    /** A CRC: {@code 0x} and eight lower-case digits, sixteen if it does not fit. */
    public static String crc(long crc) {
        int width = crc >>> 32 == 0 ? 8 : 16;
        return "0x" + HexFormat.of().toHexDigits(crc, width);
    }

    /** A CRC of 32 bits. */
    public static String crc(int crc) {
        return crc(Integer.toUnsignedLong(crc));
    }

    /** With separators between thousands. */
    public static String grouped(int number) {
        String digits = Integer.toString(number);
        if (digits.length() <= 3) {
            return digits;
        }
        StringBuilder grouped = new StringBuilder();
        for (int i = 0; i < digits.length(); i++) {
            if (i > 0 && (digits.length() - i) % 3 == 0 && digits.charAt(i - 1) != '-') {
                grouped.append(',');
            }
            grouped.append(digits.charAt(i));
        }
        return grouped.toString();
    }

    /** "1 module", "2 modules". */
    public static String of(int number, String noun) {
        return grouped(number) + " " + noun + (number == 1 ? "" : "s");
    }
}
