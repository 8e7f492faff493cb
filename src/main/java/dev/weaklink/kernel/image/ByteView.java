package dev.weaklink.kernel.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The first bytes of an array, read in one byte order. */
final class ByteView {
    private final byte[] data;
    private final int length;
    private final ByteBuffer buffer;

    ByteView(byte[] data, int length, boolean littleEndian) {
        this.data = data;
        this.length = length;
        this.buffer =
                ByteBuffer.wrap(data, 0, length).order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    byte[] data() {
        return data;
    }

    int length() {
        return length;
    }

    boolean littleEndian() {
        return buffer.order() == ByteOrder.LITTLE_ENDIAN;
    }

    ByteView inOrder(boolean little) {
        return little == littleEndian() ? this : new ByteView(data, length, little);
    }

    boolean contains(long offset, long size) {
        return offset >= 0 && size >= 0 && offset <= length && size <= length - offset;
    }

    int i32(int offset) {
        return buffer.getInt(offset);
    }

    long u32(int offset) {
        return buffer.getInt(offset) & 0xffffffffL;
    }

    /** Returns a number of 4 or 8 bytes; a number of 4 bytes is unsigned. */
    long word(int offset, int size) {
        return size == Long.BYTES ? buffer.getLong(offset) : u32(offset);
    }

    boolean hasText(int offset, String text) {
        if (!contains(offset, text.length())) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (data[offset + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** A search for a string in many bytes, in steps of the string's length where possible (Horspool's algorithm). */
    static final class TextSearch {
        private final byte[] text;
        private final int[] steps = new int[256];

        TextSearch(String wanted) {
            text = wanted.getBytes(StandardCharsets.ISO_8859_1);
            Arrays.fill(steps, text.length);
            for (int i = 0; i < text.length - 1; i++) {
                steps[text[i] & 0xff] = text.length - 1 - i;
            }
        }

        /**
         * Returns the offset of the first occurrence of the string between {@code from} and {@code end} (exclusive); -1
         * if there is none.
         */
        int next(byte[] data, int from, int end) {
            int last = text.length - 1;
            byte wanted = text[last];
            for (int at = from + last; at < end; at += steps[data[at] & 0xff]) {
                if (data[at] == wanted && Arrays.equals(data, at - last, at + 1, text, 0, text.length)) {
                    return at - last;
                }
            }
            return -1;
        }
    }
}
