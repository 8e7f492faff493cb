package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileIdentityTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long NOW = 1_700_000_000L * SECOND;

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void writeAFile() throws IOException {
        file = Files.writeString(directory.resolve("m.ko"), "first");
    }

    private static FileIdentity of(Path file) throws IOException {
        return Objects.requireNonNull(FileIdentity.of(file));
    }

    /** Waits until the file system's clock has passed the change time of {@code before}. */
    private void letTimePass(FileIdentity before) throws IOException {
        Path other = directory.resolve("clock");
        do {
            Files.writeString(other, "tick");
        } while (of(other).changed() <= before.changed());
    }

    @Test
    void keepsTheIdentityOfAnUnchangedFile() throws IOException {
        assertThat(of(file)).isEqualTo(of(file)).hasSameHashCodeAs(of(file));
    }

    @Test
    void changesTheIdentityOfARewrittenFile() throws IOException {
        FileIdentity before = of(file);
        letTimePass(before);

        Files.writeString(file, "other", StandardOpenOption.WRITE);

        assertThat(of(file).inode()).isEqualTo(before.inode());
        assertThat(of(file).size()).isEqualTo(before.size());
        assertThat(of(file)).isNotEqualTo(before);
    }

    @Test
    void changesTheIdentityDespiteAResetModificationTime() throws IOException {
        FileTime modified = Files.getLastModifiedTime(file);
        FileIdentity before = of(file);
        letTimePass(before);

        Files.writeString(file, "other", StandardOpenOption.WRITE);
        Files.setLastModifiedTime(file, modified);

        assertThat(of(file).modified()).isEqualTo(before.modified());
        assertThat(of(file).changed()).isGreaterThan(before.changed());
        assertThat(of(file)).isNotEqualTo(before);
    }

    @Test
    void changesTheIdentityOfAReplacedFile() throws IOException {
        FileIdentity before = of(file);
        Path next = Files.writeString(directory.resolve("next"), "other");

        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);

        assertThat(of(file).inode()).isNotEqualTo(before.inode());
    }

    @Test
    void hardLinksAndSymbolicLinksHaveTheIdentityOfTheirFile() throws IOException {
        Path hard = Files.createLink(directory.resolve("hard.ko"), file);
        Path symbolic = Files.createSymbolicLink(directory.resolve("soft.ko"), file);

        assertThat(of(hard)).isEqualTo(of(file));
        assertThat(of(symbolic)).isEqualTo(of(file));
        assertThat(FileIdentity.of(symbolic, LinkOption.NOFOLLOW_LINKS)).isNull();
    }

    @Test
    void givesOnlyRegularFilesAnIdentity() throws IOException {
        assertThat(FileIdentity.of(directory)).isNull();
        assertThatThrownBy(() -> FileIdentity.of(directory.resolve("absent"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void doesNotTrustAFileThatJustChanged() {
        assertThat(changed(NOW - 3 * SECOND + 1).isSettled(NOW)).isTrue();
        assertThat(changed(NOW - SECOND + 1).isSettled(NOW)).isFalse();
        assertThat(changed(NOW + SECOND + 1).isSettled(NOW)).isFalse();
        assertThat(new FileIdentity(1, 2, 3, NOW - SECOND, NOW - 3 * SECOND + 1).isSettled(NOW))
                .isFalse();
    }

    @Test
    void doesNotTrustAChangeAtAFullSecond() {
        assertThat(changed(NOW - 100 * SECOND).isSettled(NOW)).isFalse();
        assertThat(changed(0).isSettled(NOW)).isFalse();
    }

    private static FileIdentity changed(long time) {
        return new FileIdentity(1, 2, 3, NOW - 1000 * SECOND, time);
    }
}
