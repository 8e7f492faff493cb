package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes boot images around a packed kernel, each according to its boot protocol. */
public final class Payloads {
    private static final int SECTOR = 512;
    private static final int SETUP_SECTORS = 3;

    private Payloads() {}

    /** Returns an image of x86: setup code, then the protected-mode part with the payload at an offset. */
    public static byte[] bzImage(byte[] payload) {
        return bzImage(payload, payload.length);
    }

    /** Returns such an image with another payload length in its header. */
    public static byte[] bzImage(byte[] payload, long statedLength) {
        int distance = 0x3c4;
        int start = (SETUP_SECTORS + 1) * SECTOR + distance;
        ByteBuffer image = little(start + payload.length + 100);
        text(image, 0, "MZ");
        image.put(0x1f1, (byte) SETUP_SECTORS);
        image.putShort(0x1fe, (short) 0xaa55);
        text(image, 0x202, "HdrS");
        image.putShort(0x206, (short) 0x20f);
        image.putInt(0x248, distance);
        image.putInt(0x24c, (int) statedLength);
        image.put(start, payload);
        return image.array();
    }

    /** Returns an image of EFI zboot. The length in its header includes the size at the payload's end only for gzip. */
    public static byte[] zboot(byte[] payload, String compression) {
        ByteBuffer image = little(0x1000 + payload.length + 64);
        text(image, 0, "MZ");
        text(image, 4, "zimg");
        image.putInt(8, 0x1000);
        image.putInt(12, compression.equals("gzip") ? payload.length : payload.length - 4);
        text(image, 0x18, compression);
        image.put(0x1000, payload);
        return image.array();
    }

    /** Returns an image of LoongArch: the header of an EFI program in the space that the kernel reserves for it. */
    public static byte[] loongArch(byte[] kernel) {
        ByteBuffer image = little(kernel.length).put(0, kernel);
        text(image, 0, "MZ");
        image.putInt(0x38, 0x818223cd);
        image.putInt(0x3c, 0x40);
        text(image, 0x40, "PE\0\0db");
        return image.array();
    }

    /** Returns a zImage of arm, whose header does not contain the offset of the payload. */
    public static byte[] zImage(byte[] payload) {
        ByteBuffer image = little(0x1234 + payload.length + 500);
        image.putInt(0x24, 0x016f2818);
        image.put(0x1234, payload);
        return image.array();
    }

    /** Returns an image of s390. */
    public static byte[] s390(byte[] payload) {
        ByteBuffer image = little(0x11003 + payload.length + 500);
        text(image, 0x10008, "S390EP");
        image.put(0x11003, payload);
        return image.array();
    }

    /** Returns a PE file with the kernel in its section .linux, between two other sections. */
    public static byte[] unified(byte[] kernel) {
        int data = 0x400;
        ByteBuffer image = little(data + kernel.length);
        text(image, 0, "MZ");
        image.putInt(0x3c, 0x80);
        text(image, 0x80, "PE");
        image.putShort(0x86, (short) 2);
        image.putShort(0x94, (short) 0x10);
        section(image, 0xa8, ".text", 0x300, 16);
        section(image, 0xd0, ".linux", data, kernel.length);
        image.put(data, kernel);
        return image.array();
    }

    private static void section(ByteBuffer image, int at, String name, int offset, int length) {
        text(image, at, name);
        image.putInt(at + 8, length);
        image.putInt(at + 16, length);
        image.putInt(at + 20, offset);
    }

    /** Returns four bytes, little-endian. */
    public static byte[] u32(long value) {
        return little(4).putInt(0, (int) value).array();
    }

    public static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void text(ByteBuffer image, int at, String text) {
        image.put(at, text.getBytes(StandardCharsets.US_ASCII));
    }
}
