package dev.weaklink.testing;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing buffer of bytes that can be changed in place, in a machine's byte order. */
public final class ElfBytes {
    private final ByteOrder order;
    private final int wordSize;
    private byte[] bytes = new byte[64];
    private int size;

    public ElfBytes(Machine machine) {
        order = machine.order();
        wordSize = machine.wordSize();
    }

    public int size() {
        return size;
    }

    public ElfBytes bytes(byte[] source) {
        reserve(source.length);
        System.arraycopy(source, 0, bytes, size, source.length);
        size += source.length;
        return this;
    }

    /** Appends a string with one byte for each character, and a NUL. */
    public ElfBytes string(String text) {
        return bytes(text.getBytes(StandardCharsets.ISO_8859_1)).zeros(1);
    }

    /** Appends a string, padded with NUL or truncated to {@code width} bytes. */
    public ElfBytes field(String text, int width) {
        return bytes(Arrays.copyOf(text.getBytes(StandardCharsets.ISO_8859_1), width));
    }

    public ElfBytes zeros(int count) {
        reserve(count);
        size += count;
        return this;
    }

    /** Appends zero bytes up to a multiple of {@code alignment}. */
    public ElfBytes align(int alignment) {
        return zeros((alignment - size % alignment) % alignment);
    }

    public ElfBytes u8(int value) {
        return number(value, 1);
    }

    public ElfBytes u16(int value) {
        return number(value, 2);
    }

    public ElfBytes u32(long value) {
        return number(value, 4);
    }

    public ElfBytes u64(long value) {
        return number(value, 8);
    }

    /** Appends an {@code unsigned long}: four or eight bytes. */
    public ElfBytes word(long value) {
        return number(value, wordSize);
    }

    /** Overwrites {@code width} bytes at {@code offset}. */
    public ElfBytes set(int offset, long value, int width) {
        for (int i = 0; i < width; i++) {
            int place = order == ByteOrder.LITTLE_ENDIAN ? i : width - 1 - i;
            bytes[offset + place] = (byte) (value >>> (8 * i));
        }
        return this;
    }

    /** Drops bytes from the end. */
    public ElfBytes truncate(int newSize) {
        if (newSize < 0 || newSize > size) {
            throw new IllegalArgumentException("cannot cut " + size + " bytes to " + newSize);
        }
        Arrays.fill(bytes, newSize, size, (byte) 0);
        size = newSize;
        return this;
    }

    public byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    private ElfBytes number(long value, int width) {
        int at = size;
        zeros(width);
        return set(at, value, width);
    }

    private void reserve(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
