package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The values in an ADB block (apk-v3(5), apk-tools src/adb.h). The block's header has a byte for the oldest compatible
 * version, a byte for its own version, two reserved bytes, and the root value. The data of all values follow.
 *
 * <p>A value is a little-endian word with its type in the upper four bits. The other bits are a number, or the offset
 * of larger data in the block. Larger data are a number of 32 or 64 bits, or a length of 8, 16 or 32 bits and a byte
 * string. Objects and arrays are sequences of words; the first word is the number of words, itself included. An offset
 * or count outside the block throws {@link UnreadableException}.
 */
final class AdbValues {
    private static final int HEADER_LENGTH = 8;
    private static final int ROOT = 4;
    private static final int WORD = 4;
    private static final int TYPE_SHIFT = 28;
    private static final int REST_MASK = 0x0fffffff;

    private static final int NUMBER = 0x1;
    private static final int NUMBER_32 = 0x2;
    private static final int NUMBER_64 = 0x3;
    private static final int BYTES_8 = 0x8;
    private static final int BYTES_16 = 0x9;
    private static final int BYTES_32 = 0xa;
    private static final int ARRAY = 0xd;
    private static final int OBJECT = 0xe;

    /** The maximum length of a byte string. Paths have at most 4096 bytes; scripts may be longer, but are not read. */
    private static final int MAX_BYTES = 64 << 10;

    private final ByteBuffer block;

    AdbValues(byte[] block) throws UnreadableException {
        this.block = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        if (block.length < HEADER_LENGTH) {
            throw corrupt("it has no header");
        }
        if (block[0] != 0) {
            throw new UnreadableException("unsupported layout "
                    + (block[0] & 0xff)
                    + " of an apk version 3 package; unpack it with 'apk extract --destination DIR', then name DIR");
        }
    }

    AdbObject root() throws UnreadableException {
        return object(word(ROOT));
    }

    int word(long offset) throws UnreadableException {
        require(offset, WORD);
        return block.getInt((int) offset);
    }

    /** Returns an object or an array, which have the same form; an empty object for any other value. */
    AdbObject object(int value) throws UnreadableException {
        int type = value >>> TYPE_SHIFT;
        if (type != ARRAY && type != OBJECT) {
            return new AdbObject(this, 0, 0);
        }
        int offset = value & REST_MASK;
        long words = word(offset) & 0xffffffffL;
        if (words == 0) {
            throw corrupt("an object without a count");
        }
        require(offset, words * WORD);
        return new AdbObject(this, offset, (int) words - 1);
    }

    long number(int value) throws UnreadableException {
        int rest = value & REST_MASK;
        switch (value >>> TYPE_SHIFT) {
            case NUMBER:
                return rest;
            case NUMBER_32:
                return word(rest) & 0xffffffffL;
            case NUMBER_64:
                require(rest, Long.BYTES);
                long number = block.getLong(rest);
                if (number < 0) {
                    throw corrupt("a number out of range");
                }
                return number;
            default:
                return 0;
        }
    }

    byte @Nullable [] bytes(int value) throws UnreadableException {
        int offset = value & REST_MASK;
        switch (value >>> TYPE_SHIFT) {
            case BYTES_8:
                require(offset, 1);
                return bytes(offset + 1, block.get(offset) & 0xff);
            case BYTES_16:
                require(offset, 2);
                return bytes(offset + 2, block.getShort(offset) & 0xffff);
            case BYTES_32:
                return bytes(offset + WORD, word(offset) & 0xffffffffL);
            default:
                return null;
        }
    }

    private byte[] bytes(int offset, long length) throws UnreadableException {
        require(offset, length);
        if (length > MAX_BYTES) {
            throw corrupt("a text of " + length + " bytes");
        }
        byte[] bytes = new byte[(int) length];
        block.get(offset, bytes);
        return bytes;
    }

    private void require(long offset, long length) throws UnreadableException {
        if (offset + length > block.limit()) {
            throw corrupt("a value outside of its block");
        }
    }

    private static UnreadableException corrupt(String what) {
        return new UnreadableException("corrupt apk package: " + what);
    }

    /**
     * An object or array of an ADB block. As in apk, a slot counts as absent if it is missing or has an unexpected
     * type. An absent slot is 0, null, or an empty string or object.
     *
     * @param values the block
     * @param offset the offset of the count, which the slots follow
     * @param size the number of slots, which are numbered from 1
     */
    record AdbObject(AdbValues values, int offset, int size) {
        private static final int WORD = 4;

        private int value(int slot) throws UnreadableException {
            return slot > size ? 0 : values.word(offset + (long) slot * WORD);
        }

        AdbObject object(int slot) throws UnreadableException {
            return values.object(value(slot));
        }

        long number(int slot) throws UnreadableException {
            return values.number(value(slot));
        }

        byte @Nullable [] bytes(int slot) throws UnreadableException {
            return values.bytes(value(slot));
        }

        String text(int slot) throws UnreadableException {
            byte[] bytes = bytes(slot);
            return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
