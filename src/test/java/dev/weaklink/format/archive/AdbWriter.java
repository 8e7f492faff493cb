package dev.weaklink.format.archive;

import dev.weaklink.testing.Payloads;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the values and the blocks of an ADB file for tests (apk-v3(5)). */
final class AdbWriter {
    static final int NOTHING = 0;

    private static final int NUMBER = 0x1 << 28;
    private static final int NUMBER_32 = 0x2 << 28;
    private static final int NUMBER_64 = 0x3 << 28;
    private static final int BYTES_8 = 0x8 << 28;
    private static final int BYTES_16 = 0x9 << 28;
    private static final int BYTES_32 = 0xa << 28;
    private static final int ARRAY = 0xd << 28;
    private static final int OBJECT = 0xe << 28;

    private final ByteArrayOutputStream values = new ByteArrayOutputStream();

    AdbWriter() {
        values.writeBytes(new byte[8]);
    }

    int number(long number) {
        if (number < 1 << 28) {
            return NUMBER | (int) number;
        }
        return number >>> 32 == 0 ? number32((int) number) : number64(number);
    }

    int number32(int number) {
        return NUMBER_32 | put(little(4).putInt(number), 4);
    }

    /** Adds a number of 64 bits at a multiple of four bytes, as apk does. */
    int number64(long number) {
        return NUMBER_64 | put(little(8).putLong(number), 4);
    }

    int text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Adds a byte string with the smallest possible width of its length. An empty byte string is stored as the value
     * {@link #NOTHING}.
     */
    int bytes(byte[] bytes) {
        if (bytes.length == 0) {
            return NOTHING;
        }
        return bytes(bytes, bytes.length < 1 << 8 ? 1 : bytes.length < 1 << 16 ? 2 : 4);
    }

    /** Adds a byte string whose length is stored in {@code width} bytes. */
    int bytes(byte[] bytes, int width) {
        ByteBuffer counted = little(width + bytes.length);
        switch (width) {
            case 1 -> counted.put((byte) bytes.length);
            case 2 -> counted.putShort((short) bytes.length);
            default -> counted.putInt(bytes.length);
        }
        counted.put(bytes);
        int type = width == 1 ? BYTES_8 : width == 2 ? BYTES_16 : BYTES_32;
        return type | put(counted, width);
    }

    int object(int... slots) {
        return OBJECT | sequence(slots.length + 1, slots);
    }

    int array(int... slots) {
        return ARRAY | sequence(slots.length + 1, slots);
    }

    /** Adds an object whose count need not match its slots. */
    int object(int count, int[] slots) {
        return OBJECT | sequence(count, slots);
    }

    /** Returns a reference to an object that starts at this offset, even if the object is written later. */
    static int objectAt(int offset) {
        return OBJECT | offset;
    }

    private int sequence(int count, int[] slots) {
        ByteBuffer words = little(4 + 4 * slots.length).putInt(count);
        for (int slot : slots) {
            words.putInt(slot);
        }
        return put(words, 4);
    }

    /** Returns the offset of the next value that is aligned to four bytes. */
    int position() {
        return values.size() + 3 & -4;
    }

    private int put(ByteBuffer value, int alignment) {
        while (values.size() % alignment != 0) {
            values.write(0);
        }
        int offset = values.size();
        values.writeBytes(value.array());
        return offset;
    }

    /** Returns the block, with the root value in its header. */
    byte[] withRoot(int root) {
        byte[] bytes = values.toByteArray();
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(4, root);
        return bytes;
    }

    static byte[] block(int type, byte[] contents) {
        int size = 4 + contents.length;
        return padded(little(size).putInt(type << 30 | size).put(contents).array());
    }

    static byte[] extendedBlock(int type, byte[] contents) {
        return padded(little(16 + contents.length)
                .put(extendedHeader(type, 16L + contents.length))
                .put(contents)
                .array());
    }

    static byte[] extendedHeader(int type, long size) {
        return little(16).putInt(3 << 30 | type).putInt(0).putLong(size).array();
    }

    private static byte[] padded(byte[] block) {
        return Arrays.copyOf(block, block.length + 7 & -8);
    }

    static byte[] data(int directory, int file, byte[] contents) {
        return block(AdbBlocks.DATA, dataOf(directory, file, contents));
    }

    static byte[] dataOf(int directory, int file, byte[] contents) {
        return little(8 + contents.length)
                .putInt(directory)
                .putInt(file)
                .put(contents)
                .array();
    }

    static byte[] file(byte[]... blocks) {
        return Payloads.concat("ADB.pckg".getBytes(StandardCharsets.US_ASCII), Payloads.concat(blocks));
    }

    private static ByteBuffer little(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
