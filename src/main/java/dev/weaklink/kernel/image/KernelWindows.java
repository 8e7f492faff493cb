package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.PayloadDecoder;
import dev.weaklink.kernel.image.ContentsFinder.Banner;
import dev.weaklink.sys.UnreadableException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks a kernel, usually of 30 to 80 MiB, from its image piece by piece, for searches. The class supports only
 * images whose header locates the payload.
 */
public final class KernelWindows implements Closeable {
    private static final int PIECE = 1 << 20;

    private final InputStream unpacked;
    private final byte[] window;
    private int filled;
    private long seen;
    private @Nullable String release;

    private KernelWindows(InputStream unpacked, int room) {
        this.unpacked = unpacked;
        this.window = new byte[room];
    }

    /**
     * Opens the kernel in the first {@code length} bytes of an image; returns null if the header does not locate a
     * readable payload.
     */
    public static @Nullable KernelWindows open(byte[] image, int length) {
        return open(image, length, false);
    }

    /**
     * Opens the kernel in an image; returns null if the header does not locate a readable payload.
     *
     * @param whole true if one piece must have room for the whole kernel. The result is then null for a kernel packed
     *     with zstd, whose decoder would need as much memory again
     */
    static @Nullable KernelWindows open(byte[] image, int length, boolean whole) {
        try {
            Payload payload = Payload.stated(new ByteView(image, length, true));
            if (payload == null || whole && payload.compression() == Compression.ZSTD) {
                return null;
            }
            InputStream unpacked =
                    PayloadDecoder.open(image, payload.offset(), payload.length(), payload.compression());
            long room = whole ? Math.min(payload.expected(), ContentsFinder.LIMIT) : PIECE;
            return new KernelWindows(unpacked, (int) room);
        } catch (IOException e) {
            // The caller then unpacks the whole image, and that reports the error.
            return null;
        }
    }

    /**
     * Advances to the next piece.
     *
     * @param from the first byte of this piece that the next piece repeats
     * @return false at the end
     * @throws IOException if the kernel is truncated or corrupt, or too long
     */
    public boolean next(int from) throws IOException {
        System.arraycopy(window, from, window, 0, filled - from);
        filled -= from;
        int read = unpacked.readNBytes(window, filled, Math.min(PIECE, window.length - filled));
        filled += read;
        seen += read;
        if (seen > ContentsFinder.LIMIT) {
            throw new UnreadableException(ContentsFinder.TOO_LARGE);
        }
        release = release == null ? completeRelease() : release;
        return read > 0;
    }

    /** Returns the release; null as long as the banner is not complete. */
    private @Nullable String completeRelease() {
        String banner = Banner.find(new ByteView(window, filled, true));
        String word = Banner.release(banner);
        return banner == null || word == null || banner.endsWith(word) ? null : word;
    }

    boolean read(byte[] bytes, int from) throws IOException {
        return unpacked.readNBytes(bytes, from, bytes.length - from) == bytes.length - from;
    }

    /** Returns the bytes of the piece; only the first {@link #length} count. */
    public byte[] data() {
        return window;
    }

    public int length() {
        return filled;
    }

    public @Nullable String release() {
        return release;
    }

    @Override
    public void close() throws IOException {
        unpacked.close();
    }

    /**
     * A kernel unpacked from its image, for searches.
     *
     * @param data the kernel's bytes; only the first {@code length} count
     * @param release the kernel's release (uname -r)
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record UnpackedKernel(byte[] data, int length, String release) {

        /**
         * Unpacks the kernel in the first {@code length} bytes of an image.
         *
         * @throws UnreadableException if the bytes are not a kernel image, or the image cannot be unpacked
         */
        public static UnpackedKernel of(byte[] image, int length) throws UnreadableException {
            ByteView bytes = ContentsFinder.find(image, length).bytes();
            String release = Banner.release(Banner.find(bytes));
            if (release == null || release.isEmpty()) {
                throw new UnreadableException("no Linux kernel was found in it");
            }
            return new UnpackedKernel(bytes.data(), bytes.length(), release);
        }
    }
}
