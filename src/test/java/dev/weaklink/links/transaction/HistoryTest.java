package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private SmallImage image;

    @BeforeEach
    void makeImage() throws IOException {
        image = new SmallImage(directory.toRealPath());
    }

    @Test
    void createsNothingWhenRead() throws IOException {
        SortedMap<String, String> before = TreeSnapshot.of(image.root());
        History history = image.history();
        assertThat(history.entries()).isEmpty();
        assertThat(history.problems()).isEmpty();
        assertThat(history.last()).isNull();
        assertThat(TreeSnapshot.of(image.root())).isEqualTo(before);
    }

    @Test
    void onlyADamagedHistoryIsPutAside() throws IOException {
        TransactionLog log = new TransactionLog(Root.of(image.root()), TransactionSettings.FaultPoint.NONE);
        assertThat(log.blocked(1, new IOException("no end")))
                .isEqualTo(
                        "the journal of transaction 1 cannot be used (no end); check the weak-updates links, then run:"
                                + " mv " + log.place(1) + " " + log.place(1) + ".damaged");
        assertThat(log.blocked(0, new AccessDeniedException("transactions")))
                .isEqualTo("the history cannot be used (permission denied); run the command as root");
    }

    @Test
    void returnsTheChangesOfATransaction() throws Exception {
        image.runner().run(SmallImage.usual());
        assertThat(image.history().entries()).singleElement().satisfies(entry -> {
            assertThat(entry.number()).isEqualTo(1);
            assertThat(entry.time()).isEqualTo(Instant.ofEpochSecond(1_800_000_000));
            assertThat(entry.title()).isEqualTo("a test");
            assertThat(entry.state()).isEqualTo(TransactionState.DONE);
            assertThat(entry.kernels()).containsExactly(SmallImage.NEW);
            assertThat(entry.made()).isEqualTo(4);
            assertThat(entry.replaced()).isEqualTo(3);
            assertThat(entry.removed()).isEqualTo(1);
            assertThat(entry.problem()).isNull();
        });
    }

    @Test
    void returnsTheLastCompletedTransaction() throws Exception {
        image.runner().run(SmallImage.usual());
        image.depmod("#!/bin/sh\nexit 1\n");
        TransactionRunner runner = image.runner();
        catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.of()));
        History history = image.history();
        assertThat(history.entries()).hasSize(2);
        assertThat(history.last()).isEqualTo(history.entry(1));
    }

    private int last() throws IOException {
        HistoryEntry last = image.history().last();
        return last == null ? 0 : last.number();
    }

    private void undo(int number) throws NotDoneException, IOException {
        image.runner().undo(new UndoRequest("undo", number, false, List.of()));
    }

    @Test
    void skipsUndoneTransactionsAndUndosAsTheLastOne() throws Exception {
        image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/1")));
        image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/2")));
        undo(2);
        assertThat(last()).isEqualTo(1);
        undo(1);
        assertThat(last()).isZero();
        undo(4);
        assertThat(last()).as("its undo is undone").isEqualTo(1);
        undo(3);
        assertThat(last()).as("and so is this one's").isEqualTo(2);
    }

    @Test
    void showsAnInterruptedTransactionAsUnfinished() throws Exception {
        TransactionRunner runner = image.runner(TransactionListener.NONE, InterruptedTransaction.at(40));
        assertThat(catchThrowableOfType(InterruptedTransaction.Kill.class, () -> runner.run(SmallImage.usual())))
                .isNotNull();
        assertThat(image.history().entries())
                .extracting(HistoryEntry::state)
                .containsExactly(TransactionState.UNFINISHED);
    }

    private static LinkTransaction ofGroup(TransactionGroup group, Change... changes) {
        return new LinkTransaction(
                "a group", List.of(changes), List.of(SmallImage.NEW), List.of(), List.of("k/1"), List.of(), group);
    }

    @Test
    void showsAndUndoesAGroupAsOneEntry() throws Exception {
        SortedMap<String, String> before = withoutIndexes();
        TransactionGroup group = TransactionGroup.begin(Root.of(image.root()), "a group");
        String g = SmallImage.FILES + "g.ko";
        String c = SmallImage.MODULES + "c.ko";
        Change a = SmallImage.put("a.ko", SmallImage.MODULES + "a.ko");
        image.runner().run(ofGroup(group, a, new Change.PutFile(g, SmallImage.CONF)));
        image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/x")));
        image.runner().run(ofGroup(group, SmallImage.put("a.ko", c)));
        image.runner().run(ofGroup(group, SmallImage.put("new/c.ko", c), new Change.PutFile(g, SmallImage.MODULE)));
        History history = image.history();
        assertThat(history.entries()).extracting(HistoryEntry::number).containsExactly(2, 4);
        assertThat(history.last()).satisfies(entry -> {
            assertThat(entry.made()).isEqualTo(1);
            assertThat(entry.replaced()).isEqualTo(2);
            assertThat(entry.installed()).containsExactly("k/1");
        });
        image.runner().undo(new UndoRequest("undo", 4, false, List.of()));
        image.runner().undo(new UndoRequest("undo", 2, false, List.of()));
        assertThat(withoutIndexes()).isEqualTo(before);
        assertThat(image.history().of(group)).isNull();
        assertThat(image.history().installed()).isEmpty();
    }

    private SortedMap<String, String> withoutIndexes() throws IOException {
        SortedMap<String, String> all = image.snapshot();
        all.keySet().removeIf(path -> path.contains("/modules."));
        return all;
    }

    @Test
    void continuesAnInterruptedGroup() throws Exception {
        Root root = Root.of(image.root());
        TransactionGroup group = TransactionGroup.resume(root);
        image.runner().run(ofGroup(group, SmallImage.put("x.ko", "/x")));
        assertThat(TransactionGroup.isInterrupted(root)).isTrue();
        TransactionGroup next = TransactionGroup.resume(root);
        assertThat(next.number()).isEqualTo(group.number());
        image.runner().run(ofGroup(next, SmallImage.put("y.ko", "/y")));
        image.runner().close(next);
        assertThat(TransactionGroup.isInterrupted(root)).isFalse();
        assertThat(image.history().entries()).extracting(HistoryEntry::number).containsExactly(2);
        assertThat(TransactionGroup.resume(root).number()).isZero();
    }

    @Test
    void listsInstallationsByOtherProgramsUntilTheirUndo() throws Exception {
        ExternalInstallation external = new ExternalInstallation("k/1", List.of("a"), List.of("rpm --erase kmod-a"));
        List<String> none = List.of();
        image.runner().run(new LinkTransaction("rpm", List.of(), none, List.of(), none, List.of(external), null));
        assertThat(image.history().external("k/1")).isEqualTo(external);
        TransactionOutcome undone = image.runner().undo(new UndoRequest("undo", 1, false, List.of()));
        assertThat(undone.external()).containsExactly(external);
        assertThat(image.history().external("k/1")).isNull();
    }

    @Test
    void reportsADamagedRecordAndShowsTheOthers() throws Exception {
        image.runner().run(SmallImage.usual());
        image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/x")));
        image.file("var/lib/weaklink/transactions/1/journal.json", "{\"schema\":");
        History history = image.history();
        assertThat(history.entries()).extracting(HistoryEntry::number).containsExactly(2);
        assertThat(history.problems()).containsExactly("transaction 1 cannot be read: not a journal of weaklink");
    }

    @Test
    void reportsAnImpossibleTimeAndShowsTheOthers() throws Exception {
        image.runner().run(SmallImage.usual());
        image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/x")));
        String file = "var/lib/weaklink/transactions/1/journal.json";
        String record = Files.readString(image.root().resolve(file));
        image.file(file, record.replaceFirst("\"time\":[0-9]+", "\"time\":" + Long.MAX_VALUE));
        assertThat(image.history().entries()).extracting(HistoryEntry::number).containsExactly(2);
        assertThat(image.history().problems())
                .containsExactly("transaction 1 cannot be read: not a journal of weaklink");
    }

    @Test
    void readsBackNamesOfAnyBytes() throws Exception {
        String name = "sp ace \u00e4\u20ac\ud83d\ude00\"\\\n.ko";
        String title = "weaklink apply \u0001\u2028'";
        image.runner().run(new LinkTransaction(title, List.of(SmallImage.put(name, "/" + name)), List.of(), List.of()));
        HistoryEntry entry = image.history().entries().get(0);
        assertThat(entry.title()).isEqualTo(title);
        assertThat(entry.changes())
                .containsExactly(
                        new PathChange(SmallImage.LINKS + name, PathState.ABSENT, new PathState.Link("/" + name)));
    }

    @Test
    void keepsOnlyTheLastFiftyIndexSets() throws Exception {
        for (int i = 0; i < 53; i++) {
            image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/" + i)));
        }
        Path transactions = image.root().resolve("var/lib/weaklink/transactions");
        assertThat(transactions.resolve("3/indexes")).doesNotExist();
        assertThat(transactions.resolve("3/journal.json")).exists();
        assertThat(transactions.resolve("4/indexes")).isDirectory();
        assertThat(image.history().entries()).hasSize(53);
    }

    @Test
    void ignoresFilesThatAreNotTransactions() throws Exception {
        for (String name : List.of("0", "01", "-1", "x", "9999999999", "1.5")) {
            Files.createDirectories(image.root().resolve("var/lib/weaklink/transactions/" + name));
        }
        image.runner().run(SmallImage.usual());
        assertThat(History.read(Root.of(image.root())).entries())
                .extracting(HistoryEntry::number)
                .containsExactly(1);
    }
}
