package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The owners of files in an image's database, queried with a real rpm. */
class RpmDatabaseTest {
    private static final String BASE = "/lib/modules/6.1.0-1/extra/";

    @TempDir
    Path work;

    @TempDir
    Path image;

    private Map<String, String> owners(String... files) throws IOException {
        RpmDatabase database = RpmDatabase.find(Root.of(image));
        assertThat(database).isNotNull();
        return new TreeMap<>(database.owners(List.of(files)));
    }

    @Test
    void findsThePackageOfEveryFile() throws IOException {
        InstalledRpm.of("kmod-a", "1.0", List.of(BASE + "a/a.ko", BASE + "a/b.ko.xz"), image, work);
        InstalledRpm.of("kmod-b", "2:7", List.of(BASE + "a/c.ko"), image, work);
        InstalledRpm.of("docs", "1", List.of("/usr/share/doc/a/a.txt"), image, work);

        assertThat(owners(BASE + "a/a.ko", BASE + "a/b.ko.xz", BASE + "a/c.ko", BASE + "a/d.ko"))
                .containsExactly(
                        Map.entry(BASE + "a/a.ko", "kmod-a"),
                        Map.entry(BASE + "a/b.ko.xz", "kmod-a"),
                        Map.entry(BASE + "a/c.ko", "kmod-b"));
    }

    @Test
    void treatsAMergedUsrAsTheSameDirectory() throws IOException {
        InstalledRpm.of("kmod-a", "1.0", List.of(BASE + "a.ko"), image, work);
        InstalledRpm.of("kmod-b", "1.0", List.of("/usr" + BASE + "b.ko"), image, work);

        assertThat(owners("/usr" + BASE + "a.ko", BASE + "b.ko"))
                .containsExactly(Map.entry(BASE + "b.ko", "kmod-b"), Map.entry("/usr" + BASE + "a.ko", "kmod-a"));
    }

    @Test
    void writesNothingIntoTheImage() throws IOException {
        InstalledRpm.of("kmod-a", "1.0", List.of(BASE + "a.ko"), image, work);
        for (String left : List.of("rpmdb.sqlite-shm", "rpmdb.sqlite-wal", ".rpm.lock")) {
            Files.deleteIfExists(image.resolve("var/lib/rpm").resolve(left));
        }
        Map<String, Object> before = state();

        assertThat(owners(BASE + "a.ko")).hasSize(1);

        assertThat(state()).isEqualTo(before);
    }

    private Map<String, Object> state() throws IOException {
        Map<String, Object> state = new TreeMap<>();
        try (var paths = Files.walk(image)) {
            for (Path path : paths.toList()) {
                state.put(path.toString(), Files.getLastModifiedTime(path));
            }
        }
        return state;
    }

    @Test
    void findsNoDatabaseInAnImageWithoutOne() throws IOException {
        assertThat(RpmDatabase.find(Root.of(image))).isNull();
        Files.createDirectories(image.resolve("var/lib/rpm"));
        assertThat(RpmDatabase.find(Root.of(image))).isNull();
        Files.createSymbolicLink(image.resolve("var/lib/rpm/rpmdb.sqlite"), Path.of("gone"));
        assertThat(RpmDatabase.find(Root.of(image))).isNull();
    }

    @Test
    void failsForAnUnreachableLocationUnlessAnotherHasTheDatabase() throws IOException {
        Files.createDirectories(image.resolve("var/lib"));
        Files.createSymbolicLink(image.resolve("var/lib/rpm"), Path.of("rpm"));

        assertThatThrownBy(() -> RpmDatabase.find(Root.of(image)))
                .isInstanceOf(IOException.class)
                .hasMessage("/var/lib/rpm cannot be reached: too many symbolic links");

        Path other = Files.createDirectories(image.resolve("usr/share/rpm"));
        Files.write(other.resolve("rpmdb.sqlite"), new byte[10]);
        assertThat(RpmDatabase.find(Root.of(image))).isNotNull();
    }

    @Test
    void failsForAnInvalidDatabase() throws IOException {
        ExternalTool.orSkip("rpm");
        Path directory = Files.createDirectories(image.resolve("usr/lib/sysimage/rpm"));
        Files.write(directory.resolve("rpmdb.sqlite"), new byte[5000]);
        RpmDatabase database = RpmDatabase.find(Root.of(image));
        assertThat(database).isNotNull();

        assertThatThrownBy(() -> database.owners(List.of(BASE + "a.ko")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("rpm says: ");
    }

    @Test
    void runsNothingWithoutFiles() throws IOException {
        Path directory = Files.createDirectories(image.resolve("var/lib/rpm"));
        Files.write(directory.resolve("Packages"), new byte[1]);
        assertThat(owners()).isEmpty();
    }
}
