package dev.weaklink.format.codec;

import dev.weaklink.sys.ByteStream;
import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Adler32;

/**
 * A decoder of lzop(1) files, as far as kernels read them (lib/decompress_unlzo.c): a header, then blocks of up to 256
 * KiB. Each block is packed separately, and preceded by its sizes and optional checksums; a size of 0 marks the end.
 * Numbers are big-endian.
 *
 * <p>weaklink has its own decoder because every maintained LZO library for Java 17 needs sun.misc.Unsafe, and later
 * Java versions warn about Unsafe.
 */
final class LzoStream extends ByteStream {
    private static final int MAGIC_LENGTH = 9;
    private static final int BLOCK_SIZE = 256 << 10;

    /** The first version of lzop whose header contains the level, and the time in 64 bits. */
    private static final int VERSION_WITH_LEVEL = 0x0940;

    private static final int HAS_FILTER = 0x0800;
    private static final int HAS_EXTRA_FIELD = 0x0040;
    private static final int ADLER_OF_PLAIN = 0x0001;
    private static final int ADLER_OF_PACKED = 0x0002;
    private static final int CRC_OF_PLAIN = 0x0100;
    private static final int CRC_OF_PACKED = 0x0200;

    private final InputStream in;
    private final int flags;
    private final byte[] block = new byte[BLOCK_SIZE];
    private int at;
    private int length;
    private boolean ended;

    LzoStream(InputStream in) throws IOException {
        this.in = in;
        this.flags = header();
    }

    private int header() throws IOException {
        in.skipNBytes(MAGIC_LENGTH);
        int version = (u8() << 8) | u8();
        in.skipNBytes(2 + 2 + 1); // the library's version, the version needed, the method
        if (version >= VERSION_WITH_LEVEL) {
            in.skipNBytes(1);
        }
        int found = (int) u32();
        if ((found & HAS_FILTER) != 0) {
            throw new UnreadableException("unsupported lzo data: compressed with a filter");
        }
        in.skipNBytes(4 + 4); // mode and time
        if (version >= VERSION_WITH_LEVEL) {
            in.skipNBytes(4);
        }
        in.skipNBytes(u8()); // the file's name
        in.skipNBytes(4);
        if ((found & HAS_EXTRA_FIELD) != 0) {
            in.skipNBytes(u32());
            in.skipNBytes(4);
        }
        return found;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (at == length && !nextBlock()) {
            return -1;
        }
        int copied = Math.min(count, length - at);
        System.arraycopy(block, at, bytes, offset, copied);
        at += copied;
        return copied;
    }

    private boolean nextBlock() throws IOException {
        long size = ended ? 0 : u32();
        if (size == 0) {
            ended = true;
            return false;
        }
        long packedSize = u32();
        if (size > BLOCK_SIZE || packedSize == 0 || packedSize > size) {
            throw corrupt();
        }
        readBlock((int) size, (int) packedSize);
        at = 0;
        length = (int) size;
        return true;
    }

    private void readBlock(int size, int packedSize) throws IOException {
        long adler = (flags & ADLER_OF_PLAIN) != 0 ? u32() : -1;
        in.skipNBytes((flags & CRC_OF_PLAIN) != 0 ? 4 : 0);
        if (packedSize < size) {
            in.skipNBytes((flags & ADLER_OF_PACKED) != 0 ? 4 : 0);
            in.skipNBytes((flags & CRC_OF_PACKED) != 0 ? 4 : 0);
        }
        byte[] packed = in.readNBytes(packedSize);
        if (packed.length < packedSize) {
            throw new EOFException();
        }
        if (packedSize == size) {
            System.arraycopy(packed, 0, block, 0, size);
        } else {
            new LzoBlock(packed, 0, packedSize, block, 0, size).decode();
        }
        if (adler >= 0 && adler != adler(size)) {
            throw corrupt();
        }
    }

    private long adler(int size) {
        Adler32 adler = new Adler32();
        adler.update(block, 0, size);
        return adler.getValue();
    }

    private int u8() throws IOException {
        int value = in.read();
        if (value < 0) {
            throw new EOFException();
        }
        return value;
    }

    private long u32() throws IOException {
        return ((long) u8() << 24) | (u8() << 16) | (u8() << 8) | u8();
    }

    static UnreadableException corrupt() {
        return new UnreadableException("corrupt lzo data");
    }

    /**
     * A block of LZO1X (Documentation/staging/lzo.rst). Most instructions repeat earlier output, then copy up to three
     * literals. The number of literals copied last is the state of the decoder, which determines the meaning of the
     * smallest instructions.
     */
    private static final class LzoBlock {
        private static final int AFTER_RUN = 4;

        /**
         * The threshold for the first byte of a block. If the byte is larger, the block begins with as many literals as
         * the difference.
         */
        private static final int FIRST_LITERALS = 17;

        private static final int NEAR = 1;
        private static final int BEYOND_NEAR = 2049;
        private static final int FAR = 16384;
        private static final int SHORT_RUN = 3;

        /** The length of the match that marks the end of a block. The distance of this match is {@link #FAR}. */
        private static final int END_LENGTH = 3;

        private final byte[] in;
        private int at;
        private final int end;
        private final byte[] out;
        private final int start;
        private int to;
        private final int limit;
        private int state;

        /**
         * Creates a decoder that unpacks to {@code out} at {@code to}, where exactly {@code size} bytes are expected.
         */
        LzoBlock(byte[] in, int at, int length, byte[] out, int to, int size) {
            this.in = in;
            this.at = at;
            this.end = at + length;
            this.out = out;
            this.start = to;
            this.to = to;
            this.limit = to + size;
        }

        void decode() throws UnreadableException {
            int first = u8();
            if (first > FIRST_LITERALS) {
                int count = first - FIRST_LITERALS;
                literals(count);
                state = Math.min(count, AFTER_RUN);
            } else {
                at--;
            }
            boolean more = true;
            while (more) {
                more = instruction(u8());
            }
            if (at != end || to != limit) {
                throw LzoStream.corrupt();
            }
        }

        private boolean instruction(int code) throws UnreadableException {
            if (code >= 128) {
                match(((u8() << 3) | (code >> 2 & 7)) + NEAR, 5 + (code >> 5 & 3), code);
            } else if (code >= 64) {
                match(((u8() << 3) | (code >> 2 & 7)) + NEAR, 3 + (code >> 5 & 1), code);
            } else if (code >= 32) {
                int length = 2 + run(code, 31);
                int word = u16();
                match((word >> 2) + NEAR, length, word);
            } else if (code >= 16) {
                int length = 2 + run(code, 7);
                int word = u16();
                int distance = FAR + ((code & 8) << 11) + (word >> 2);
                if (distance == FAR && length == END_LENGTH) {
                    return false;
                }
                match(distance, length, word);
            } else {
                small(code);
            }
            return true;
        }

        private void small(int code) throws UnreadableException {
            if (state == 0) {
                literals(SHORT_RUN + run(code, 15));
                state = AFTER_RUN;
            } else if (state == AFTER_RUN) {
                match(((u8() << 2) | (code >> 2)) + BEYOND_NEAR, 3, code);
            } else {
                match(((u8() << 2) | (code >> 2)) + NEAR, 2, code);
            }
        }

        /**
         * Returns the run length in the low bits of the code. If all low bits are 0, returns the mask plus 255 for each
         * zero byte that follows, plus the next byte.
         */
        private int run(int code, int mask) throws UnreadableException {
            int count = code & mask;
            if (count > 0) {
                return count;
            }
            count = mask;
            int next = u8();
            while (next == 0) {
                count += 255;
                if (count > limit - start) {
                    throw LzoStream.corrupt();
                }
                next = u8();
            }
            return count + next;
        }

        /**
         * Repeats {@code count} bytes from {@code distance} bytes ago, then copies the number of literals in the low
         * bits of the code.
         */
        private void match(int distance, int count, int code) throws UnreadableException {
            if (distance > to - start || count > limit - to) {
                throw LzoStream.corrupt();
            }
            for (int i = 0; i < count; i++) {
                out[to] = out[to - distance];
                to++;
            }
            state = code & 3;
            literals(state);
        }

        private void literals(int count) throws UnreadableException {
            if (count > end - at || count > limit - to) {
                throw LzoStream.corrupt();
            }
            System.arraycopy(in, at, out, to, count);
            at += count;
            to += count;
        }

        private int u8() throws UnreadableException {
            if (at >= end) {
                throw LzoStream.corrupt();
            }
            return in[at++] & 0xff;
        }

        private int u16() throws UnreadableException {
            return u8() | (u8() << 8);
        }
    }
}
