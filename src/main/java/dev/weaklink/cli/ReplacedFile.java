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
 * A file whose readers see what was there before or all that is there now, never a part of it. It is written beside its
 * place, under a hidden name that ends in {@code .new} and cannot be guessed, and renamed.
 */
final class ReplacedFile {
    /** Writes what the file shall hold. */
    interface Content {
        /** Writes all of it; the stream is closed by the caller. */
        void writeTo(OutputStream out) throws IOException;
    }

    private ReplacedFile() {}

    /**
     * Writes a file over what is there. A link is followed; a device or pipe is written into, since it cannot be
     * replaced.
     *
     * @throws IOException if it cannot be written; what was there before is still there then
     */
    public static void write(Path file, Content content) throws IOException {
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

    private static void fill(Path draft, Content content) throws IOException {
        try (OutputStream out = buffered(draft, StandardOpenOption.CREATE_NEW)) {
            content.writeTo(out);
        }
    }

    private static OutputStream buffered(Path file, StandardOpenOption option) throws IOException {
        return new BufferedOutputStream(Files.newOutputStream(file, option, StandardOpenOption.WRITE), 1 << 16);
    }
}
