package dev.weaklink.sys;

import java.util.HexFormat;

/** Formats numbers quickly, without java.util.Formatter. */
public final class Numbers {
    private Numbers() {}

    /** Returns a CRC as {@code 0x} with eight lower-case hexadecimal digits, or sixteen if eight are not enough. */
    public static String crc(long crc) {
        int width = crc >>> 32 == 0 ? 8 : 16;
        return "0x" + HexFormat.of().toHexDigits(crc, width);
    }

    public static String crc(int crc) {
        return crc(Integer.toUnsignedLong(crc));
    }

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

    public static String of(int number, String noun) {
        return grouped(number) + " " + noun + (number == 1 ? "" : "s");
    }
}
