package dev.weaklink.format.codec;

import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Reads a file's bytes as they are on disk. */
public final class RawFile {
    private RawFile() {}

    /**
     * Reads a whole regular file (links are followed).
     *
     * @throws UnreadableException if the file is missing, not regular, not permitted, longer than {@code limit} bytes,
     *     too large for memory, or becomes shorter meanwhile
     */
    public static byte[] read(Path file, int limit) throws UnreadableException {
        try {
            long size = RegularFile.size(file);
            if (size > limit) {
                throw new UnreadableException("is longer than the limit of " + limit + " bytes");
            }
            byte[] bytes = new byte[(int) size];
            try (InputStream in = RegularFile.open(file)) {
                if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
                    throw new EOFException("became shorter while it was read");
                }
            }
            return bytes;
        } catch (IOException e) {
            throw UnreadableException.of(file, e);
        } catch (OutOfMemoryError e) {
            throw UnreadableException.of(file.toString(), "not enough memory to read it", e);
        }
    }
}
