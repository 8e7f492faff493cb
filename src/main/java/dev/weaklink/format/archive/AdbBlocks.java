package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of an ADB file (apk-v3(5), apk-tools src/adb.h), one after the other, each padded to 8 bytes, which also
 * the first one starts at.
 *
 * <p>A block begins with a little-endian word: its type in the upper two bits, and its size without padding and with
 * this word in the others. Type 3 stands for an extended header of 16 bytes: the true type in the lower 30 bits of the
 * word, a reserved word, and 64 bits of size, this header's included.
 */
final class AdbBlocks {
    /** Values: what a package says of itself, and its files. */
    static final int VALUES = 0;

    static final int SIGNATURE = 1;

    /** What is in one file. */
    static final int DATA = 2;

    private static final int EXTENDED = 3;
    private static final int WORD = 4;
    private static final int EXTENDED_HEADER = 16;
    private static final int TYPE_SHIFT = 30;
    private static final int SIZE_MASK = 0x3fffffff;
    private static final int ALIGNMENT = 8;

    private final InputStream in;
    private EntryData contents;
    private int padding;

    /**
     * The header of a block.
     *
     * @param type what is in it
     * @param length bytes of contents
     */
    record Block(int type, long length) {}

    /** Reads on behind the file's header. */
    AdbBlocks(InputStream in) {
        this.in = in;
        this.contents = new EntryData(in, 0);
    }

    /**
     * Goes to the next block, over what is left of the one before.
     *
     * @return null at the end
     * @throws UnreadableException if there is no such size
     * @throws EOFException if the file ends within a block
     */
    @Nullable
    Block next() throws IOException {
        contents.drain();
        new EntryData(in, padding).drain();
        byte[] first = in.readNBytes(WORD);
        if (first.length == 0) {
            padding = 0;
            contents = new EntryData(in, 0);
            return null;
        }
        int word = words(first, WORD).getInt();
        return word >>> TYPE_SHIFT == EXTENDED
                ? extended(word & SIZE_MASK)
                : block(word >>> TYPE_SHIFT, word & SIZE_MASK, WORD);
    }

    private Block extended(int type) throws IOException {
        int left = EXTENDED_HEADER - WORD;
        long size = words(in.readNBytes(left), left).getLong(WORD);
        return block(type, size, EXTENDED_HEADER);
    }

    private static ByteBuffer words(byte[] bytes, int length) throws EOFException {
        if (bytes.length < length) {
            throw new EOFException("truncated: the apk package ends in the header of a block");
        }
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Block block(int type, long size, int header) throws UnreadableException {
        if (size < header) {
            throw new UnreadableException("corrupt apk package: a block smaller than its header");
        }
        padding = (int) (-size & (ALIGNMENT - 1));
        contents = new EntryData(in, size - header);
        return new Block(type, size - header);
    }

    /** What is in the block that {@link #next} gave last; void after the next call of it. */
    InputStream contents() {
        return contents;
    }
}
