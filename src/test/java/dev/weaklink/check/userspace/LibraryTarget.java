package dev.weaklink.check.userspace;

import dev.weaklink.check.userspace.UserspaceCheck.VerbsLibrary;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.FuzzTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A shared library, and what a provider registers. */
public final class LibraryTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        VerbsLibrary.of(bytes);
        try {
            SharedLibraryReader.read(bytes);
            ProviderTable.read(bytes, "wl");
        } catch (UnreadableException e) {
            // what a reader says of bytes that are none
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
