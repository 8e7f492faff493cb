package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.OtherUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
    /** The number of files whose deletion takes long enough for another thread to replace their directory meanwhile. */
    private static final int FILES = 2000;

    @TempDir
    Path directory;

    @Test
    void removesDraftsThatAreOldEnough() throws IOException {
        for (String name : List.of(".file-1.tmp", ".file-x.tmp", ".other-1.tmp", "file-1.tmp")) {
            Files.createFile(directory.resolve(name));
        }
        Pattern file = Pattern.compile("file");
        DurableFiles.removeDrafts(directory, file, Duration.ofHours(1));
        assertThat(directory.resolve(".file-1.tmp")).exists();
        DurableFiles.removeDrafts(directory, file, Duration.ZERO);
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder(".file-x.tmp", ".other-1.tmp", "file-1.tmp");
    }

    @Test
    void neverOverwritesAnExistingFile() throws IOException {
        Path file = directory.resolve("file");
        DurableFiles.create(file, new byte[] {1, 2});
        assertThat(file).hasBinaryContent(new byte[] {1, 2});
        assertThatThrownBy(() -> DurableFiles.create(file, new byte[0])).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void doesNotWriteANewFileThroughALink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("target"));
        assertThatThrownBy(() -> DurableFiles.create(link, new byte[0])).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(directory.resolve("target")).doesNotExist();
    }

    @Test
    void moveReplacesAnExistingFile() throws IOException {
        Path from = Files.writeString(directory.resolve("from"), "new");
        Path to = Files.writeString(directory.resolve("to"), "old");
        DurableFiles.move(from, to);
        assertThat(to).hasContent("new");
        assertThat(from).doesNotExist();
    }

    @Test
    void createsReadableDirectoriesAndKeepsExistingOnes() throws IOException {
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
    void createsARelativeDirectory() throws IOException {
        Path named = Path.of("made-by-" + directory.getFileName());
        DurableFiles.createDirectories(named);
        assertThat(named).isDirectory();
        Files.delete(named);
    }

    @Test
    void failsIfAFileIsInPlaceOfADirectory() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> DurableFiles.createDirectories(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> DurableFiles.createDirectories(file.resolve("below")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void deletesATreeButNotTheTargetsOfItsLinks() throws IOException {
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
    void replaceLeavesNoTemporaryFiles() throws IOException {
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
    void replacesAFileInSeveralThreads() {
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

    /** Repeats a step while another thread replaces the step's results by links to a victim. */
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
        repeat(step);
        ended.set(true);
        attacker.join();
    }

    private static void repeat(Step step) {
        long end = System.nanoTime() + 2_000_000_000L;
        while (System.nanoTime() < end) {
            try {
                step.run();
            } catch (IOException e) {
                // the attack was noticed
            }
        }
    }

    /**
     * A Perl script that swaps a directory for a link as often as possible, and leaves a file after the first success.
     */
    private static final String SWAP =
            "rename $ARGV[0], $ARGV[1] and symlink $ARGV[2], $ARGV[0]" + " and open F, '>', $ARGV[3]; rmdir $ARGV[1];";

    /** Repeats a step while another user swaps the directory for a link to the target. */
    private static void attackedByAnotherUser(Path theirs, Path swapped, Path target, Step step) throws IOException {
        Path success = theirs.resolve("success");
        try (OtherUser attacker = OtherUser.repeating(SWAP, swapped, theirs.resolve("away"), target, success)) {
            for (int i = 0; i < 30 && !Files.exists(success); i++) {
                repeat(step);
            }
            repeat(step);
            assertThat(attacker).isNotNull();
        }
        assertThat(success).exists();
    }

    @Test
    void givesNoAccessThroughAnotherUsersLinkInPlaceOfANewDirectory() throws IOException {
        Path secret = Files.createFile(directory.resolve("secret"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path theirs = OtherUser.directoryOrSkip(directory.resolve("theirs"));
        Path made = theirs.resolve("made");
        attackedByAnotherUser(theirs, made, secret, () -> {
            Files.deleteIfExists(made);
            DurableFiles.createDirectories(made);
        });
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-------");
    }

    /**
     * A Perl script that swaps a directory for a link after some of its files were deleted, and leaves a file after
     * success.
     */
    private static final String SWAP_WHEN_BEGUN = "opendir D, $ARGV[0] or next; my $n = () = readdir D; closedir D;"
            + "next unless $n > 2 && $n < " + FILES + ";" + SWAP;

    private static Path filled(Path made) throws IOException {
        Files.createDirectory(made);
        for (int i = 0; i < FILES; i++) {
            Files.createFile(made.resolve("file" + i));
        }
        return made;
    }

    private static int files(Path counted) {
        String[] names = counted.toFile().list();
        return names == null ? 0 : names.length;
    }

    @Test
    void deletesNothingThroughAnotherUsersLink() throws IOException {
        Path kept = filled(directory.resolve("kept"));
        Path theirs = OtherUser.directoryOrSkip(directory.resolve("theirs"));
        Path tree = theirs.resolve("tree");
        Path part = tree.resolve("part");
        Path success = theirs.resolve("success");
        try (OtherUser attacker = OtherUser.repeating(SWAP_WHEN_BEGUN, part, theirs.resolve("away"), kept, success)) {
            for (int i = 0; i < 50 && !Files.exists(success); i++) {
                Path ready = filled(theirs.resolve("ready" + i));
                OtherUser.own(ready);
                OtherUser.own(Files.createDirectories(tree));
                Files.move(ready, part);
                deleteAttacked(tree);
            }
            assertThat(attacker).isNotNull();
        }
        assertThat(success).exists();
        assertThat(files(kept)).isEqualTo(FILES);
    }

    private static void deleteAttacked(Path tree) throws IOException {
        try {
            DurableFiles.deleteTree(tree);
        } catch (IOException e) {
            // the attack was noticed
            Files.deleteIfExists(tree.resolve("part"));
        }
    }

    /** Given a path and NOFOLLOW_LINKS, Java 25 changes the permissions of the link's target. */
    @Test
    void keepsThePermissionsOfALinksTarget() throws IOException {
        Path secret = Files.createFile(directory.resolve("secret"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), secret);
        assertThatThrownBy(() -> DurableFiles.setMode(link, 0755)).isInstanceOf(IOException.class);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-------");
        DurableFiles.setMode(secret, 0641);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-r----x");
    }

    @Test
    void givesNoAccessToTheTargetOfALinkInPlaceOfANewDirectory() throws IOException {
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
    void deletesALinkInPlaceOfADirectoryButNotItsTarget() throws IOException {
        Path kept = filled(directory.resolve("kept"));
        Path tree = directory.resolve("tree");
        Path part = tree.resolve("part");
        Path away = directory.resolve("away");
        for (int i = 0; i < 50 && !Files.exists(away); i++) {
            Files.createDirectories(tree);
            filled(part);
            CompletableFuture<Void> attacker = CompletableFuture.runAsync(() -> unchecked(() -> {
                int left = FILES;
                while (left == FILES) {
                    left = files(part);
                }
                if (left > 0) {
                    Files.move(part, away, StandardCopyOption.ATOMIC_MOVE);
                    Files.createSymbolicLink(part, kept);
                }
            }));
            deleteAttacked(tree);
            attacker.exceptionally(late -> null).join();
        }
        assertThat(away).exists();
        assertThat(files(kept)).isEqualTo(FILES);
    }

    @Test
    void refusesToDeleteATooDeeplyNestedTree() throws IOException {
        Path deep = directory.resolve("deep");
        Path at = deep;
        for (int i = 0; i < 600; i++) {
            at = at.resolve("d");
        }
        Files.createDirectories(at);
        assertThatThrownBy(() -> DurableFiles.deleteTree(deep)).hasMessageContaining("nested too deeply");
    }
}
