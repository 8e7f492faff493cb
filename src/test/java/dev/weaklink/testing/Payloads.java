package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes the files around a packed kernel, each as its boot protocol describes it. */
public final class Payloads {
    private static final int SECTOR = 512;
    private static final int SETUP_SECTORS = 3;

    private Payloads() {}

    /** x86: setup code, then the protected-mode part with the payload at some distance. */
    public static byte[] bzImage(byte[] payload) {
        return bzImage(payload, payload.length);
    }

    /** The same with another length in its header. */
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

    /** EFI zboot; of a payload that gzip did not pack, the header leaves out the size at its end. */
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

    /** LoongArch's image: the header of an EFI program before a kernel that leaves room for it. */
    public static byte[] loongArch(byte[] kernel) {
        ByteBuffer image = little(kernel.length).put(0, kernel);
        text(image, 0, "MZ");
        image.putInt(0x38, 0x818223cd);
        image.putInt(0x3c, 0x40);
        text(image, 0x40, "PE\0\0db");
        return image.array();
    }

    /** arm's zImage; its header does not say where the payload is. */
    public static byte[] zImage(byte[] payload) {
        ByteBuffer image = little(0x1234 + payload.length + 500);
        image.putInt(0x24, 0x016f2818);
        image.put(0x1234, payload);
        return image.array();
    }

    /** s390's image. */
    public static byte[] s390(byte[] payload) {
        ByteBuffer image = little(0x11003 + payload.length + 500);
        text(image, 0x10008, "S390EP");
        image.put(0x11003, payload);
        return image.array();
    }

    /** A PE file with that in its section .linux, between two others. */
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

    /** Four bytes, little-endian. */
    public static byte[] u32(long value) {
        return little(4).putInt(0, (int) value).array();
    }

    /** One after the other. */
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
