package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegularFileTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"/proc/kmsg", "/proc/self/pagemap", "/proc/self/maps", "/sys/kernel/notes"})
    void refusesFilesOfTheKernelsOwnThroughLinks(String file) throws IOException {
        // A chroot may lack /sys.
        assumeThat(Path.of(file)).exists();
        Path link = Files.createSymbolicLink(directory.resolve("a.ko"), Path.of(file));
        assertThatThrownBy(() -> RegularFile.open(link)).hasMessage("is a file of the kernel's own, not on a disk");
    }

    @Test
    void opensFilesOnADisk() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[3]);
        assertThat(RegularFile.size(file)).isEqualTo(3);
        try (InputStream in = RegularFile.open(file)) {
            assertThat(in.readAllBytes()).hasSize(3);
        }
    }

    @Test
    void refusesEverythingElse() {
        assertThatThrownBy(() -> RegularFile.size(directory)).hasMessage("is a directory");
        assertThatThrownBy(() -> RegularFile.size(Path.of("/dev/zero"))).hasMessage("not a regular file");
        assertThatThrownBy(() -> RegularFile.open(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }
}
