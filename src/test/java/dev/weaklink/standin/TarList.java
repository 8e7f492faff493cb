package dev.weaklink.standin;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a tarball holds. */
final class TarList {
    private TarList() {}

    /** The names of its members, in their order. */
    static List<String> of(Path tarball) throws IOException {
        return ExternalTool.orSkip("tar")
                .run("tPzf", tarball.toString())
                .lines()
                .toList();
    }
}
