package dev.weaklink.format.codec;

/** A compression format, recognised by the magic of the data, never by a file's name. */
public enum Compression {
    NONE("none"),
    GZIP("gzip", 0x1f, 0x8b, 0x08),
    BZIP2("bzip2", 'B', 'Z', 'h'),
    /** The .lzma format, recognised by the properties that xz(1) and kernel builds use, because it has no magic. */
    LZMA("lzma", 0x5d, 0x00, 0x00),
    XZ("xz", 0xfd, '7', 'z', 'X', 'Z', 0x00),
    LZO("lzo", 0x89, 'L', 'Z', 'O', 0x00, 0x0d, 0x0a, 0x1a, 0x0a),
    /** The legacy format that {@code lz4 -l} writes, and the only lz4 format that kernels read. */
    LZ4_LEGACY("lz4", 0x02, 0x21, 0x4c, 0x18),
    LZ4_FRAME("lz4", 0x04, 0x22, 0x4d, 0x18),
    ZSTD("zstd", 0x28, 0xb5, 0x2f, 0xfd),
    /** The format of RFC 1951 without a header: never recognised, because only the enclosing format names it. */
    DEFLATE("deflate");

    /** The number of bytes that {@link #of} needs to recognise a format. */
    public static final int MAGIC_LENGTH = 13;

    private static final Compression[] RECOGNISED = {GZIP, XZ, ZSTD, BZIP2, LZMA, LZO, LZ4_LEGACY, LZ4_FRAME};

    private static final long BZIP2_BLOCK = 0x314159265359L;
    private static final long BZIP2_END = 0x177245385090L;
    private static final int SMALLEST_DICTIONARY = 4096;
    private static final int LZMA_SIZE_BITS = 38;

    private final String id;
    private final int[] magic;

    Compression(String id, int... magic) {
        this.id = id;
        this.magic = magic;
    }

    public String id() {
        return id;
    }

    /**
     * Returns the compression whose magic is at {@code offset} in the first {@code length} bytes, else {@link #NONE}.
     */
    public static Compression of(byte[] bytes, int offset, int length) {
        for (Compression one : RECOGNISED) {
            if (one.startsAt(bytes, offset, length)) {
                return one;
            }
        }
        return NONE;
    }

    /** Returns the compression of a module file, as far as kmod supports it (libkmod-file.c), else {@link #NONE}. */
    public static Compression ofModule(byte[] bytes, int length) {
        if (ZSTD.startsAt(bytes, 0, length)) {
            return ZSTD;
        }
        if (XZ.startsAt(bytes, 0, length)) {
            return XZ;
        }
        return GZIP.startsAt(bytes, 0, length) ? GZIP : NONE;
    }

    private boolean startsAt(byte[] bytes, int offset, int length) {
        if (length - offset < magic.length) {
            return false;
        }
        for (int i = 0; i < magic.length; i++) {
            if ((bytes[offset + i] & 0xff) != magic[i]) {
                return false;
            }
        }
        return switch (this) {
            case LZMA -> isLzmaHeader(bytes, offset, length);
            case BZIP2 -> isBzip2Header(bytes, offset, length);
            default -> true;
        };
    }

    /**
     * Returns whether xz(1) accepts the header: a dictionary of 2^n or 2^n + 2^(n-1) bytes, and a size that is unknown
     * or below 256 GiB.
     */
    private static boolean isLzmaHeader(byte[] bytes, int offset, int length) {
        if (length - offset < MAGIC_LENGTH) {
            return false;
        }
        long dictionary = LittleEndian.u32(bytes, offset + 1);
        long size = LittleEndian.u32(bytes, offset + 5) | LittleEndian.u32(bytes, offset + 9) << 32;
        long highest = Long.highestOneBit(dictionary);
        long rest = dictionary - highest;
        return dictionary >= SMALLEST_DICTIONARY
                && (rest == 0 || rest == highest / 2)
                && (size == -1 || size >>> LZMA_SIZE_BITS == 0);
    }

    private static boolean isBzip2Header(byte[] bytes, int offset, int length) {
        if (length - offset < 10 || bytes[offset + 3] < '1' || bytes[offset + 3] > '9') {
            return false;
        }
        long block = 0;
        for (int i = 4; i < 10; i++) {
            block = block << 8 | (bytes[offset + i] & 0xff);
        }
        return block == BZIP2_BLOCK || block == BZIP2_END;
    }

    /** Reads little-endian numbers without range checks: the caller has checked the offsets. */
    static final class LittleEndian {
        private LittleEndian() {}

        static int u16(byte[] data, int offset) {
            return (data[offset] & 0xff) | (data[offset + 1] & 0xff) << 8;
        }

        static long u32(byte[] data, int offset) {
            return u16(data, offset) | (long) u16(data, offset + 2) << 16;
        }
    }
}
