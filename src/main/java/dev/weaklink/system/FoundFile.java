package dev.weaklink.system;

import dev.weaklink.format.archive.HeldBytes;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.RawFile;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file found below a root directory or in a package.
 *
 * @param inside the path inside the root directory; for a packaged file, {@code PACKAGE!MEMBER}
 * @param host the path to open, with links resolved inside the root directory; for a packaged file, the package
 * @param held the file's bytes if it is in a package, else null
 */
public record FoundFile(String inside, Path host, @Nullable HeldBytes held) {
    public FoundFile(String inside, Path host) {
        this(inside, host, null);
    }

    /**
     * Returns the file's bytes as stored.
     *
     * @throws UnreadableException if the file cannot be read, or is not in a package and has more than {@code limit}
     *     bytes
     */
    public byte[] stored(int limit) throws UnreadableException {
        return held == null ? RawFile.read(host, limit) : held.bytes();
    }

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
