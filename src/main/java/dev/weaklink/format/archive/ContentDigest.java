package dev.weaklink.format.archive;

import dev.weaklink.sys.ByteStream;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** A digest that a package states for a file's contents; the digest's length determines the algorithm. */
final class ContentDigest {
    private static final int SHA_1 = 20;
    private static final int SHA_256 = 32;
    private static final int SHA_512 = 64;

    private final String algorithm;
    private final byte[] stated;

    private ContentDigest(String algorithm, byte[] stated) {
        this.algorithm = algorithm;
        this.stated = stated;
    }

    /**
     * Returns the digest whose bytes a package states; null if the package states none.
     *
     * @throws UnreadableException if no supported algorithm has digests of this length
     */
    static @Nullable ContentDigest of(byte @Nullable [] stated) throws UnreadableException {
        if (stated == null) {
            return null;
        }
        switch (stated.length) {
            case SHA_1:
                return new ContentDigest("SHA-1", stated);
            case SHA_256:
                return new ContentDigest("SHA-256", stated);
            case SHA_512:
                return new ContentDigest("SHA-512", stated);
            default:
                throw new UnreadableException("corrupt apk package: a digest of " + stated.length + " bytes (expected "
                        + SHA_1 + ", " + SHA_256 + " or " + SHA_512 + ")");
        }
    }

    /** Returns a stream of the contents that yields the last bytes only if all bytes match the digest. */
    InputStream verified(InputStream contents, long size) {
        return new VerifiedContents(contents, size, this);
    }

    String algorithm() {
        return algorithm;
    }

    MessageDigest start() {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }

    boolean matches(MessageDigest digest) {
        return MessageDigest.isEqual(stated, digest.digest());
    }

    private static final class VerifiedContents extends ByteStream {
        private final InputStream in;
        private final ContentDigest stated;
        private final MessageDigest digest;
        private long left;
        private boolean verified;

        VerifiedContents(InputStream in, long size, ContentDigest stated) {
            this.in = in;
            this.left = size;
            this.stated = stated;
            this.digest = stated.start();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = in.read(bytes, offset, length);
            if (count > 0) {
                digest.update(bytes, offset, count);
                left -= count;
            }
            if (left == 0 && !verified) {
                verified = true;
                if (!stated.matches(digest)) {
                    throw new UnreadableException(
                            UnreadableException.UnreadableKind.OTHER_DIGEST,
                            "contents do not match their " + stated.algorithm() + " digest; not used");
                }
            }
            return count;
        }

        @Override
        public int available() throws IOException {
            return in.available();
        }
    }
}
