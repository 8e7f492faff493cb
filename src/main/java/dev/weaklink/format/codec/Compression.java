package dev.weaklink.format.codec;

/** A compression format. The first bytes of the data, never a file's name, identify the format. */
public enum Compression {
    NONE("none"),
    GZIP("gzip", 0x1f, 0x8b, 0x08),
    BZIP2("bzip2", 'B', 'Z', 'h'),
    /** The .lzma format, which has no magic. weaklink recognises the header that xz(1) and kernel builds write. */
    LZMA("lzma", 0x5d, 0x00, 0x00),
    XZ("xz", 0xfd, '7', 'z', 'X', 'Z', 0x00),
    LZO("lzo", 0x89, 'L', 'Z', 'O', 0x00, 0x0d, 0x0a, 0x1a, 0x0a),
    /** The legacy format that {@code lz4 -l} writes; kernels read no other lz4 format. */
    LZ4_LEGACY("lz4", 0x02, 0x21, 0x4c, 0x18),
    LZ4_FRAME("lz4", 0x04, 0x22, 0x4d, 0x18),
    ZSTD("zstd", 0x28, 0xb5, 0x2f, 0xfd),
    /** Raw deflate data (RFC 1951), which has no magic: {@link #of} never returns this format. */
    DEFLATE("deflate");

    /** The number of bytes that {@link #of} needs to recognise every format. */
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
     * Returns the compression whose header begins at {@code offset}, else {@link #NONE}. Ignores the bytes from
     * {@code length} on.
     */
    public static Compression of(byte[] bytes, int offset, int length) {
        for (Compression one : RECOGNISED) {
            if (one.startsAt(bytes, offset, length)) {
                return one;
            }
        }
        return NONE;
    }

    /**
     * Returns the compression of a module file if kmod supports the compression (libkmod-file.c), else {@link #NONE}.
     */
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
     * Checks the header as xz(1) does: the dictionary has 2^n or 2^n + 2^(n-1) bytes, and the size is unknown or below
     * 256 GiB.
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
