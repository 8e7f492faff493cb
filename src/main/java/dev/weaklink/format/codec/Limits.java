package dev.weaklink.format.codec;

/**
 * The limits for reading one file.
 *
 * @param maxBytes the most bytes of a file, before and after decompression
 * @param xzMemoryKib the most memory, in KiB, that an xz decoder may need
 */
public record Limits(int maxBytes, int xzMemoryKib) {
    /** The highest limit: a buffer has one byte more, and must still fit into a Java array. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 16;

    /**
     * The default limits: 512 MiB of contents, and 128 MiB of memory for an xz decoder. Preset -9 of xz needs 65 MiB.
     */
    public static final Limits DEFAULT = new Limits(512 << 20, 128 << 10);

    /** The limits for files that are read as streams and never kept in memory as a whole. */
    public static final Limits STREAM = new Limits(MAX_BYTES, 128 << 10);

    /** The limits for text files such as Module.symvers and kernel configurations; the largest known have 5 MiB. */
    public static final Limits TEXT = new Limits(64 << 20, 128 << 10);

    public Limits {
        if (maxBytes < 0 || maxBytes > MAX_BYTES || xzMemoryKib <= 0) {
            throw new IllegalArgumentException("limit out of range");
        }
    }
}
