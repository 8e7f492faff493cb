package dev.weaklink.module.signature;

import static dev.weaklink.sys.NativeLibrary.INT;
import static dev.weaklink.sys.NativeLibrary.LONG;

import dev.weaklink.sys.NativeLibrary;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Computes digests with the libcrypto of OpenSSL 1.1 or 3 (openssl/evp.h). Thread-safe. */
final class LibCrypto {
    private static final int CHUNK = 64 << 10;
    private static final int OK = 1;

    private static final int LARGEST = 64;

    private final NativeLibrary library;
    private final MethodHandle create;
    private final MethodHandle byName;
    private final MethodHandle init;
    private final MethodHandle update;
    private final MethodHandle finish;
    private final MethodHandle free;
    private final Queue<ByteBuffer> idle = new ConcurrentLinkedQueue<>();

    private LibCrypto(NativeLibrary library) throws ReflectiveOperationException {
        this.library = library;
        create = library.function(LONG, "EVP_MD_CTX_new");
        byName = library.function(LONG, "EVP_get_digestbyname", LONG);
        init = library.function(INT, "EVP_DigestInit_ex", LONG, LONG, LONG);
        update = library.function(INT, "EVP_DigestUpdate", LONG, LONG, LONG);
        finish = library.function(INT, "EVP_DigestFinal_ex", LONG, LONG, LONG);
        free = library.function(INT, "EVP_MD_CTX_free", LONG);
    }

    static @Nullable LibCrypto find() {
        return NativeLibrary.find(LibCrypto::new, "libcrypto.so.3", "libcrypto.so.1.1");
    }

    /**
     * Returns the digest of the first {@code length} bytes.
     *
     * @param algorithm OpenSSL's name of the digest, such as SHA256
     * @return null if the library does not support the digest or cannot compute it
     */
    byte @Nullable [] digest(String algorithm, byte[] data, int length) {
        ByteBuffer used = idle.poll();
        ByteBuffer buffer = used != null ? used : ByteBuffer.allocateDirect(CHUNK);
        try {
            return digest(algorithm, data, length, buffer);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        } finally {
            idle.add(buffer);
        }
    }

    private byte @Nullable [] digest(String algorithm, byte[] data, int length, ByteBuffer buffer) throws Throwable {
        long address = library.address(buffer.clear());
        buffer.put(algorithm.getBytes(StandardCharsets.US_ASCII)).put((byte) 0);
        long type = (long) byName.invokeExact(address);
        long context = type == 0 ? 0 : (long) create.invokeExact();
        if (context == 0) {
            return null;
        }
        try {
            boolean good = (int) init.invokeExact(context, type, 0L) == OK;
            for (int at = 0; good && at < length; at += CHUNK) {
                int count = Math.min(CHUNK, length - at);
                buffer.clear().put(data, at, count);
                good = (int) update.invokeExact(context, address, (long) count) == OK;
            }
            // The digest is written first; its length, an unsigned int, comes after the space for the largest digest.
            good = good && (int) finish.invokeExact(context, address, address + LARGEST) == OK;
            return good ? taken(buffer) : null;
        } finally {
            free.invoke(context);
        }
    }

    private static byte[] taken(ByteBuffer buffer) {
        int size = buffer.clear().order(ByteOrder.nativeOrder()).getInt(LARGEST);
        byte[] digest = new byte[size];
        buffer.get(digest);
        return digest;
    }
}
