package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Sha256;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransactionRunnerTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private SmallImage image;
    private SortedMap<String, String> before;

    @BeforeEach
    void makeImage() throws Exception {
        image = new SmallImage(directory.toRealPath());
        before = image.snapshot();
    }

    private NotDoneException failure(LinkTransaction transaction) throws Exception {
        TransactionRunner runner = image.runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(transaction));
        assertThat(e).as("the transaction fails").isNotNull();
        return e;
    }

    private void assertRefused(LinkTransaction transaction, String message) throws Exception {
        NotDoneException e = failure(transaction);
        assertThat(e).hasMessageContaining(message).hasMessageEndingWith("; nothing was changed");
        assertThat(e.outcome()).isEqualTo(FailureState.REFUSED);
        assertThat(image.snapshot()).isEqualTo(before);
        assertThat(image.history().entries()).isEmpty();
        assertThat(image.leftovers()).isEmpty();
    }

    private static LinkTransaction withInitramfs(String... command) {
        return new LinkTransaction(
                "a test",
                SmallImage.usual().changes(),
                List.of(SmallImage.NEW),
                List.of(new InitramfsStep(SmallImage.NEW, List.of(command))));
    }

    private static PathState file(String content, int mode, int lines) {
        MessageDigest digest = Sha256.start();
        digest.update(content.getBytes(StandardCharsets.UTF_8));
        return new PathState.File(Sha256.hex(digest), mode, lines);
    }

    @Test
    void makesReplacesAndRemovesLinksWithTheirDirectories() throws Exception {
        TransactionOutcome outcome = image.runner().run(SmallImage.usual());
        String base = SmallImage.LINKS;
        assertThat(outcome.changes())
                .containsExactly(
                        new PathChange(
                                "/etc/depmod.d/f.conf", PathState.ABSENT, file("override f * updates\n", 0644, 1)),
                        new PathChange(
                                Change.OVERRIDES,
                                PathState.ABSENT,
                                file("# by weaklink\noverride a * weak-updates\n", 0644, 2)),
                        new PathChange(
                                SmallImage.FILES + "g.ko",
                                file("g as it was\n", 0640, 0),
                                file("built anew\n", 0644, 0)),
                        new PathChange(
                                SmallImage.FILES + "h.ko", new PathState.Link("g.ko"), file("built anew\n", 0644, 0)),
                        new PathChange(SmallImage.FILES + "new", PathState.ABSENT, new PathState.Directory(0755)),
                        new PathChange(SmallImage.FILES + "new/sub", PathState.ABSENT, new PathState.Directory(0755)),
                        new PathChange(
                                SmallImage.FILES + "new/sub/f.ko", PathState.ABSENT, file("built anew\n", 0644, 0)),
                        new PathChange(
                                base + "a.ko",
                                new PathState.Link("/lib/modules/nowhere/a.ko"),
                                new PathState.Link(SmallImage.MODULES + "a.ko")),
                        new PathChange(base + "new", PathState.ABSENT, new PathState.Directory(0755)),
                        new PathChange(base + "new/sub", PathState.ABSENT, new PathState.Directory(0755)),
                        new PathChange(
                                base + "new/sub/c.ko",
                                PathState.ABSENT,
                                new PathState.Link(SmallImage.MODULES + "c.ko")),
                        new PathChange(base + "old", new PathState.Directory(0750), PathState.ABSENT),
                        new PathChange(
                                base + "old/b.ko", new PathState.Link(SmallImage.MODULES + "b.ko"), PathState.ABSENT));
        assertThat(TreeSnapshot.of(image.weakUpdates()))
                .containsOnlyKeys("/", "a.ko", "d.ko", "new/", "new/sub/", "new/sub/c.ko")
                .containsEntry("a.ko", "link to " + SmallImage.MODULES + "a.ko");
    }

    @Test
    void showsOnlyTheNewLinksToDepmod() throws Exception {
        image.runner().run(SmallImage.usual());
        assertThat(image.root().resolve("lib/modules/" + SmallImage.NEW + "/modules.dep"))
                .hasContent("modules.dep\n"
                        + "weak-updates/a.ko: a of the old kernel\n"
                        + "weak-updates/d.ko: d of the old kernel\n");
    }

    @Test
    void changesNothingInASecondRun() throws Exception {
        image.runner().run(SmallImage.usual());
        SortedMap<String, String> after = image.snapshot();
        LinkTransaction again = new LinkTransaction("again", SmallImage.usual().changes(), List.of(), List.of());
        assertThat(image.runner().run(again).number()).isZero();
        assertThat(image.snapshot()).isEqualTo(after);
        assertThat(image.history().entries()).hasSize(1);
    }

    @Test
    void removesAnEmptyWeakUpdatesOnlyIfWeaklinkMadeIt() throws Exception {
        String path = "/lib/modules/" + SmallImage.OLD + "/weak-updates/x.ko";
        Path made = image.root().resolve("lib/modules/" + SmallImage.OLD + "/weak-updates");
        Change put = new Change.PutLink(path, "/x.ko");
        Change remove = new Change.RemoveLink(path, "/x.ko");
        image.runner().run(SmallImage.of(put));
        assertThat(made.resolve("x.ko")).isSymbolicLink();
        image.runner().run(SmallImage.of(remove));
        assertThat(made).doesNotExist();
        Files.createDirectory(image.root().resolve("lib/modules/6.0.0"));
        Path users = image.root().resolve("lib/modules/6.0.0/weak-updates");
        Files.createDirectory(users);
        Files.createSymbolicLink(users.resolve("x.ko"), Path.of("/x.ko"));
        image.runner().run(SmallImage.of(new Change.RemoveLink("/lib/modules/6.0.0/weak-updates/x.ko", "/x.ko")));
        assertThat(users).isEmptyDirectory();
    }

    @Test
    void refusesToReplaceAFileByALink() throws Exception {
        image.file("lib/modules/" + SmallImage.NEW + "/weak-updates/e.ko", "somebody's own");
        before = image.snapshot();
        assertRefused(
                SmallImage.of(SmallImage.put("e.ko", "/e.ko"), SmallImage.put("f.ko", "/f.ko")),
                SmallImage.LINKS + "e.ko is a file, not a symbolic link");
        assertRefused(
                SmallImage.of(SmallImage.put("old", "/e.ko")),
                SmallImage.LINKS + "old is a directory, not a symbolic link");
    }

    @Test
    void refusesToReplaceALinkByAFileOfOverrides() throws Exception {
        Path overrides = image.root().resolve("etc/depmod.d/weaklink.conf");
        Files.createDirectories(overrides.resolveSibling(""));
        Files.createSymbolicLink(overrides, Path.of("site.txt"));
        before = image.snapshot();

        assertRefused(
                SmallImage.usual(),
                "/etc/depmod.d/weaklink.conf is a symbolic link, which weaklink does not replace; replace it by a file,"
                        + " or add these lines to the file it points to: override a * weak-updates");
    }

    @Test
    void listsAllObstacles() throws Exception {
        NotDoneException e = failure(SmallImage.of(
                SmallImage.put("old", "/x"),
                SmallImage.put("a.ko", "/x"),
                new Change.RemoveLink(SmallImage.LINKS + "d.ko", "/elsewhere")));
        assertThat(e.details())
                .containsExactly(
                        SmallImage.LINKS + "old is a directory, not a symbolic link",
                        SmallImage.LINKS + "d.ko points to " + SmallImage.MODULES + "d.ko, not to /elsewhere");
        assertThat(image.snapshot()).isEqualTo(before);
    }

    @Test
    void refusesTwoChangesOfOnePath() throws Exception {
        assertRefused(SmallImage.of(SmallImage.put("x.ko", "/x"), SmallImage.put("x.ko", "/y")), "x.ko is named twice");
    }

    @Test
    void rollsBackIfDepmodFails() throws Exception {
        image.depmod("#!/bin/sh\necho half > \"$2/lib/modules/$5/modules.dep\"\necho no >&2\nexit 3\n");
        NotDoneException e = failure(SmallImage.usual());
        assertThat(e.outcome()).isEqualTo(FailureState.ROLLED_BACK);
        assertThat(e)
                .hasMessage(
                        "depmod failed for kernel 6.1.0-2-amd64 (exit status 3);" + " everything is as it was before");
        assertThat(e.details()).containsExactly("no");
        assertThat(image.snapshot()).isEqualTo(before);
        assertThat(image.history().entries()).singleElement().satisfies(entry -> {
            assertThat(entry.state()).isEqualTo(TransactionState.ROLLED_BACK);
            assertThat(entry.problem()).contains("exit status 3");
        });
    }

    @Test
    void namesWhatAnotherProcessChangedMeanwhile() throws Exception {
        image.depmod("#!/bin/sh\nln -sfn /other " + image.weakUpdates() + "/new/sub/c.ko\nexit 3\n");
        List<String> said = new ArrayList<>();
        TransactionListener listener = new TransactionListener() {
            @Override
            public void warning(String message) {
                said.add(message);
            }
        };
        NotDoneException e = catchThrowableOfType(
                NotDoneException.class,
                () -> image.runner(listener, FaultPoint.NONE).run(SmallImage.usual()));
        assertThat(e)
                .hasMessage(
                        "depmod failed for kernel 6.1.0-2-amd64 (exit status 3); everything else is as it was before");
        assertThat(said).anyMatch(line -> line.contains("new/sub/c.ko") && line.endsWith("; left as it is"));
    }

    /** Links that a transaction removes still exist under temporary names and may dangle. */
    @Test
    void printsDepmodsWarningsExceptAboutTemporaryLinks() throws Exception {
        image.depmod("#!/bin/sh\necho 'ERROR: fstatat(5, .weaklink-2-2-old): No such file' >&2\necho else >&2\n");
        List<String> said = new ArrayList<>();
        TransactionListener listener = new TransactionListener() {
            @Override
            public void warning(String message) {
                said.add(message);
            }
        };

        image.runner(listener, FaultPoint.NONE).run(SmallImage.usual());

        assertThat(said).containsExactly("else");
    }

    @Test
    void rollsBackIfDepmodIsMissing() throws Exception {
        Files.delete(directory.toRealPath().resolve("depmod"));
        NotDoneException e = failure(SmallImage.usual());
        assertThat(e.outcome()).isEqualTo(FailureState.ROLLED_BACK);
        assertThat(e).hasMessageContaining("depmod cannot be run");
        assertThat(image.snapshot()).isEqualTo(before);
    }

    @Test
    void runsAnInitramfsCommandOnceAfterDepmod() throws Exception {
        Path log = directory.resolve("log");
        String script = "cat " + image.root() + "/lib/modules/*/modules.dep >> " + log;
        TransactionOutcome outcome = image.runner().run(withInitramfs("/bin/sh", "-c", script));
        assertThat(outcome.initramfsFailures()).isEmpty();
        assertThat(log).content().startsWith("modules.dep\n").contains("weak-updates/a.ko");
    }

    @Test
    void reportsAFailingInitramfsCommandAndKeepsTheLinks() throws Exception {
        TransactionOutcome outcome = image.runner().run(withInitramfs("/bin/sh", "-c", "echo out of space; exit 1"));
        assertThat(outcome.initramfsFailures())
                .containsExactly(new TransactionOutcome.InitramfsFailure(
                        SmallImage.NEW, "/bin/sh failed (exit status 1)", List.of("out of space")));
        assertThat(image.weakUpdates().resolve("new/sub/c.ko")).isSymbolicLink();
        assertThat(image.history().entries().get(0).initramfsPending()).containsExactly(SmallImage.NEW);
    }

    @Test
    void runsNoCommandFromTheJournalInRecovery() throws Exception {
        Path trace = directory.resolve("trace");
        InterruptedTransaction broken =
                InterruptedTransaction.at(stepsUntil("before initramfs", withInitramfs("touch", trace.toString())));
        Files.deleteIfExists(trace);
        image = new SmallImage(directory.toRealPath());
        TransactionRunner runner = image.runner(TransactionListener.NONE, broken);
        catchThrowableOfType(
                InterruptedTransaction.Kill.class, () -> runner.run(withInitramfs("touch", trace.toString())));
        List<String> told = new ArrayList<>();
        image.runner(recoveries(told), FaultPoint.NONE).recover(Renewals.NONE);
        assertThat(told).containsExactly("recovering 1 a test", "1 DONE [6.1.0-2-amd64]");
        assertThat(trace).doesNotExist();
    }

    private int stepsUntil(String wanted, LinkTransaction transaction) throws Exception {
        List<String> steps = new ArrayList<>();
        image.runner(TransactionListener.NONE, steps::add).run(transaction);
        return steps.indexOf(wanted) + 1;
    }

    private static TransactionListener recoveries(List<String> told) {
        return new TransactionListener() {
            @Override
            public void recovering(int number, String title) {
                told.add("recovering " + number + " " + title);
            }

            @Override
            public void recovered(HistoryEntry entry) {
                told.add(entry.number() + " " + entry.state() + " " + entry.initramfsPending());
            }
        };
    }

    @Test
    void runsDepmodForATransactionWithoutLinks() throws Exception {
        TransactionOutcome outcome = image.runner().run(SmallImage.of());
        assertThat(outcome.kernels()).containsExactly(SmallImage.NEW);
        assertThat(image.root().resolve("lib/modules/" + SmallImage.NEW + "/modules.symbols"))
                .exists();
        assertThat(outcome.number()).as("there is nothing to undo").isZero();
        assertThat(image.history().entries()).isEmpty();
    }

    @Test
    void namesTheHolderOfTheLockAndDoesNothingWithoutIt() throws Exception {
        Path lock = image.root().resolve("run/weaklink/lock");
        Files.createDirectories(lock.resolveSibling(""));
        List<LockFile.Holder> holders = new ArrayList<>();
        TransactionListener listener = new TransactionListener() {
            @Override
            public void waitingFor(LockFile.Holder holder) {
                holders.add(holder);
            }
        };
        try (LockFile held = LockFile.acquire(lock, "other", Duration.ZERO, holder -> {})) {
            assertThat(held).isNotNull();
            TransactionRunner runner = image.runner(listener, FaultPoint.NONE);
            NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.usual()));
            assertThat(e).hasMessageMatching("process [0-9]+ has the lock .*/run/weaklink/lock; nothing was changed");
            assertThat(holders).hasSize(1);
        }
        assertThat(image.snapshot()).isEqualTo(before);
        image.runner().run(SmallImage.usual());
    }

    @Test
    void tellsAWaitingUserWhoHasTheLock() throws Exception {
        Path lock = image.root().resolve("run/weaklink/lock");
        Files.createDirectories(lock.resolveSibling(""));
        List<String> said = new ArrayList<>();
        TransactionListener listener = new TransactionListener() {
            @Override
            public void warning(String message) {
                said.add(message);
            }
        };
        listener.waitingFor(new LockFile.Holder(12, "weaklink apply"));
        listener.waitingFor(new LockFile.Holder(0, ""));
        assertThat(said)
                .containsExactly(
                        "process 12 (weaklink apply) is changing links; waiting for it to finish",
                        "another process is changing links; waiting for it to finish");
    }

    @Test
    void acceptsADecisionToDoNothing() throws Exception {
        assertThat(image.runner().run("a test", () -> null)).isEqualTo(TransactionOutcome.NOTHING);
        assertThat(image.history().entries()).isEmpty();
        assertThat(image.snapshot()).isEqualTo(before);
    }

    @Test
    void skipsTransactionsWithoutChangesOnUndo() throws Exception {
        image.runner().run(SmallImage.usual());
        image.runner().run(SmallImage.of());
        HistoryEntry last = image.history().last();
        assertThat(last).isNotNull();
        assertThat(last.number()).isEqualTo(1);
    }

    @Test
    void reportsNoInterruptionWhileAProcessWorks() throws Exception {
        Root root = Root.of(image.root());
        List<HistoryEntry> seen = new ArrayList<>();
        FaultPoint look = step -> {
            try {
                HistoryEntry entry = History.interrupted(root);
                if (entry != null) {
                    seen.add(entry);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        image.runner(TransactionListener.NONE, look).run(SmallImage.usual());
        assertThat(seen).isEmpty();
        image = new SmallImage(directory.toRealPath());
        TransactionRunner runner = image.runner(
                TransactionListener.NONE, InterruptedTransaction.at(stepsUntil("before depmod", SmallImage.usual())));
        image = new SmallImage(directory.toRealPath());
        catchThrowableOfType(InterruptedTransaction.Kill.class, () -> runner.run(SmallImage.usual()));
        HistoryEntry interrupted = History.interrupted(root);
        assertThat(interrupted).isNotNull();
        assertThat(interrupted.title()).isEqualTo("a test");
    }

    @Test
    void renewsPendingImagesInRecovery() throws Exception {
        Path trace = directory.resolve("trace");
        LinkTransaction transaction = withInitramfs("true");
        InterruptedTransaction broken = InterruptedTransaction.at(stepsUntil("before initramfs", transaction));
        image = new SmallImage(directory.toRealPath());
        TransactionRunner runner = image.runner(TransactionListener.NONE, broken);
        catchThrowableOfType(InterruptedTransaction.Kill.class, () -> runner.run(transaction));
        HistoryEntry recovered = image.runner()
                .recover(entry -> List.of(
                        new InitramfsStep(SmallImage.NEW, List.of("touch", trace.toString())),
                        new InitramfsStep(SmallImage.OLD, List.of("false"))));
        assertThat(recovered).isNotNull();
        assertThat(recovered.state()).isEqualTo(TransactionState.DONE);
        assertThat(recovered.initramfsPending()).isEmpty();
        assertThat(trace).exists();
    }

    /** Saved links are gone by then, and images may already contain the new modules. */
    @Test
    void rollsNothingBackInRecoveryAfterTheIndexesAreRecorded() throws Exception {
        LinkTransaction transaction = withInitramfs("true");
        image.runner().run(transaction);
        SortedMap<String, String> done = modules();
        image = new SmallImage(directory.toRealPath());
        InterruptedTransaction broken = InterruptedTransaction.at(stepsUntil("before depmod", transaction));
        image = new SmallImage(directory.toRealPath());
        TransactionRunner runner = image.runner(TransactionListener.NONE, broken);
        catchThrowableOfType(InterruptedTransaction.Kill.class, () -> runner.run(transaction));
        Path journal = image.root().resolve("var/lib/weaklink/transactions");
        List<String> hiding = List.of("mv", journal.toString(), journal + ".moved");

        NotDoneException end = catchThrowableOfType(
                NotDoneException.class,
                () -> image.runner().recover(entry -> List.of(new InitramfsStep(SmallImage.NEW, hiding))));

        assertThat(end.outcome()).isEqualTo(FailureState.BROKEN);
        assertThat(modules()).isEqualTo(done);
    }

    private SortedMap<String, String> modules() throws IOException {
        SortedMap<String, String> tree = TreeSnapshot.of(image.root());
        tree.keySet().removeIf(path -> !path.startsWith("lib/modules/"));
        return tree;
    }

    @Test
    void refusesMissingKernels() throws Exception {
        assertRefused(
                new LinkTransaction("t", List.of(), List.of("6.9.9"), List.of()),
                "no module directory for kernel 6.9.9");
        assertRefused(
                SmallImage.of(new Change.PutLink("/lib/modules/6.9.9/weak-updates/x.ko", "/x")),
                "/lib/modules/6.9.9 does not exist");
    }

    @Test
    void refusesReleasesThatDepmodWouldMisread() throws Exception {
        for (String release : List.of("-a", "", "..", "kernel", "6", "6.x", "6.1/..", "6.1\0")) {
            assertRefused(
                    new LinkTransaction("t", List.of(), List.of(release), List.of()),
                    "not a kernel release: " + release);
        }
    }
}
