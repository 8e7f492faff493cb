package dev.weaklink.standin;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

final class TarList {
    private TarList() {}

    /** Returns the names of a tar archive's members, in their order. */
    static List<String> of(Path tarball) throws IOException {
        return ExternalTool.orSkip("tar")
                .run("tPzf", tarball.toString())
                .lines()
                .toList();
    }
}
