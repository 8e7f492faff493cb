package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
    @TempDir
    Path directory;

    @Test
    void aNewFileNeverOverwritesAnother() throws IOException {
        Path file = directory.resolve("file");
        DurableFiles.create(file, new byte[] {1, 2});
        assertThat(file).hasBinaryContent(new byte[] {1, 2});
        assertThatThrownBy(() -> DurableFiles.create(file, new byte[0])).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void aNewFileDoesNotGoThroughALink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("target"));
        assertThatThrownBy(() -> DurableFiles.create(link, new byte[0])).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(directory.resolve("target")).doesNotExist();
    }

    @Test
    void moveReplacesWhatIsThere() throws IOException {
        Path from = Files.writeString(directory.resolve("from"), "new");
        Path to = Files.writeString(directory.resolve("to"), "old");
        DurableFiles.move(from, to);
        assertThat(to).hasContent("new");
        assertThat(from).doesNotExist();
    }

    @Test
    void directoriesAreMadeForAllToReadAndExistingOnesStay() throws IOException {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        Files.setPosixFilePermissions(mine, PosixFilePermissions.fromString("rwx------"));
        Path made = mine.resolve("a/b");
        DurableFiles.createDirectories(made);
        DurableFiles.createDirectories(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwxr-xr-x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(mine)))
                .isEqualTo("rwx------");
    }

    @Test
    void aNameAloneIsADirectoryInTheWorkingOne() throws IOException {
        Path named = Path.of("made-by-" + directory.getFileName());
        DurableFiles.createDirectories(named);
        assertThat(named).isDirectory();
        Files.delete(named);
    }

    @Test
    void aFileInADirectorysPlaceIsAnError() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> DurableFiles.createDirectories(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> DurableFiles.createDirectories(file.resolve("below")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void deletingATreeLeavesWhatItsLinksPointTo() throws IOException {
        Path kept = Files.createDirectory(directory.resolve("kept"));
        Files.createFile(kept.resolve("file"));
        Path tree = Files.createDirectories(directory.resolve("tree/a"));
        Files.createSymbolicLink(tree.resolve("link"), kept);
        DurableFiles.deleteTree(directory.resolve("tree"));
        DurableFiles.deleteTree(directory.resolve("tree"));
        assertThat(directory.resolve("tree")).doesNotExist();
        assertThat(kept.resolve("file")).exists();
    }
}
