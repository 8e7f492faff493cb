package dev.weaklink.format.codec;

import dev.weaklink.format.codec.Compression.LittleEndian;

/**
 * The compression of a module file, and a feature that the kernel may not support if it unpacks the file itself
 * (kernel/module/decompress.c).
 *
 * @param compression the compression; NONE if kmod would not decompress the file
 * @param obstacle the first such feature, or NONE
 */
public record Packing(Compression compression, UnpackingObstacle obstacle) {
    public static final Packing NONE = new Packing(Compression.NONE, UnpackingObstacle.NONE);

    /** A feature that a kernel may not be able to unpack. */
    public enum UnpackingObstacle {
        NONE,
        /** An xz integrity check other than none and CRC32 (lib/xz/xz_dec_stream.c:dec_stream_header). */
        CHECK,
        /**
         * A chain of xz filters that no kernel supports (lib/xz/xz_dec_stream.c:dec_block_header,
         * xz_dec_bcj.c:xz_dec_bcj_reset).
         */
        FILTER,
        /** A dictionary or window for which the kernel may lack the memory (xz_dec_lzma2.c, decompress.c). */
        MEMORY,
        /**
         * A gzip header with a checksum, extra field or comment. The kernel skips only a file name
         * (module_gzip_header_len).
         */
        HEADER,
        /**
         * A second or later compressed stream, which the kernel does not unpack (module_gzip_decompress and others).
         */
        STREAMS,
        /**
         * A zstd window of more than 128 MiB, which decoders refuse
         * (include/linux/zstd_lib.h:ZSTD_WINDOWLOG_LIMIT_DEFAULT).
         */
        WINDOW
    }

    private static final int GZIP_FLAGS = 3;

    /** The flags of a header checksum, an extra field and a comment (RFC 1952, 2.3.1). */
    private static final int GZIP_EXTENSIONS = 0x02 | 0x04 | 0x10;

    private static final int XZ_FLAGS = 7;
    private static final int XZ_BLOCK = 12;
    private static final int XZ_CRC32 = 1;
    private static final int LZMA2 = 0x21;
    private static final int LAST_BCJ = 0x0b;
    private static final int FIRST_BCJ = 0x04;

    /**
     * The maximum size in bytes of a dictionary or window that is expected to fit into every machine's memory. The
     * dictionary of xz -9 has this size.
     */
    private static final long MODEST = 64L << 20;

    private static final int LARGEST_DICTIONARY = 39;

    private static final long LARGEST_WINDOW = (128L << 20) + 1;

    static Packing of(byte[] file, int length) {
        Compression compression = Compression.ofModule(file, length);
        UnpackingObstacle obstacle = switch (compression) {
            case XZ -> xz(file, length);
            case ZSTD -> zstd(file, length);
            case GZIP -> gzip(file, length);
            default -> UnpackingObstacle.NONE;
        };
        return compression == Compression.NONE ? NONE : new Packing(compression, obstacle);
    }

    Packing inSeveralStreams() {
        return obstacle == UnpackingObstacle.NONE ? new Packing(compression, UnpackingObstacle.STREAMS) : this;
    }

    private static UnpackingObstacle gzip(byte[] file, int length) {
        boolean skipped = length <= GZIP_FLAGS || (file[GZIP_FLAGS] & GZIP_EXTENSIONS) == 0;
        return skipped ? UnpackingObstacle.NONE : UnpackingObstacle.HEADER;
    }

    private static UnpackingObstacle xz(byte[] file, int length) {
        if (length <= XZ_BLOCK || file[XZ_FLAGS] >= 0 && file[XZ_FLAGS] <= XZ_CRC32) {
            return length <= XZ_BLOCK ? UnpackingObstacle.NONE : filters(file, length);
        }
        return UnpackingObstacle.CHECK;
    }

    /** Checks the header of the first block, in which the filters follow the size, the flags and two optional sizes. */
    private static UnpackingObstacle filters(byte[] file, int length) {
        int end = Math.min(length, XZ_BLOCK + ((file[XZ_BLOCK] & 0xff) + 1) * 4);
        int flags = file[XZ_BLOCK + 1] & 0xff;
        int at = XZ_BLOCK + 2;
        for (int bit = 0x40; bit <= 0x80; bit <<= 1) {
            while ((flags & bit) != 0 && at < end && file[at] < 0) {
                at++;
            }
            at += (flags & bit) != 0 ? 1 : 0;
        }
        if ((flags & 3) == 1 && at + 1 < end && file[at] >= FIRST_BCJ && file[at] <= LAST_BCJ) {
            at += 2;
        } else if ((flags & 3) != 0) {
            return UnpackingObstacle.FILTER;
        }
        if (at + 2 >= end) {
            // truncated: the decoder reports that
            return UnpackingObstacle.NONE;
        }
        if (file[at] != LZMA2 || file[at + 1] != 1 || file[at + 2] > LARGEST_DICTIONARY) {
            return UnpackingObstacle.FILTER;
        }
        long dictionary = (2L + (file[at + 2] & 1)) << (file[at + 2] >> 1) + 11;
        return dictionary > MODEST ? UnpackingObstacle.MEMORY : UnpackingObstacle.NONE;
    }

    /**
     * Checks the window (RFC 8878, 3.1.1.1), which is as large as the contents if the frame has no window descriptor.
     */
    private static UnpackingObstacle zstd(byte[] file, int length) {
        int descriptor = length > 4 ? file[4] & 0xff : 0;
        boolean single = (descriptor & 0x20) != 0;
        if (length < 14 || single && descriptor >>> 6 < 2) {
            return UnpackingObstacle.NONE;
        }
        long window;
        if (single) {
            int dictionaryId = (descriptor & 3) == 3 ? 4 : descriptor & 3;
            window = LittleEndian.u32(file, 5 + dictionaryId);
        } else {
            int exponent = (file[5] & 0xff) >>> 3;
            long base = 1L << 10 + exponent;
            window = base + base / 8 * (file[5] & 7);
        }
        if (window > LARGEST_WINDOW) {
            return UnpackingObstacle.WINDOW;
        }
        return window > MODEST ? UnpackingObstacle.MEMORY : UnpackingObstacle.NONE;
    }
}
