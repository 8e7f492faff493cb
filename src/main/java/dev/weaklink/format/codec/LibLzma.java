package dev.weaklink.format.codec;

import static dev.weaklink.sys.NativeLibrary.INT;
import static dev.weaklink.sys.NativeLibrary.LONG;

import dev.weaklink.sys.NativeLibrary;
import java.lang.invoke.MethodHandle;
import java.nio.Buffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The system's liblzma, which decodes xz in half the time that Java code takes. If Java cannot call the library,
 * weaklink decodes xz in Java.
 *
 * <p>Each parameter {@code stream} is the native address of an lzma_stream. {@link #streamDecoder} and {@link #code}
 * return an lzma_ret (lzma/base.h, lzma/container.h of xz 5.0 and newer).
 */
final class LibLzma {
    /**
     * The number of packed bytes from which on liblzma is worth loading. For fewer bytes, decoding in Java loses less
     * time than finding and linking the library takes.
     */
    private static final long WORTHWHILE = 2 << 20;

    private static final AtomicLong MET = new AtomicLong();

    private final MethodHandle streamDecoder;
    private final MethodHandle code;
    private final MethodHandle memoryUsage;
    private final MethodHandle end;
    private final NativeLibrary library;

    private LibLzma(NativeLibrary library) throws ReflectiveOperationException {
        this.library = library;
        streamDecoder = library.function(INT, "lzma_stream_decoder", LONG, LONG, INT);
        code = library.function(INT, "lzma_code", LONG, INT);
        memoryUsage = library.function(LONG, "lzma_memusage", LONG);
        end = library.function(INT, "lzma_end", LONG);
    }

    private static final class LibraryHolder {
        static final @Nullable LibLzma LIBRARY = NativeLibrary.find(LibLzma::new, "liblzma.so.5");

        private LibraryHolder() {}
    }

    /** Counts packed bytes that will certainly be decoded, so that {@link #forBytes} returns the library earlier. */
    static void expect(long packed) {
        MET.addAndGet(packed);
    }

    /**
     * Counts the packed bytes, then returns the library. Returns null if the library is not available, or if fewer than
     * {@link #WORTHWHILE} bytes were counted so far.
     *
     * @param packed the number of packed bytes to be decoded next, as far as known
     */
    static @Nullable LibLzma forBytes(int packed) {
        return MET.addAndGet(packed) < WORTHWHILE ? null : LibraryHolder.LIBRARY;
    }

    long address(Buffer buffer) {
        return library.address(buffer);
    }

    /** Calls {@code lzma_stream_decoder(lzma_stream *, uint64_t memlimit, uint32_t flags)}. */
    int streamDecoder(long stream, long memory, int flags) {
        try {
            return (int) streamDecoder.invokeExact(stream, memory, flags);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    int code(long stream, int action) {
        try {
            return (int) code.invokeExact(stream, action);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Calls {@code lzma_memusage(const lzma_stream *)}. Returns the bytes that the decoder uses, or would need if the
     * memory limit stopped the decoder.
     */
    long memoryUsage(long stream) {
        try {
            return (long) memoryUsage.invokeExact(stream);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    void end(long stream) {
        try {
            end.invoke(stream);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
