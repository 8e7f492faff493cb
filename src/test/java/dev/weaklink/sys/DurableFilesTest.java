package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
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

    @Test
    void replacingLeavesNothingBesideTheFileEvenIfItFails() throws IOException {
        Path file = directory.resolve("file");
        DurableFiles.replace(file, new byte[] {1});
        DurableFiles.replace(file, new byte[] {2});
        assertThat(file).hasBinaryContent(new byte[] {2});
        Path occupied = Files.createDirectories(directory.resolve("occupied/full"));
        assertThatThrownBy(() -> DurableFiles.replace(occupied.getParent(), new byte[1]))
                .isInstanceOf(IOException.class);
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("file", "occupied");
    }

    @Test
    void twoThatReplaceAFileAtOnceDoNotDisturbEachOther() {
        Path file = directory.resolve("file");
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            writers.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 50; j++) {
                    unchecked(() -> DurableFiles.replace(file, new byte[100]));
                }
            }));
        }
        writers.forEach(CompletableFuture::join);
        assertThat(file).hasBinaryContent(new byte[100]);
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void unchecked(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs steps again and again while another thread puts links to a victim in the place of what they make. */
    private static void attacked(Step attack, Step step) {
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> attacker = CompletableFuture.runAsync(() -> {
            while (!ended.get()) {
                try {
                    attack.run();
                } catch (IOException e) {
                    // the path does not exist yet
                }
            }
        });
        long end = System.nanoTime() + 2_000_000_000L;
        while (System.nanoTime() < end) {
            try {
                step.run();
            } catch (IOException e) {
                // the attack was noticed
            }
        }
        ended.set(true);
        attacker.join();
    }

    @Test
    void aLinkInPlaceOfANewDirectoryGivesNoAccessToItsTarget() throws IOException {
        Path secret = Files.createFile(directory.resolve("secret"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path made = directory.resolve("made");
        Path away = directory.resolve("away");
        attacked(
                () -> {
                    Files.move(made, away, StandardCopyOption.ATOMIC_MOVE);
                    Files.createSymbolicLink(made, secret);
                },
                () -> {
                    Files.deleteIfExists(made);
                    DurableFiles.createDirectories(made);
                });
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-------");
    }

    @Test
    void aLinkInPlaceOfADirectoryThatIsDeletedSparesItsTarget() throws IOException {
        Path kept = Files.createDirectory(directory.resolve("kept"));
        Path tree = directory.resolve("tree");
        Path part = tree.resolve("part");
        Path away = directory.resolve("away");
        attacked(
                () -> {
                    Files.move(part, away, StandardCopyOption.ATOMIC_MOVE);
                    Files.createSymbolicLink(part, kept);
                },
                () -> {
                    Files.deleteIfExists(part);
                    Files.createDirectories(part);
                    Files.write(kept.resolve("file"), new byte[0]);
                    DurableFiles.deleteTree(tree);
                    assertThat(kept.resolve("file")).exists();
                });
        assertThat(kept).isDirectoryContaining("glob:**/file");
    }

    @Test
    void aTreeThatIsNestedTooDeeplyIsNotDeleted() throws IOException {
        Path deep = directory.resolve("deep");
        Path at = deep;
        for (int i = 0; i < 600; i++) {
            at = at.resolve("d");
        }
        Files.createDirectories(at);
        assertThatThrownBy(() -> DurableFiles.deleteTree(deep)).hasMessageContaining("nested too deeply");
    }
}
