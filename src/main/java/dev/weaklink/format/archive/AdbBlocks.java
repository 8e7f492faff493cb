package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the blocks of an ADB file (apk-v3(5), apk-tools src/adb.h), one after the other. Each block is padded to a
 * multiple of 8 bytes.
 *
 * <p>A block starts with a little-endian word. The upper two bits are the type; the other bits are the size, including
 * this word but not the padding. Type 3 marks an extended header of 16 bytes. In that header, the lower 30 bits of the
 * word are the true type. A reserved word follows, then 64 bits of size including the header.
 */
final class AdbBlocks {
    /** The type of the block of values: the package's description and its list of files. */
    static final int VALUES = 0;

    static final int SIGNATURE = 1;

    /** The type of a block with the contents of one file. */
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
     * @param type the type of the block
     * @param length the number of bytes after the header, without the padding
     */
    record Block(int type, long length) {}

    AdbBlocks(InputStream in) {
        this.in = in;
        this.contents = new EntryData(in, 0);
    }

    /**
     * Skips the remaining bytes of the previous block, and returns the next block.
     *
     * @return null at the end
     * @throws UnreadableException if the size of the block is smaller than its header
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

    /**
     * Returns the contents of the block that {@link #next} returned last; invalid after the next call of that method.
     */
    InputStream contents() {
        return contents;
    }
}
