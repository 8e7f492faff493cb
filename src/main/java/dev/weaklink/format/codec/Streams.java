package dev.weaklink.format.codec;

import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Opens files such as {@code symvers.gz} as streams, decompressed according to the magic of their data. */
public final class Streams {
    private static final int BUFFER_SIZE = 64 << 10;

    private Streams() {}

    /**
     * Opens a regular file (links are followed), within the default limits. Decompresses gzip, xz and zstd.
     *
     * @return a stream whose reads throw {@link UnreadableException} if the file is truncated, corrupt or too long
     * @throws UnreadableException if the file cannot be opened, or if the beginning of its compressed data is truncated
     *     or corrupt
     */
    public static InputStream open(Path file) throws UnreadableException {
        return open(file, Limits.DEFAULT);
    }

    public static InputStream open(Path file, Limits limits) throws UnreadableException {
        return open(file, limits, false);
    }

    public static InputStream openPacked(Path file, Limits limits) throws UnreadableException {
        return open(file, limits, true);
    }

    private static InputStream open(Path file, Limits limits, boolean any) throws UnreadableException {
        try {
            InputStream raw = new BufferedInputStream(RegularFile.open(file), BUFFER_SIZE);
            return open(file, raw, limits, any);
        } catch (IOException e) {
            throw UnreadableException.of(file, e);
        }
    }

    private static InputStream open(Path file, InputStream raw, Limits limits, boolean any) throws IOException {
        try {
            InputStream decoded = decoded(raw, limits, any);
            return new BoundedStream(file, limits, decoded);
        } catch (IOException e) {
            raw.close();
            throw UnreadableException.of(file, e);
        }
    }

    /**
     * Decompresses gzip, xz and zstd; returns {@code raw} itself if the data has none of these formats.
     *
     * @param raw a stream that supports marks
     * @param limits the limits, of which only the decoder's memory is used
     * @return a stream of any length; its reads throw {@link UnreadableException} if the data is truncated or corrupt
     */
    public static InputStream decoded(InputStream raw, Limits limits) throws IOException {
        return decoded(raw, limits, false);
    }

    private static InputStream decoded(InputStream raw, Limits limits, boolean any) throws IOException {
        raw.mark(Compression.MAGIC_LENGTH);
        byte[] magic = raw.readNBytes(Compression.MAGIC_LENGTH);
        raw.reset();
        Compression compression =
                any ? Compression.of(magic, 0, magic.length) : Compression.ofModule(magic, magic.length);
        // Most files are plain, and loading the decoders' classes takes time.
        return compression == Compression.NONE ? raw : DecodedStream.open(raw, compression, limits.xzMemoryKib());
    }

    private static final class BoundedStream extends FilterInputStream {
        private final Path file;
        private final Limits limits;
        private long left;

        BoundedStream(Path file, Limits limits, InputStream decoded) {
            super(decoded);
            this.file = file;
            this.limits = limits;
            this.left = limits.maxBytes();
        }

        @Override
        public int read() throws UnreadableException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws UnreadableException {
            try {
                int count = in.read(bytes, offset, length);
                left -= Math.max(count, 0);
                if (left < 0) {
                    throw new UnreadableException("contents exceed the limit of " + limits.maxBytes() + " bytes");
                }
                return count;
            } catch (IOException e) {
                throw UnreadableException.of(file, e);
            }
        }

        @Override
        public long skip(long count) throws IOException {
            return readNBytes((int) Math.min(count, 8192)).length;
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
