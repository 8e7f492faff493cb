package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions on full or read-only disks and without write permission leave no partial changes. */
class FullDiskTest {
    private static final int BLOCK = 4096;

    @TempDir
    Path directory;

    private Path disk;
    private boolean mounted;

    @BeforeEach
    void findDisk() throws IOException {
        disk = Files.createDirectory(directory.toRealPath().resolve("disk"));
    }

    /** Makes an image on a small tmpfs; skips the test if this process may not mount file systems. */
    private SmallImage mountedImage() throws IOException {
        ExternalTool.orSkip("mount");
        ExternalCommand.Result result = tool("mount", "-t", "tmpfs", "-o", "size=400k", "none", disk.toString());
        assumeTrue(result.succeeded(), "this process may not mount file systems: " + result.output());
        mounted = true;
        return new SmallImage(disk);
    }

    private static ExternalCommand.Result tool(String... words) throws IOException {
        return ExternalCommand.of(List.of(words), Duration.ofMinutes(1)).run();
    }

    @AfterEach
    void unmount() throws IOException {
        if (mounted) {
            assertThat(tool("umount", disk.toString()).succeeded()).isTrue();
        }
    }

    /** Fills the disk except for {@code left} blocks. */
    private void fill(int left) throws IOException {
        Path filler = disk.resolve("filler");
        long size = 0;
        try (OutputStream out = Files.newOutputStream(filler)) {
            for (byte[] block = new byte[BLOCK]; ; size += BLOCK) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
        try (FileChannel channel = FileChannel.open(filler, StandardOpenOption.WRITE)) {
            channel.truncate(Math.max(0, size - (long) left * BLOCK));
        }
    }

    /** Another process moves a directory of weak-updates away and puts a link at its path. */
    @ParameterizedTest
    @ValueSource(strings = {"before changing a link", "after changing a link", "before fsync of a directory"})
    void leavesALinkInPlaceOfADirectoryAlone(String moment) throws Exception {
        SmallImage image = new SmallImage(disk);
        image.link("old/keep.ko", "/keep");
        Path old = image.weakUpdates().resolve("old");
        FaultPoint swap = point -> {
            if (point.equals(moment) && !Files.isSymbolicLink(old)) {
                try {
                    Files.move(old, disk.resolve("elsewhere"));
                    Files.createSymbolicLink(old, disk.resolve("elsewhere"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        TransactionRunner swapped = image.runner(TransactionListener.NONE, swap);
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> swapped.run(SmallImage.usual()));
        if (e != null) {
            assertThat(e.outcome()).isEqualTo(FailureState.ROLLED_BACK);
        }
        assertThat(old).isSymbolicLink();
        image.runner().run(SmallImage.of(SmallImage.put("y.ko", SmallImage.MODULES + "a.ko")));
        assertThat(image.weakUpdates().resolve("y.ko")).isSymbolicLink();
    }

    @Test
    void leavesNothingHalfDoneOnAFullDisk() throws Exception {
        SmallImage image = mountedImage();
        SortedMap<String, String> before = image.snapshot();
        List<FailureState> outcomes = new ArrayList<>();
        for (int left = 0; ; left++) {
            fill(left);
            TransactionRunner runner = image.runner();
            NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.usual()));
            if (e == null) {
                break;
            }
            outcomes.add(e.outcome());
            assertThat(image.snapshot()).as("%s blocks left: %s", left, e).isEqualTo(before);
            assertThat(image.leftovers()).as("%s blocks left: %s", left, e).isEmpty();
            image = new SmallImage(disk);
        }
        assertThat(outcomes)
                .contains(FailureState.REFUSED, FailureState.ROLLED_BACK)
                .doesNotContain(FailureState.BROKEN);
    }

    @Test
    void refusesAReadOnlyTree() throws Exception {
        SmallImage image = mountedImage();
        SortedMap<String, String> before = TreeSnapshot.of(disk);
        assertThat(tool("mount", "-o", "remount,ro", disk.toString()).succeeded())
                .isTrue();
        TransactionRunner runner = image.runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.usual()));
        assertThat(e.outcome()).isEqualTo(FailureState.REFUSED);
        assertThat(e)
                .hasMessageMatching("cannot lock .*/run/weaklink/lock: Read-only file system; nothing was changed");
        assertThat(TreeSnapshot.of(disk)).isEqualTo(before);
    }

    @Test
    void refusesAReadOnlyModulesDirectoryAndLeavesNothing() throws Exception {
        SmallImage image = mountedImage();
        SortedMap<String, String> before = image.snapshot();
        String modules = image.root().resolve("lib/modules").toString();
        assertThat(tool("mount", "--bind", modules, modules).succeeded()).isTrue();
        assertThat(tool("mount", "-o", "remount,bind,ro", modules).succeeded()).isTrue();
        try {
            TransactionRunner runner = image.runner();
            NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.usual()));
            assertThat(e.outcome()).isEqualTo(FailureState.REFUSED);
            assertThat(e).hasMessageContaining("Read-only file system");
            assertThat(image.history().entries()).isEmpty();
        } finally {
            assertThat(tool("umount", modules).succeeded()).isTrue();
        }
        assertThat(image.snapshot()).isEqualTo(before);
    }

    @Test
    void refusesAUserWithoutWritePermission() throws Exception {
        ExternalTool.orSkip("setpriv");
        Path here = MemoryDirectory.create().toRealPath();
        Path classes = MemoryDirectory.create().toRealPath();
        try {
            tool("chmod", "755", here.toString());
            SmallImage image = new SmallImage(here);
            SortedMap<String, String> before = TreeSnapshot.of(here);
            String classPath = copyClasses(classes);
            List<String> words = new ArrayList<>(List.of("setpriv", "--reuid=65534", "--clear-groups"));
            words.addAll(ChildProcess.words(classPath, here, 0, 0));
            ExternalCommand.Result result = tool(words.toArray(String[]::new));
            assumeTrue(!result.output().contains("setpriv:"), "cannot become nobody: " + result.output());
            assertThat(result.output())
                    .isEqualTo("REFUSED cannot lock "
                            + image.root()
                            + "/run/weaklink/lock: permission denied; nothing was changed\n");
            assertThat(TreeSnapshot.of(here)).isEqualTo(before);
        } finally {
            DurableFiles.deleteTree(here);
            DurableFiles.deleteTree(classes);
        }
    }

    /** Copies the class path, because the user nobody cannot read root's class path. */
    private static String copyClasses(Path to) throws IOException {
        List<String> copies = new ArrayList<>();
        int number = 0;
        for (String entry : ChildProcess.classPath().split(":")) {
            Path from = Path.of(entry);
            boolean needed = Files.isDirectory(from) || entry.contains("jackson-core");
            if (needed) {
                Path copy = to.resolve(Integer.toString(number++));
                copyTree(from, copy);
                copies.add(copy.toString());
            }
        }
        tool("chmod", "-R", "a+rX", to.toString());
        return String.join(":", copies);
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }
}
