package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.ExternalCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed at random steps, and the processes that run after them. */
class KilledProcessTest {
    private static final int ROUNDS = Integer.getInteger("weaklink.processKills", 8);

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void convergesAfterAKilledProcess() throws Exception {
        Path here = directory.toRealPath();
        SmallImage image = new SmallImage(here);
        SortedMap<String, String> before = image.snapshot();
        InterruptedTransaction count = InterruptedTransaction.never();
        image.runner(TransactionListener.NONE, count).run(SmallImage.usual());
        SortedMap<String, String> after = image.snapshot();
        Random random = new Random(1);
        for (int round = 0; round < ROUNDS; round++) {
            image = new SmallImage(here);
            int last = 1 + random.nextInt(count.reached());
            ExternalCommand.Result killed = ChildProcess.run(here, last, 0);
            assertThat(killed.status()).as("%s", killed).isEqualTo(ChildProcess.KILLED);
            image.runner().recover(Renewals.NONE);
            assertThat(image.snapshot()).as("killed at %s", last).isIn(before, after);
            image.runner().run(SmallImage.usual());
            assertThat(image.snapshot()).isEqualTo(after);
            assertThat(image.leftovers()).isEmpty();
            image.runner().undo(new UndoRequest("undo", 1, false, List.of()));
            assertThat(image.snapshot()).isEqualTo(before);
        }
    }

    @Test
    void serializesTwoProcesses() throws Exception {
        Path here = directory.toRealPath();
        SmallImage image = new SmallImage(here);
        ProcessBuilder builder = new ProcessBuilder(ChildProcess.words(ChildProcess.classPath(), here, 0, 60));
        Process first = builder.redirectErrorStream(true).start();
        Process second = builder.start();
        assertThat(List.of(
                        new String(first.getInputStream().readAllBytes()),
                        new String(second.getInputStream().readAllBytes())))
                .containsExactlyInAnyOrder("DONE 13\n", "DONE 0\n");
        assertThat(image.history().entries()).hasSize(1);
        assertThat(image.leftovers()).isEmpty();
    }
}
