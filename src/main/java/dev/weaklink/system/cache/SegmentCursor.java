package dev.weaklink.system.cache;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the values of encoded facts, such as a {@link Segment}, one after the other. */
final class SegmentCursor {
    static final int NONE = -1;

    private final byte[] bytes;
    private final ByteBuffer buffer;

    SegmentCursor(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        buffer.limit(end).position(start);
    }

    int position() {
        return buffer.position();
    }

    byte[] bytes() {
        return bytes;
    }

    int u8() {
        return buffer.get() & 0xff;
    }

    boolean bool() {
        return buffer.get() != 0;
    }

    int i32() {
        return buffer.getInt();
    }

    long i64() {
        return buffer.getLong();
    }

    /**
     * Reads the number of elements that follow.
     *
     * @param size the minimum size of an element in bytes
     * @throws UnreadableException if the remaining bytes cannot contain that many elements
     */
    int count(int size) throws UnreadableException {
        int count = buffer.getInt();
        if (count < 0 || count > buffer.remaining() / size) {
            throw new UnreadableException("a count beyond the end");
        }
        return count;
    }

    int[] ints(int count) throws UnreadableException {
        int[] values = new int[count];
        buffer.asIntBuffer().get(values);
        skip(count * Integer.BYTES);
        return values;
    }

    long[] longs(int count) throws UnreadableException {
        long[] values = new long[count];
        buffer.asLongBuffer().get(values);
        skip(count * Long.BYTES);
        return values;
    }

    void skip(int count) throws UnreadableException {
        if (count < 0 || count > buffer.remaining()) {
            throw new UnreadableException("contents beyond the end");
        }
        buffer.position(buffer.position() + count);
    }

    BitSet bits() throws UnreadableException {
        int words = count(Long.BYTES);
        return words == 0 ? new BitSet(0) : BitSet.valueOf(longs(words));
    }

    @Nullable
    String text() throws UnreadableException {
        int length = buffer.getInt(buffer.position());
        if (length <= NONE) {
            skip(Integer.BYTES);
            return length == NONE ? null : wide((long) NONE - length);
        }
        int size = count(1);
        String text = new String(bytes, buffer.position(), size, StandardCharsets.ISO_8859_1);
        skip(size);
        return text;
    }

    private String wide(long length) throws UnreadableException {
        if (length > buffer.remaining() / Character.BYTES) {
            throw new UnreadableException("contents beyond the end");
        }
        String text = buffer.asCharBuffer().limit((int) length).toString();
        skip((int) length * Character.BYTES);
        return text;
    }

    List<String> texts() throws UnreadableException {
        List<String> texts = new ArrayList<>();
        for (int i = count(Integer.BYTES); i > 0; i--) {
            texts.add(textOrThrow());
        }
        return texts;
    }

    String textOrThrow() throws UnreadableException {
        String text = text();
        if (text == null) {
            throw new UnreadableException("a text is missing");
        }
        return text;
    }

    <E> E constant(E[] constants) throws UnreadableException {
        int ordinal = u8();
        if (ordinal >= constants.length) {
            throw new UnreadableException("no such constant");
        }
        return constants[ordinal];
    }
}
