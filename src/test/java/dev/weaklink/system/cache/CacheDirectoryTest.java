package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheDirectoryTest {
    private static final byte[] CONTENTS = {1, 2, 3};
    private static final int LARGEST = 100;

    @TempDir
    Path scratch;

    private Path directory;
    private int user;

    @BeforeEach
    void findOutWhoWeAre() throws IOException {
        directory = scratch.resolve("cache/facts");
        user = (int) Files.getAttribute(scratch, "unix:uid");
    }

    private CacheDirectory cache() {
        return cache(1000);
    }

    private CacheDirectory cache(long limit) {
        return new CacheDirectory(directory, user, limit, LARGEST);
    }

    private Path file(String name) {
        return directory.resolve(name + ".facts");
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void readsPrivateFilesBack() throws IOException {
        cache().write("a", CONTENTS);

        assertThat(cache().read("a")).isEqualTo(CONTENTS);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("a"))))
                .isEqualTo("rw-------");
    }

    @Test
    void readsBackALargeFile() throws IOException {
        byte[] large = new byte[200_001];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 31 >> 7);
        }
        CacheDirectory roomy = new CacheDirectory(directory, user, 1 << 20, 1 << 20);
        roomy.write("a", large);

        assertThat(roomy.read("a")).isEqualTo(large);
    }

    @Test
    void returnsNullForAMissingFile() throws IOException {
        assertThat(cache().read("a")).isNull();
        cache().write("b", CONTENTS);
        assertThat(cache().read("a")).isNull();
    }

    @Test
    void readingMakesNoDirectory() {
        assertThat(cache().read("a")).isNull();
        assertThat(directory).doesNotExist();
    }

    @Test
    void doesNotUseAnotherUsersDirectory() throws IOException {
        cache().write("a", CONTENTS);
        CacheDirectory others = new CacheDirectory(directory, user + 1, 1000, LARGEST);

        assertThat(others.read("a")).isNull();
        assertThatThrownBy(() -> others.write("b", CONTENTS)).isInstanceOf(IOException.class);
        assertThat(file("b")).doesNotExist();
    }

    @Test
    void doesNotUseADirectoryThatOthersCanWriteTo() throws IOException {
        cache().write("a", CONTENTS);
        mode(directory, "rwxrwx---");

        assertThat(cache().read("a")).isNull();
        assertThatThrownBy(() -> cache().write("b", CONTENTS)).isInstanceOf(IOException.class);
    }

    @Test
    void doesNotUseADirectoryThatOthersCanReplace() throws IOException {
        cache().write("a", CONTENTS);
        mode(scratch, "rwxrwxrwx");

        assertThat(cache().read("a")).isNull();
        assertThatThrownBy(() -> cache().write("b", CONTENTS)).isInstanceOf(IOException.class);
        assertThat(file("b")).doesNotExist();
    }

    @Test
    void acceptsADirectoryWhereOthersMayOnlyAdd() throws IOException {
        cache().write("a", CONTENTS);
        Files.setAttribute(scratch, "unix:mode", 01777);

        assertThat(cache().read("a")).isEqualTo(CONTENTS);
    }

    @Test
    void followsALinkAboveTheDirectory() throws IOException {
        cache().write("a", CONTENTS);
        Path link = Files.createSymbolicLink(scratch.resolve("link"), scratch.resolve("cache"));
        CacheDirectory linked = new CacheDirectory(link.resolve("facts"), user, 1000, LARGEST);

        assertThat(linked.read("a")).isEqualTo(CONTENTS);
        linked.write("b", CONTENTS);
        assertThat(file("b")).exists();
    }

    @Test
    void doesNotReadAFileThatOthersCanWriteTo() throws IOException {
        cache().write("a", CONTENTS);
        mode(file("a"), "rw-----w-");
        assertThat(cache().read("a")).isNull();

        mode(file("a"), "rw-r--r--");
        assertThat(cache().read("a")).isEqualTo(CONTENTS);
    }

    @Test
    void doesNotFollowLinks() throws IOException {
        cache().write("a", CONTENTS);
        Files.createSymbolicLink(file("b"), file("a"));
        assertThat(cache().read("b")).isNull();

        Path link = Files.createSymbolicLink(scratch.resolve("link"), directory);
        CacheDirectory linked = new CacheDirectory(link, user, 1000, LARGEST);
        assertThat(linked.read("a")).isNull();
        assertThatThrownBy(() -> linked.write("c", CONTENTS)).isInstanceOf(IOException.class);
    }

    @Test
    void replacesALinkInsteadOfItsTarget() throws IOException {
        cache().write("a", CONTENTS);
        Path victim = Files.writeString(scratch.resolve("victim"), "mine");
        Files.delete(file("a"));
        Files.createSymbolicLink(file("a"), victim);

        cache().write("a", CONTENTS);

        assertThat(victim).hasContent("mine");
        assertThat(cache().read("a")).isEqualTo(CONTENTS);
    }

    @Test
    void neitherWritesNorReadsTooLargeFiles() throws IOException {
        cache().write("a", new byte[LARGEST + 1]);
        assertThat(directory).doesNotExist();

        cache().write("a", CONTENTS);
        Files.write(file("a"), new byte[LARGEST + 1]);
        assertThat(cache().read("a")).isNull();
    }

    @Test
    void deletesTheOldestFilesBeyondTheLimit() throws IOException {
        for (int i = 0; i < 4; i++) {
            cache().write("f" + i, new byte[LARGEST]);
            Files.setLastModifiedTime(file("f" + i), FileTime.fromMillis(1000L * (10 - i)));
        }

        cache(3 * LARGEST).write("new", new byte[LARGEST]);

        assertThat(cache().read("new")).isNotNull();
        assertThat(cache().read("f0")).isNotNull();
        assertThat(cache().read("f1")).isNotNull();
        assertThat(cache().read("f2")).isNull();
        assertThat(cache().read("f3")).isNull();
    }

    @Test
    void removesLeftoversOfKilledPrograms() throws IOException {
        cache().write("a", CONTENTS);
        Path old = Files.write(directory.resolve("a.1.tmp"), CONTENTS);
        Files.setLastModifiedTime(old, FileTime.fromMillis(1000));
        Path recent = Files.write(directory.resolve("a.2.tmp"), CONTENTS);

        cache().write("b", CONTENTS);

        assertThat(old).doesNotExist();
        assertThat(recent).exists();
    }

    @Test
    void replacesFilesAtomically() throws Exception {
        cache().write("a", filled(0));
        Thread writer = new Thread(() -> {
            try {
                for (int i = 1; i <= 200; i++) {
                    cache().write("a", filled(i));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        do {
            byte[] seen = cache().read("a");
            assertThat(seen).isNotNull().containsOnly(seen == null ? 0 : seen[0]);
        } while (writer.isAlive());
        writer.join();
        assertThat(cache().read("a")).isEqualTo(filled(200));
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(1);
        }
    }

    private static byte[] filled(int value) {
        byte[] bytes = new byte[LARGEST];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
