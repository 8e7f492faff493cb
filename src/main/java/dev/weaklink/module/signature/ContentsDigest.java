package dev.weaklink.module.signature;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Digests of whole modules. Java's own are fast only once its second compiler has seen them, which costs more than it
 * gives in programs that end soon: libcrypto takes a twentieth of the time.
 */
final class ContentsDigest {
    /** To find and link the library takes as long as Java needs for so many bytes. */
    private static final long WORTHWHILE = 4 << 20;

    private static final AtomicLong MET = new AtomicLong();

    private ContentsDigest() {}

    /** Looked for when it is first needed. */
    private static final class Loaded {
        static final @Nullable LibCrypto LIBRARY = LibCrypto.find();

        private Loaded() {}
    }

    /**
     * The digest of the first {@code length} bytes.
     *
     * @param algorithm SHA256 or another of this form
     * @throws NoSuchAlgorithmException if Java has no such digest
     */
    static byte[] of(String algorithm, byte[] data, int length) throws NoSuchAlgorithmException {
        LibCrypto library = MET.addAndGet(length) < WORTHWHILE ? null : Loaded.LIBRARY;
        byte[] digest = library == null ? null : library.digest(algorithm, data, length);
        return digest != null ? digest : inJava(algorithm, data, length);
    }

    static byte[] inJava(String algorithm, byte[] data, int length) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance(algorithm.replaceFirst("^SHA(?!3)", "SHA-"));
        digest.update(data, 0, length);
        return digest.digest();
    }
}
