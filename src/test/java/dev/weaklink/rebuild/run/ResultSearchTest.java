package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Backend.ExpectedOutput;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the search for results below /tmp, where each run has its own directory. */
class ResultSearchTest {
    private static final Instant START = Instant.now().minusSeconds(1);
    private static final ExpectedOutput EXPECTED =
            new ExpectedOutput.Files(List.of("/tmp"), "result-search-test-", List.of(".rpm"));

    private Path directory;

    @BeforeEach
    void make() throws IOException {
        directory = Files.createTempDirectory(Path.of("/tmp"), "DOCA.");
    }

    @AfterEach
    void remove() throws IOException {
        DurableFiles.deleteTree(directory);
    }

    /** Returns a search whose work directory is another directory, so that the results are outside of it. */
    private ResultSearch search() throws IOException {
        Path work = Files.createDirectories(directory.resolve("work"));
        return new ResultSearch(work, START, Ownership.ofProcess());
    }

    private List<Path> found() throws IOException {
        return search().find(EXPECTED, List.of());
    }

    @Test
    void searchesOnlyTheDirectoryOfTheRun() throws IOException {
        Path below = Files.createDirectories(directory.resolve("a/b"));
        Path result = Files.createFile(below.resolve("result-search-test-1.rpm"));
        Files.setLastModifiedTime(directory, FileTime.from(START));
        assertThat(found()).containsExactly(result);
        Files.setLastModifiedTime(directory, FileTime.from(START.minusSeconds(1)));
        assertThat(found()).isEmpty();
    }

    @Test
    void ignoresFilesFromBeforeTheBuild() throws IOException {
        Path result = Files.createFile(directory.resolve("result-search-test-1.rpm"));
        Files.setLastModifiedTime(result, FileTime.from(START.minusSeconds(1)));
        assertThat(found()).isEmpty();
    }

    private static void giveAway(Path path) throws IOException {
        Assumptions.assumeTrue(Ownership.ofProcess().user() == 0, "only root can give files away");
        Files.setAttribute(path, "unix:uid", 65534);
    }

    @Test
    void ignoresFilesThatAnotherUserMayHaveWritten() throws IOException {
        Path result = Files.createFile(directory.resolve("result-search-test-1.rpm"));
        Path other = Files.createFile(directory.resolve("result-search-test-2.rpm"));
        giveAway(other);
        ResultSearch search = search();
        assertThat(search.find(EXPECTED, List.of())).containsExactly(result);
        assertThat(search.foreign()).isEqualTo(other + " does not count: " + other + " belongs to user 65534");
        giveAway(directory);
        assertThat(found()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxrwx", "rwx-wx---"})
    void ignoresFilesThatOthersMayWrite(String mode) throws IOException {
        Path below = Files.createDirectories(directory.resolve("a/b"));
        Path result = Files.createFile(below.resolve("result-search-test-1.rpm"));
        assertThat(found()).containsExactly(result);
        Assumptions.assumeTrue(Ownership.ofProcess().user() == 0, "a user's own group is no other");
        for (Path path : List.of(result, below, directory.resolve("a"), directory)) {
            Set<PosixFilePermission> before = Files.getPosixFilePermissions(path);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
            assertThat(found()).as("others may write to %s", path).isEmpty();
            Files.setPosixFilePermissions(path, before);
        }
        assertThat(found()).containsExactly(result);
    }
}
