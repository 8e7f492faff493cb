package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UndoTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private SmallImage image;
    private SortedMap<String, String> before;
    private SortedMap<String, String> after;

    @BeforeEach
    void carryOutATransaction() throws Exception {
        image = new SmallImage(directory.toRealPath());
        before = image.snapshot();
        image.runner().run(SmallImage.usual());
        after = image.snapshot();
    }

    private static UndoRequest number(int number) {
        return new UndoRequest("undo " + number, number, false, List.of());
    }

    private static UndoRequest forced() {
        return new UndoRequest("undo 1", 1, true, List.of());
    }

    private NotDoneException refused(UndoRequest request) throws IOException {
        SortedMap<String, String> now = image.snapshot();
        TransactionRunner runner = image.runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.undo(request));
        assertThat(e).isNotNull();
        assertThat(e.outcome()).isEqualTo(FailureState.REFUSED);
        assertThat(image.snapshot()).isEqualTo(now);
        return e;
    }

    private Path index() {
        return image.root().resolve("lib/modules/" + SmallImage.NEW + "/modules.dep");
    }

    @Test
    void restoresEverything() throws Exception {
        image.runner().undo(number(1));
        assertThat(image.snapshot()).isEqualTo(before);
    }

    @Test
    void undoesAnUndoAndItsUndo() throws Exception {
        image.runner().undo(number(1));
        image.runner().undo(number(2));
        assertThat(image.snapshot()).isEqualTo(after);
        image.runner().undo(number(3));
        assertThat(image.snapshot()).isEqualTo(before);
        assertThat(image.history().entries()).extracting(HistoryEntry::undoes).containsExactly(0, 1, 2, 3);
    }

    @Test
    void listsForeignChangesAndDoesNothing() throws Exception {
        Files.delete(image.weakUpdates().resolve("a.ko"));
        Files.createSymbolicLink(image.weakUpdates().resolve("a.ko"), Path.of("/other.ko"));
        Files.delete(image.weakUpdates().resolve("new/sub/c.ko"));
        Files.createDirectory(image.weakUpdates().resolve("new/sub/c.ko"));
        assertThat(refused(number(1)).details())
                .containsExactly(
                        SmallImage.LINKS + "a.ko points to /other.ko now",
                        SmallImage.LINKS + "new/sub/c.ko is a directory now");
    }

    @Test
    void overridesLinksButNeverFilesWithForce() throws Exception {
        Path link = image.weakUpdates().resolve("a.ko");
        Files.delete(link);
        assertThat(refused(number(1)))
                .hasMessageContaining("was not undone")
                .hasMessageContaining("; --force restores");
        Files.createSymbolicLink(link, Path.of("/other.ko"));
        image.runner().undo(forced());
        assertThat(TreeSnapshot.of(image.weakUpdates()))
                .containsEntry("a.ko", "link to /lib/modules/nowhere/a.ko")
                .doesNotContainKey("new/");
        image.runner().undo(number(2));
        Files.delete(link);
        Files.writeString(link, "a file");
        assertThat(refused(number(1))).hasMessageEndingWith("was not undone, for the reasons below");
        assertThat(refused(forced())).hasMessageEndingWith("was not undone, for the reasons below");
    }

    private Path file(String name) {
        return image.root().resolve(SmallImage.FILES.substring(1) + name);
    }

    @Test
    void keepsAFileThatOthersChangedUnlessForced() throws Exception {
        Files.writeString(file("g.ko"), "stripped");
        Files.delete(file("new/sub/f.ko"));
        Files.writeString(file("new/sub/f.ko"), "stripped");
        assertThat(refused(number(1)).details())
                .containsExactly(
                        SmallImage.FILES + "g.ko is another file now",
                        SmallImage.FILES + "new/sub/f.ko is another file now");
        image.runner().undo(forced());
        assertThat(image.snapshot()).isEqualTo(before);
        image.runner().undo(number(2));
        assertThat(file("new/sub/f.ko")).hasContent("stripped");
    }

    @Test
    void keepsReplacedContentsForAnUndo() throws Exception {
        Path kept = image.root().resolve("var/lib/weaklink/transactions/1/files");
        assertThat(kept).isDirectoryContaining(path -> Files.isRegularFile(path));
        assertThat(TreeSnapshot.of(kept)).as("g.ko as it was").hasSize(2);
        DurableFiles.deleteTree(kept);
        assertThat(refused(number(1)).details())
                .containsExactly(SmallImage.FILES + "g.ko: the saved copy of the earlier file no longer exists");
    }

    @Test
    void forgetsOldContentsBeyondALimit() throws Exception {
        Path kept = image.root().resolve("var/lib/weaklink/transactions/1/files");
        try (RandomAccessFile large = new RandomAccessFile(kept.resolve("large").toFile(), "rw")) {
            large.setLength(1L << 30);
        }
        image.runner().run(SmallImage.of(SmallImage.put("d.ko", "/else.ko")));
        assertThat(kept).isDirectory();
        image.runner().run(SmallImage.of(new Change.PutFile(SmallImage.FILES + "g.ko", SmallImage.CONF)));
        assertThat(kept).doesNotExist();
    }

    @Test
    void keepsDirectoriesWithForeignFiles() throws Exception {
        image.link("new/theirs.ko", "/theirs.ko");
        image.runner().undo(number(1));
        assertThat(TreeSnapshot.of(image.weakUpdates().resolve("new"))).containsOnlyKeys("/", "theirs.ko");
    }

    @Test
    void runsDepmodIfOthersRenewedTheIndexes() throws Exception {
        Files.writeString(index(), "somebody else ran depmod");
        image.runner().undo(number(1));
        assertThat(index())
                .content()
                .isEqualTo("modules.dep\nkernel/a.ko: a of the new kernel\nweak-updates/d.ko: d of the old kernel\n"
                        + "weak-updates/old/b.ko: b of the old kernel\n");
    }

    @Test
    void noticesIndexesThatDepmodOverwroteInPlace() throws Exception {
        image = new SmallImage(directory.toRealPath());
        image.depmod("#!/bin/sh\ncd \"$2/lib/modules/$5\" && echo in place > modules.dep\n");
        image.runner().run(SmallImage.usual());
        Path kept = image.root().resolve("var/lib/weaklink/transactions/1/indexes/" + SmallImage.NEW);
        Files.writeString(kept.resolve("modules.dep"), "damaged");
        image.runner().undo(number(1));
        assertThat(index()).hasContent("in place");
    }

    @Test
    void runsDepmodWithoutKeptIndexes() throws Exception {
        DurableFiles.deleteTree(image.root().resolve("var/lib/weaklink/transactions/1/indexes"));
        image.runner().undo(number(1));
        assertThat(index()).content().startsWith("modules.dep\n").contains("weak-updates/old/b.ko");
    }

    @Test
    void skipsARemovedKernel() throws Exception {
        DurableFiles.deleteTree(image.root().resolve("lib/modules/" + SmallImage.NEW));
        SortedMap<String, String> now = image.snapshot();
        assertThat(image.runner().undo(number(1)).changes())
                .extracting(PathChange::path)
                .containsExactly("/etc/depmod.d/f.conf", Change.OVERRIDES);
        assertThat(now.remove("etc/depmod.d/weaklink.conf")).isNotNull();
        assertThat(now.remove("etc/depmod.d/f.conf")).isNotNull();
        assertThat(image.snapshot()).isEqualTo(now);
    }

    @Test
    void refusesToUndoTransactionsThatWereNotCarriedOut() throws Exception {
        assertThat(refused(number(7))).hasMessage("there is no transaction 7 in the history; nothing was changed");
        image.depmod("#!/bin/sh\nexit 1\n");
        TransactionRunner runner = image.runner();
        catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.of(SmallImage.put("z.ko", "/z.ko"))));
        assertThat(refused(number(2))).hasMessageContaining("transaction 2 was not carried out");
    }

    @Test
    void doesNothingWhenUndoneTwice() throws Exception {
        image.runner().undo(number(1));
        assertThat(image.runner().undo(number(1)).number()).isZero();
        assertThat(image.snapshot()).isEqualTo(before);
    }
}
