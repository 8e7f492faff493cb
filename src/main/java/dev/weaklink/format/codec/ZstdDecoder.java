package dev.weaklink.format.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

final class ZstdDecoder {
    /**
     * The largest ratio of declared to packed size that is plausible (modules reach about 8). A larger declared size is
     * not trusted.
     */
    private static final int BELIEVED_RATIO = 32;

    private static final String LIBRARY_MISSING = "zstd cannot be decoded: its native library does not load (is "
            + System.getProperty("java.io.tmpdir")
            + " mounted noexec?); put -Djava.io.tmpdir=DIR (DIR must allow execution) or -DZstdNativePath=LIBRARY into"
            + " WEAKLINK_JAVA_OPTS";

    private final ZstdDecompressCtx context;

    ZstdDecoder() throws UnreadableException {
        loadLibrary();
        context = new ZstdDecompressCtx();
    }

    /**
     * Loads the native library from the path in the system property {@code ZstdNativePath}. If the property is not set,
     * unpacks the library into a private directory. In a shared directory, other users might change the file, because
     * the umask decides its permissions.
     *
     * @throws UnreadableException if the library does not load
     */
    static synchronized void loadLibrary() throws UnreadableException {
        if (Native.isLoaded()) {
            return;
        }
        try {
            if (System.getProperty("ZstdNativePath") != null) {
                Native.load();
                return;
            }
            Path directory = Files.createTempDirectory("weaklink-zstd");
            try {
                Native.load(directory.toFile());
            } finally {
                DurableFiles.deleteTree(directory);
            }
        } catch (IOException | LinkageError e) {
            throw new UnreadableException(LIBRARY_MISSING, e);
        }
    }

    /**
     * Decodes the first {@code length} bytes into a buffer, which must be empty.
     *
     * @throws IOException if the bytes are truncated or corrupt, or decode to more than the buffer's limit
     */
    void decode(byte[] packed, int length, GrowingBuffer out) throws IOException {
        long declared = Zstd.getFrameContentSize(packed, 0, length);
        if (declared <= 0 || declared > (long) BELIEVED_RATIO * length) {
            // The decoder itself limits the window: 128 MiB at most, outside the heap.
            out.decode(packed, length, Compression.ZSTD, Integer.MAX_VALUE);
            return;
        }
        out.reserve(declared);
        try {
            out.advance(context.decompressByteArray(out.array(), out.length(), out.room(), packed, 0, length));
        } catch (ZstdException e) {
            if (e.getErrorCode() != Zstd.errDstSizeTooSmall()) {
                throw corrupt(e);
            }
            // The data has several frames, or the first frame is longer than it declares.
            out.decode(packed, length, Compression.ZSTD, Integer.MAX_VALUE);
        }
    }

    private static UnreadableException corrupt(Exception e) {
        return new UnreadableException("truncated or corrupt zstd data", e);
    }
}
