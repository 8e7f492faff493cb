package dev.weaklink.check.userspace;

import dev.weaklink.check.userspace.UserspaceCheck.VerbsLibrary;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.FuzzTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A fuzz target for shared libraries and the tables that providers register. */
public final class LibraryTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        VerbsLibrary.of(bytes);
        try {
            SharedLibraryReader.read(bytes);
            ProviderTable.read(bytes, "wl");
        } catch (UnreadableException e) {
            // The expected result for bytes that are not a library.
        }
    }

    @Override
    public List<byte[]> seeds() {
        try {
            Path built = Path.of("test-fixtures/userspace");
            return List.of(
                    Files.readAllBytes(built.resolve("wl-34-newer.so")),
                    Files.readAllBytes(built.resolve("verbs-34.so")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
