package dev.weaklink.system;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An image with dummy files. */
final class FakeSystem {
    private final Path top;

    FakeSystem(Path directory) throws IOException {
        top = Files.createDirectories(directory).toRealPath();
    }

    Root root() throws IOException {
        return Root.of(top);
    }

    Path at(String inside) {
        return top.resolve(inside.substring(1));
    }

    FakeSystem file(String inside, String text) throws IOException {
        Files.createDirectories(at(inside).getParent());
        Files.writeString(at(inside), text);
        return this;
    }

    FakeSystem files(String... paths) throws IOException {
        for (String path : paths) {
            file(path, "");
        }
        return this;
    }

    FakeSystem directory(String inside) throws IOException {
        Files.createDirectories(at(inside));
        return this;
    }

    FakeSystem link(String inside, String target) throws IOException {
        Files.createDirectories(at(inside).getParent());
        Files.createSymbolicLink(at(inside), Path.of(target));
        return this;
    }
}
