package dev.weaklink.format.codec;

/**
 * What one file may cost to read.
 *
 * @param maxBytes the most a file may hold, before and after decompression
 * @param xzMemoryKib the most memory, in KiB, an xz stream may ask for to be decoded
 */
public record Limits(int maxBytes, int xzMemoryKib) {
    /** What an array can hold, with one byte to spare. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 16;

    /** 512 MiB of contents, and xz dictionaries of up to about 128 MiB (preset -9 needs 65). */
    public static final Limits DEFAULT = new Limits(512 << 20, 128 << 10);

    /** For what is read as a stream, of which no more than a line is held. */
    public static final Limits STREAM = new Limits(MAX_BYTES, 128 << 10);

    /** For lists, configurations and Module.symvers, of which the largest have 5 MiB. */
    public static final Limits TEXT = new Limits(64 << 20, 128 << 10);

    public Limits {
        if (maxBytes < 0 || maxBytes > MAX_BYTES || xzMemoryKib <= 0) {
            throw new IllegalArgumentException("limit out of range");
        }
    }
}
