package dev.weaklink.system.cache;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A growing buffer for encoded facts, such as a {@link Segment}. {@link SegmentCursor} reads the facts back. */
final class SegmentBytes {
    private ByteBuffer buffer;

    SegmentBytes(int room) {
        this(ByteBuffer.allocate(room));
    }

    private SegmentBytes(ByteBuffer buffer) {
        this.buffer = buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    static SegmentBytes of(byte[] bytes) {
        return new SegmentBytes(ByteBuffer.wrap(bytes).position(bytes.length));
    }

    int position() {
        return buffer.position();
    }

    /** Returns the whole array; only the bytes before {@link #position} have been written. */
    byte[] array() {
        return buffer.array();
    }

    void rewind(int position) {
        buffer.position(position);
    }

    private ByteBuffer room(long size) {
        if (buffer.remaining() < size) {
            long wanted = Math.max(buffer.capacity() * 2L, buffer.position() + size);
            if (wanted > Integer.MAX_VALUE / 2) {
                throw new BufferOverflowException();
            }
            ByteBuffer larger = ByteBuffer.allocate((int) wanted).order(ByteOrder.LITTLE_ENDIAN);
            larger.put(buffer.flip());
            buffer = larger;
        }
        return buffer;
    }

    void u8(int value) {
        room(1).put((byte) value);
    }

    void bool(boolean value) {
        u8(value ? 1 : 0);
    }

    void i32(int value) {
        room(Integer.BYTES).putInt(value);
    }

    void i32At(int position, int value) {
        buffer.putInt(position, value);
    }

    void i64(long value) {
        room(Long.BYTES).putLong(value);
    }

    void ints(int[] values, int count) {
        room((long) count * Integer.BYTES).asIntBuffer().put(values, 0, count);
        buffer.position(buffer.position() + count * Integer.BYTES);
    }

    void longs(long[] values, int count) {
        room((long) count * Long.BYTES).asLongBuffer().put(values, 0, count);
        buffer.position(buffer.position() + count * Long.BYTES);
    }

    void bytes(byte[] source, int offset, int count) {
        room(count).put(source, offset, count);
    }

    void bits(BitSet bits) {
        long[] words = bits.toLongArray();
        i32(words.length);
        longs(words, words.length);
    }

    void texts(List<String> texts) {
        i32(texts.size());
        texts.forEach(this::text);
    }

    /**
     * Writes a string: its length, then one byte for each character. If a character does not fit into a byte, writes
     * {@code NONE - length} and two bytes for each character. For null, writes only {@code NONE}.
     */
    void text(@Nullable String text) {
        if (text == null) {
            i32(SegmentCursor.NONE);
            return;
        }
        int length = text.length();
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) > 0xff) {
                i32(SegmentCursor.NONE - length);
                room((long) length * Character.BYTES).asCharBuffer().put(text);
                buffer.position(buffer.position() + length * Character.BYTES);
                return;
            }
        }
        i32(length);
        bytes(text.getBytes(StandardCharsets.ISO_8859_1), 0, length);
    }
}
