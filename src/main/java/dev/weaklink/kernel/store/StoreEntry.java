package dev.weaklink.kernel.store;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file of a stored kernel, identified by its name: {@code RELEASE@SHA256.kernel.zip}.
 *
 * @param release the kernel's release
 * @param digest the SHA-256 in the file's name, 64 hexadecimal digits
 * @param file the path
 */
public record StoreEntry(String release, String digest, Path file) {
    private static final String ENDING = ".kernel.zip";

    /** The suffix of files from earlier versions, which have another format. */
    private static final String OUTDATED = ".kernel.gz";

    private static final int MAX_RELEASE = 128;
    private static final int DIGEST_LENGTH = 64;
    private static final int SHORT = 12;

    /** Returns the entry of a file; null if the file's name does not have the form of an entry's name. */
    static @Nullable StoreEntry of(Path file) {
        String name = String.valueOf(file.getFileName());
        String ending = name.endsWith(OUTDATED) ? OUTDATED : ENDING;
        int at = name.length() - ending.length() - DIGEST_LENGTH - 1;
        if (at < 1 || name.charAt(at) != '@' || !name.endsWith(ending)) {
            return null;
        }
        String release = name.substring(0, at);
        String digest = name.substring(at + 1, at + 1 + DIGEST_LENGTH);
        return isPlainRelease(release) && isDigest(digest) ? new StoreEntry(release, digest, file) : null;
    }

    boolean isOutdated() {
        return String.valueOf(file.getFileName()).endsWith(OUTDATED);
    }

    static String fileName(String release, String digest) {
        return release + "@" + digest + ENDING;
    }

    /** Returns whether a release can be part of a file name, as the releases of real kernels can. */
    static boolean isPlainRelease(String release) {
        if (release.isEmpty() || release.length() > MAX_RELEASE || release.charAt(0) == '.') {
            return false;
        }
        for (int i = 0; i < release.length(); i++) {
            char c = release.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!letter && "._+~-".indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    static boolean isDigest(String text) {
        if (text.length() != DIGEST_LENGTH) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    public String name() {
        return release + "@" + digest.substring(0, SHORT);
    }

    /** Returns whether a name selects this entry: the release, alone or with {@code @} and the digest's beginning. */
    public boolean isNamed(String name) {
        int at = name.indexOf('@');
        return at < 0
                ? name.equals(release)
                : name.substring(0, at).equals(release) && digest.startsWith(name.substring(at + 1));
    }
}
