package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images whose links lead out of the image, and forged journals. */
class HostileImageTest {
    private static final String FILE =
            "{\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"mode\":420}";

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private SmallImage image;
    private Path outside;
    private SortedMap<String, String> outsideBefore;

    @BeforeEach
    void makeImage() throws IOException {
        Path here = directory.toRealPath();
        image = new SmallImage(here);
        outside = here.resolve("outside");
        Files.createDirectories(outside.resolve("modules/" + SmallImage.NEW + "/weak-updates"));
        Files.createDirectories(outside.resolve("weaklink/transactions"));
        Files.createSymbolicLink(outside.resolve("a.ko"), Path.of("/lib/modules/nowhere/a.ko"));
        Files.writeString(outside.resolve("modules.dep"), "the host's");
        Files.writeString(outside.resolve("lock"), "the host's");
        outsideBefore = TreeSnapshot.of(outside);
    }

    @AfterEach
    void changesNoFileOutsideItsDirectory() throws IOException {
        assertThat(TreeSnapshot.of(outside)).isEqualTo(outsideBefore);
    }

    private Path inRoot(String path) {
        return image.root().resolve(path);
    }

    private void replace(String path, Path target) throws IOException {
        DurableFiles.deleteTree(inRoot(path));
        Files.createDirectories(inRoot(path).resolveSibling(""));
        Files.createSymbolicLink(inRoot(path), target);
    }

    private NotDoneException refused() throws IOException {
        return refused(SmallImage.usual());
    }

    private NotDoneException refused(LinkTransaction transaction) throws IOException {
        SortedMap<String, String> before = image.snapshot();
        TransactionRunner runner = image.runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(transaction));
        assertThat(e).isNotNull();
        assertThat(e.outcome()).isEqualTo(FailureState.REFUSED);
        assertThat(image.snapshot()).isEqualTo(before);
        return e;
    }

    @Test
    void refusesAKernelThatIsALinkToTheRoot() throws IOException {
        replace("lib/modules/" + SmallImage.NEW, Path.of("/"));
        assertThat(refused().details()).allMatch(line -> line.endsWith("a symbolic link, not a directory"));
    }

    @Test
    void refusesAKernelThatIsALinkOutside() throws IOException {
        replace("lib/modules/" + SmallImage.NEW, outside.resolve("modules/" + SmallImage.NEW));
        refused();
    }

    @Test
    void refusesAKernelInALoopOfLinks() throws IOException {
        replace("lib/modules/" + SmallImage.NEW, Path.of(SmallImage.NEW));
        refused();
    }

    @Test
    void refusesAWeakUpdatesThatIsALink() throws IOException {
        for (Path target : new Path[] {outside, Path.of("/etc"), Path.of("."), Path.of("../extra")}) {
            replace("lib/modules/" + SmallImage.NEW + "/weak-updates", target);
            assertThat(refused().details())
                    .contains("/lib/modules/6.1.0-2-amd64/weak-updates is a symbolic link, not a directory");
        }
    }

    @Test
    void refusesADirectoryBelowWeakUpdatesThatIsALink() throws IOException {
        replace("lib/modules/" + SmallImage.NEW + "/weak-updates/new", outside);
        assertThat(refused()).hasMessageContaining("weak-updates/new is a symbolic link");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/passwd",
                "/lib/modules/6.1.0-2-amd64/kernel/a.ko",
                "/lib/modules/6.1.0-2-amd64/weak-updates",
                "/lib/modules/6.1.0-2-amd64/weak-updates/",
                "/lib/modules/6.1.0-2-amd64/weak-updates/../kernel/a.ko",
                "/lib/modules/6.1.0-2-amd64/weak-updates/./a.ko",
                "/lib/modules/6.1.0-2-amd64/weak-updates//a.ko",
                "/lib/modules/../modules/weak-updates/a.ko",
                "/lib/modules/weak-updates/a.ko",
                "/lib/modules//weak-updates/a.ko",
                "lib/modules/6.1.0-2-amd64/weak-updates/a.ko",
                "/lib/modules/6.1.0-2-amd64/weak-updates/.weaklink-1-0-new",
                "/lib/modules/6.1.0-2-amd64/weak-updates/a\0b"
            })
    void acceptsOnlyPathsBelowWeakUpdates(String path) throws IOException {
        refused(SmallImage.of(new Change.PutLink(path, "/x.ko")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/passwd",
                "/etc/depmod.d",
                "/etc/depmod.d/sub/x.conf",
                "/etc/depmod.d/../x.conf",
                "/etc/depmod.d/x",
                "/lib/modules/6.1.0-2-amd64",
                "/lib/modules/6.1.0-2-amd64/modules.dep",
                "/lib/modules/6.1.0-2-amd64/updates",
                "/lib/modules/6.1.0-2-amd64/updates/",
                "/lib/modules/6.1.0-2-amd64/updates/../../x.ko",
                "/lib/modules/6.1.0-2-amd64/updates//x.ko",
                "/lib/modules/6.1.0-2-amd64/updates/.ko",
                "/lib/modules/6.1.0-2-amd64/updates/.weaklink-1.ko",
                "/lib/modules/6.1.0-2-amd64/updates/a\nb.ko",
                "/lib/modules/6.1.0-2-amd64/updates/a\0b.ko",
                "/lib/modules/6.1.0-2-amd64/weak-updates/x.ko",
                "/lib/modules/../x.ko",
                "/lib/modules/x.ko",
                "lib/modules/6.1.0-2-amd64/updates/x.ko"
            })
    void writesOnlyModulesAndDepmodsFiles(String path) throws IOException {
        refused(SmallImage.of(new Change.PutFile(path, SmallImage.MODULE)));
    }

    @Test
    void writesNoFileThroughALink() throws IOException {
        replace("lib/modules/" + SmallImage.NEW + "/updates", outside);
        assertThat(refused().details())
                .contains("/lib/modules/6.1.0-2-amd64/updates is a symbolic link, not a directory");
        DurableFiles.deleteTree(inRoot("lib/modules/" + SmallImage.NEW + "/updates"));
        replace("lib/modules/" + SmallImage.NEW + "/updates/new", outside);
        refused();
        replace("etc/depmod.d", outside);
        refused();
    }

    @Test
    void refusesToReplaceAnythingButFilesAndLinks() throws IOException {
        Files.delete(inRoot(SmallImage.FILES.substring(1) + "g.ko"));
        ExternalTool.orSkip("mkfifo")
                .run(inRoot(SmallImage.FILES.substring(1) + "g.ko").toString());
        TransactionRunner runner = image.runner();
        assertThat(catchThrowableOfType(NotDoneException.class, () -> runner.run(SmallImage.usual())))
                .hasMessageContaining("g.ko is neither a file nor a symbolic link; nothing was changed");
    }

    @Test
    void resolvesAbsoluteLinksOfModulesDirectoriesInsideTheImage() throws Exception {
        Files.createDirectories(inRoot("usr/lib"));
        Files.move(inRoot("lib/modules"), inRoot("usr/lib/modules"));
        replace("lib", Path.of("/usr/lib"));
        image.runner().run(SmallImage.usual());
        Path kernel = inRoot("usr/lib/modules/" + SmallImage.NEW);
        assertThat(kernel.resolve("weak-updates/new/sub/c.ko")).isSymbolicLink();
        assertThat(kernel.resolve("modules.dep")).content().contains("weak-updates/a.ko");
    }

    @Test
    void makesStateDirectoriesInsideDespiteLinksOutside() throws Exception {
        replace("run", outside);
        replace("var/lib/weaklink", outside.resolve("weaklink"));
        image.runner().run(SmallImage.usual());
        String same = outside.toString().substring(1);
        assertThat(inRoot(same + "/weaklink/transactions/1/journal.json")).exists();
        assertThat(image.history().entries()).hasSize(1);
    }

    @Test
    void refusesLoopsInStateDirectories() throws IOException {
        replace("var/lib/weaklink", Path.of("weaklink"));
        assertThat(refused()).hasMessageContaining("too many symbolic links");
    }

    @Test
    void refusesALockThatIsALink() throws IOException {
        replace("run/weaklink/lock", outside.resolve("lock"));
        assertThat(refused()).hasMessageContaining("not a regular file");
    }

    @Test
    void replacesIndexFilesThatAreLinksAndRestoresTheLinks() throws Exception {
        replace("lib/modules/" + SmallImage.NEW + "/modules.dep", outside.resolve("modules.dep"));
        SortedMap<String, String> before = image.snapshot();
        image.runner().run(SmallImage.usual());
        assertThat(inRoot("lib/modules/" + SmallImage.NEW + "/modules.dep")).isRegularFile();
        image.runner().undo(new UndoRequest("undo", 1, false, java.util.List.of()));
        assertThat(image.snapshot()).isEqualTo(before);
    }

    @Test
    void hidesModulesThatAreLinksOutsideFromDepmod() throws Exception {
        Files.writeString(outside.resolve("secret.ko"), "the host's secret\n");
        outsideBefore = TreeSnapshot.of(outside);
        String secret = outside.resolve("secret.ko").toString();
        image.runner().run(SmallImage.of(SmallImage.put("secret.ko", secret)));
        assertThat(inRoot("lib/modules/" + SmallImage.NEW + "/modules.dep"))
                .content()
                .doesNotContain("secret");
    }

    private void journal(String changes, String more) throws IOException {
        image.file(
                "var/lib/weaklink/transactions/1/journal.json",
                "{\"schema\":\"weaklink.transaction/1\",\"number\":1,\"time\":1,\"title\":\"evil\","
                        + more
                        + "\"changes\":["
                        + changes
                        + "]}");
    }

    private NotDoneException broken() throws IOException {
        SortedMap<String, String> before = image.snapshot();
        TransactionRunner runner = image.runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.recover(Renewals.NONE));
        assertThat(e).isNotNull();
        assertThat(e.outcome()).isEqualTo(FailureState.BROKEN);
        assertThat(e).hasMessageContaining("the journal of transaction 1 cannot be used");
        assertThat(image.snapshot()).isEqualTo(before);
        return e;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/kernel/a.ko\",\"after\":\"/x\"}",
                "{\"path\":\"/etc/cron.d/x\",\"after\":\"/x\"}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/weak-updates/../../x\",\"after\":\"/x\"}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/weak-updates/x\",\"after\":99999}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/weak-updates/x\",\"before\":493,\"after\":\"/x\"}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/weak-updates/x\"}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/weak-updates/x\",\"after\":" + FILE + "}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/updates/x\",\"after\":" + FILE + "}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/updates/../../x.ko\",\"after\":" + FILE + "}",
                "{\"path\":\"/lib/modules/6.1.0-2-amd64/updates/x.ko\",\"after\":{\"sha256\":\"../x\"}}",
                "{\"path\":\"/etc/depmod.d/../x.conf\",\"after\":" + FILE + "}",
                "{\"path\":\"/etc/depmod.d/x.conf\",\"after\":493}",
                "{\"after\":\"/x\"}",
                "{\"path\":[],\"after\":\"/x\"}",
                "[[[[",
                "null"
            })
    void forgedJournalChangesNothingElsewhere(String change) throws IOException {
        journal(change, "");
        broken();
    }

    /** A downgrade or a bad block can leave such files. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"schema\":\"weaklink.transaction-progress/1\",\"phase\":\"DONE\"}",
                "{\"schema\":\"weaklink.transaction-progress/9\",\"phase\":\"ROLLED_BACK\",\"more\":1}"
            })
    void unreadableRecordOfAFinishedTransactionBlocksNothing(String progress) throws Exception {
        for (String record : new String[] {"{\"schema\":", "{\"schema\":\"weaklink.transaction/9\"}"}) {
            image.file("var/lib/weaklink/transactions/1/journal.json", record);
            image.file("var/lib/weaklink/transactions/1/progress.json", progress);
            image.runner().recover(Renewals.NONE);
            assertThat(History.interrupted(Root.of(image.root()))).isNull();
            TransactionOutcome done = image.runner().run(SmallImage.of(SmallImage.put("x.ko", "/x" + record.length())));
            assertThat(done.number()).isGreaterThan(1);
        }
    }

    @Test
    void acceptsThePrintedRemedyForAnUnreadableRecord() throws Exception {
        image.file("var/lib/weaklink/transactions/1/journal.json", "{\"schema\":");
        Path journal = inRoot("var/lib/weaklink/transactions/1");
        assertThat(broken())
                .hasMessageEndingWith(
                        "check the weak-updates links, then run: mv " + journal + " " + journal + ".damaged");
        Files.move(journal, Path.of(journal + ".damaged"));
        image.runner().run(SmallImage.usual());
        assertThat(image.history().entries()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"kernels\":3,", "\"undoes\":\"x\",", "\"more\":1,", "\"title\":\"\","})
    void refusesAJournalOfAnotherForm(String field) throws IOException {
        journal("", field);
        broken();
    }

    @Test
    void refusesAJournalThatIsALink() throws IOException {
        Files.writeString(outside.resolve("journal"), "{}");
        outsideBefore = TreeSnapshot.of(outside);
        replace("var/lib/weaklink/transactions/1/journal.json", outside.resolve("journal"));
        broken();
    }

    @Test
    void ignoresForgedNamesOfIndexFiles() throws Exception {
        journal("", "\"saved\":{\"6.1.0-2-amd64\":{\"../../x\":\"1:1\"}},");
        image.file(
                "var/lib/weaklink/transactions/1/progress.json",
                "{\"schema\":\"weaklink.transaction-progress/1\",\"phase\":\"ROLLING_BACK\"}");
        image.file("var/lib/weaklink/transactions/1/indexes/6.1.0-2-amd64/x", "");
        image.runner().recover(Renewals.NONE);
        assertThat(image.history().entries().get(0).state()).isEqualTo(TransactionState.ROLLED_BACK);
    }

    @Test
    void restoresNoIndexFileThroughALink() throws Exception {
        Path kept = Files.createDirectories(outside.resolve("indexes/6.1.0-2-amd64"));
        Path secret = Files.writeString(kept.resolve("modules.dep"), "the host's secret\n");
        Files.setLastModifiedTime(secret, FileTime.from(Instant.ofEpochSecond(1)));
        outsideBefore = TreeSnapshot.of(outside);
        journal("", "\"saved\":{\"6.1.0-2-amd64\":{\"modules.dep\":\"18:1000000\"}},");
        image.file(
                "var/lib/weaklink/transactions/1/progress.json",
                "{\"schema\":\"weaklink.transaction-progress/1\",\"phase\":\"ROLLING_BACK\"}");
        Path indexes = inRoot("var/lib/weaklink/transactions/1/indexes");
        Files.createSymbolicLink(indexes, outside.resolve("indexes"));
        image.runner().recover(Renewals.NONE);
        assertThat(inRoot("lib/modules/" + SmallImage.NEW + "/modules.dep"))
                .content()
                .doesNotContain("secret");
    }

    /** weaklink takes the contents of a replaced file only from the transaction's own directory. */
    @Test
    void restoresNoContentsThroughALink() throws Exception {
        Path secret = Files.writeString(outside.resolve("secret"), "the host's secret\n");
        Path named = outside.resolve(DurableFiles.digest(secret));
        Files.copy(secret, named);
        outsideBefore = TreeSnapshot.of(outside);
        String file = "{\"sha256\":\"" + named.getFileName() + "\",\"mode\":420}";
        journal("{\"path\":\"/lib/modules/6.1.0-2-amd64/updates/x.ko\",\"before\":" + file + "}", "");
        image.file(
                "var/lib/weaklink/transactions/1/progress.json",
                "{\"schema\":\"weaklink.transaction-progress/1\",\"phase\":\"DONE\"}");
        Path files = inRoot("var/lib/weaklink/transactions/1/files");
        Files.createSymbolicLink(files, outside);
        assertNotStolen(image.runner());
        Files.delete(files);
        Files.createDirectory(files);
        Files.createSymbolicLink(files.resolve(named.getFileName()), named);
        assertNotStolen(image.runner());
        Files.delete(files.resolve(named.getFileName()));
        Files.writeString(files.resolve(named.getFileName()), "something else");
        assertNotStolen(image.runner());
    }

    private void assertNotStolen(TransactionRunner runner) {
        NotDoneException e = catchThrowableOfType(
                NotDoneException.class, () -> runner.undo(new UndoRequest("undo", 1, true, java.util.List.of())));
        assertThat(e).isNotNull();
        assertThat(e.outcome()).isEqualTo(FailureState.REFUSED);
        assertThat(inRoot("lib/modules/6.1.0-2-amd64/updates/x.ko")).doesNotExist();
    }

    @Test
    void followsNoTransactionThatIsALink() throws IOException {
        Files.createDirectories(inRoot("var/lib/weaklink/transactions"));
        Files.createSymbolicLink(inRoot("var/lib/weaklink/transactions/1"), outside);
        TransactionRunner runner = image.runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.recover(Renewals.NONE));
        assertThat(e.outcome()).isEqualTo(FailureState.BROKEN);
        assertThat(image.history().problems()).hasSize(1);
    }
}
