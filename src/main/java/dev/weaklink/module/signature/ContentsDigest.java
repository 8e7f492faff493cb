package dev.weaklink.module.signature;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Computes digests of whole modules. Java's own digests are slow until the just-in-time compiler has optimized them,
 * which is too late in a short program. libcrypto needs a twentieth of their time.
 */
final class ContentsDigest {
    /**
     * The total number of bytes to digest before libcrypto is worth loading. Java digests this many bytes in the time
     * that finding and linking the library takes.
     */
    private static final long WORTHWHILE = 4 << 20;

    private static final AtomicLong MET = new AtomicLong();

    private ContentsDigest() {}

    private static final class DigestsHolder {
        static final @Nullable LibCrypto LIBRARY = LibCrypto.find();

        private DigestsHolder() {}
    }

    /**
     * Returns the digest of the first {@code length} bytes.
     *
     * @param algorithm OpenSSL's name of the digest, such as SHA256
     * @throws NoSuchAlgorithmException if neither Java nor libcrypto computes the digest
     */
    static byte[] of(String algorithm, byte[] data, int length) throws NoSuchAlgorithmException {
        LibCrypto library = MET.addAndGet(length) < WORTHWHILE ? null : DigestsHolder.LIBRARY;
        byte[] digest = library == null ? null : library.digest(algorithm, data, length);
        return digest != null ? digest : inJava(algorithm, data, length);
    }

    static byte[] inJava(String algorithm, byte[] data, int length) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance(algorithm.replaceFirst("^SHA(?!3)", "SHA-"));
        digest.update(data, 0, length);
        return digest.digest();
    }
}
