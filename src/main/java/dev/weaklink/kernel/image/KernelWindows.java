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
 * A kernel piece by piece, while it is taken out of its image, for those who look for something in it: a kernel has 30
 * to 80 MiB. Only of images whose header says where their payload is.
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

    /** Opens the kernel in the first {@code length} bytes of an image; null if it has to be unpacked as a whole. */
    public static @Nullable KernelWindows open(byte[] image, int length) {
        return open(image, length, false);
    }

    /**
     * {@code whole}: there has to be room for all that the image says it has. Null for zstd then: its decoder also
     * keeps a window, which may be as large as the kernel.
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
            // Who unpacks all of it finds out what is wrong.
            return null;
        }
    }

    /**
     * Goes on to the next piece.
     *
     * @param from the first byte of this one that is to be the first of the next
     * @return false at the end
     * @throws IOException if it is truncated or corrupt, or too long
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

    /** Null as long as the banner is not complete. */
    private @Nullable String completeRelease() {
        String banner = Banner.find(new ByteView(window, filled, true));
        String word = Banner.release(banner);
        return banner == null || word == null || banner.endsWith(word) ? null : word;
    }

    /**
     * Reads on, past this piece.
     *
     * @return whether there was that much
     */
    boolean read(byte[] bytes, int from) throws IOException {
        return unpacked.readNBytes(bytes, from, bytes.length - from) == bytes.length - from;
    }

    /** The bytes; only the first {@link #length} count. */
    public byte[] data() {
        return window;
    }

    /** How many bytes it has. */
    public int length() {
        return filled;
    }

    /** Its release (uname -r) if one of the pieces so far says it, else null. */
    public @Nullable String release() {
        return release;
    }

    @Override
    public void close() throws IOException {
        unpacked.close();
    }

    /**
     * A kernel taken out of its image, for those who look for something in it.
     *
     * @param data its bytes; only the first {@code length} count
     * @param release its release (uname -r)
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record UnpackedKernel(byte[] data, int length, String release) {

        /**
         * Unpacks the kernel in the first {@code length} bytes of an image.
         *
         * @throws UnreadableException if they are no kernel image, or one that cannot be unpacked
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
