package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The atomic replacement of files: a file has its old contents or all of its new contents. */
class ReplacedFileTest {
    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("metrics.prom");
    }

    private long entries() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        }
    }

    @Test
    void replacesAnExistingFile() throws IOException {
        Files.writeString(file(), "old and long");
        ReplacedFile.write(file(), out -> out.write('n'));
        assertThat(file()).hasContent("n");
        assertThat(entries()).isEqualTo(1);
    }

    @Test
    void readersSeeTheOldFileUntilAllIsWritten() throws IOException {
        Files.writeString(file(), "old");
        ReplacedFile.write(file(), out -> {
            out.write(new byte[1 << 20]);
            assertThat(file()).hasContent("old");
        });
        assertThat(Files.size(file())).isEqualTo(1 << 20);
    }

    @Test
    void leavesEverythingUnchangedAfterAFailure() throws IOException {
        Files.writeString(file(), "old");
        assertThatThrownBy(() -> ReplacedFile.write(file(), out -> {
                    throw new IOException("no more");
                }))
                .hasMessage("no more");
        assertThat(file()).hasContent("old");
        assertThat(entries()).isEqualTo(1);
    }

    @Test
    void keepsALink() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "old");
        Files.createSymbolicLink(file(), target);
        ReplacedFile.write(file(), out -> out.write('n'));
        assertThat(file()).isSymbolicLink().hasContent("n");
        assertThat(target).hasContent("n");
    }

    @Test
    void writesIntoADevice() throws IOException {
        ReplacedFile.write(Path.of("/dev/null"), out -> out.write('n'));
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    @Test
    void failsIfTheDirectoryIsMissing() {
        assertThatThrownBy(() -> ReplacedFile.write(directory.resolve("none/file"), out -> out.write('n')))
                .isInstanceOf(IOException.class);
    }
}
