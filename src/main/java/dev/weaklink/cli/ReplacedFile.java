package dev.weaklink.cli;

import dev.weaklink.sys.DurableFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * Replaces regular files atomically: readers see the old or the new contents, never a part. The new file is written in
 * the same directory under a hidden, random name that ends in {@code .new}, and then renamed.
 */
final class ReplacedFile {
    interface ContentWriter {
        /** Writes all contents; the caller closes the stream. */
        void writeTo(OutputStream out) throws IOException;
    }

    private ReplacedFile() {}

    /**
     * Replaces a file, or the target of a link. Writes into a device or pipe directly, because a device or pipe cannot
     * be replaced.
     *
     * @throws IOException if writing fails; a regular file is then unchanged, unless syncing its directory failed
     */
    public static void write(Path file, ContentWriter content) throws IOException {
        Path place = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        if (Files.exists(place) && !Files.isRegularFile(place)) {
            try (OutputStream out = buffered(place, StandardOpenOption.WRITE)) {
                content.writeTo(out);
            }
            return;
        }
        String number = Long.toHexString(new SecureRandom().nextLong());
        Path draft = place.resolveSibling("." + place.getFileName() + "." + number + ".new");
        try {
            fill(draft, content);
            DurableFiles.sync(draft);
            DurableFiles.move(draft, place);
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(draft);
            throw e;
        }
    }

    private static void fill(Path draft, ContentWriter content) throws IOException {
        try (OutputStream out = buffered(draft, StandardOpenOption.CREATE_NEW)) {
            content.writeTo(out);
        }
    }

    private static OutputStream buffered(Path file, StandardOpenOption option) throws IOException {
        return new BufferedOutputStream(Files.newOutputStream(file, option, StandardOpenOption.WRITE), 1 << 16);
    }
}
