package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;

/** Writes DER elements (X.690). */
public final class Der {
    private Der() {}

    public static byte[] element(int tag, byte[]... contents) {
        ByteArrayOutputStream inside = new ByteArrayOutputStream();
        for (byte[] part : contents) {
            inside.writeBytes(part);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = inside.size();
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        out.writeBytes(inside.toByteArray());
        return out.toByteArray();
    }

    public static byte[] sequence(byte[]... contents) {
        return element(0x30, contents);
    }

    /** Returns an INTEGER of one byte. */
    public static byte[] number(int value) {
        return element(0x02, new byte[] {(byte) value});
    }

    /** Returns the bytes of an element written in hexadecimal. */
    public static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
