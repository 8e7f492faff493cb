package dev.weaklink.system;

import dev.weaklink.format.archive.HeldBytes;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.RawFile;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that was found in a root or in a package.
 *
 * @param inside its path as seen from inside the root; of a package, behind the package's name
 * @param host the path to open, links resolved inside the root; the package that holds it
 * @param held its bytes if they were taken from a package
 */
public record FoundFile(String inside, Path host, @Nullable HeldBytes held) {
    /** A file of its own. */
    public FoundFile(String inside, Path host) {
        this(inside, host, null);
    }

    /**
     * Its bytes as they are stored.
     *
     * @throws UnreadableException if they cannot be read or are more than {@code limit}
     */
    public byte[] stored(int limit) throws UnreadableException {
        return held == null ? RawFile.read(host, limit) : held.bytes();
    }

    /**
     * Reads and, if need be, decompresses it.
     *
     * @throws UnreadableException if that fails
     */
    public void load(FileContents contents) throws UnreadableException {
        if (held == null) {
            contents.load(host);
            return;
        }
        try {
            contents.load(inside, held.stream(), held.length());
        } catch (UnreadableException e) {
            throw e;
        } catch (IOException e) {
            throw new IllegalStateException("an array cannot fail", e);
        }
    }
}
