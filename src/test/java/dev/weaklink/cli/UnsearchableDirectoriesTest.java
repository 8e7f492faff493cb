package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Directories that only root may search: the program must name them, and must not report that all is in order. */
class UnsearchableDirectoriesTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "command/initramfs-stale, boot, status",
        "command/hold-apt, var/lib/apt/lists, hold --dry-run",
        "in-use/linked, lib/modules, status",
        "in-use/linked, lib/modules/5.14.0-1.el9/extra, check",
        "in-use/linked, lib/modules/5.14.0-2.el9, status",
        "in-use/linked, lib/modules/5.14.0-2.el9/weak-updates, status"
    })
    void namesDirectoriesThatCannotBeSearched(String image, String place, String command) throws IOException {
        Path root = Files.createDirectory(directory.resolve("image")).toRealPath();
        String[] parts = image.split("/");
        ImageCase.read(parts[0], parts[1]).build(root);
        Path closed = root.resolve(place);
        Files.setPosixFilePermissions(closed, Set.of());
        assumeThat(Files.isExecutable(closed)).as("running as root").isFalse();
        WholeRun run = WholeRun.of((command + " --root " + root).split(" "));
        assertThat(run.status()).as(run.toString()).isNotZero();
        assertThat(run.err()).contains("permission denied");
    }
}
