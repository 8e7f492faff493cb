package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts transactions at every step. The next run must restore the state before the transaction or finish it. */
@Tag("slow")
class KillTest {
    /** The number of random rounds in addition to the rounds at every fault point. */
    private static final int ROUNDS = Integer.getInteger("weaklink.kills", 150);

    private static final String FAILING_DEPMOD =
            "#!/bin/sh\ncd \"$2/lib/modules/$5\" || exit 1\necho half > modules.dep\nexit 1\n";

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    /** A call that may be interrupted: a transaction, an undo or a recovery. */
    private interface Attempt {
        void run(TransactionRunner runner) throws NotDoneException;
    }

    private SmallImage image() throws IOException {
        return new SmallImage(directory.toRealPath());
    }

    /** Runs the attempt; returns false if it ended without interruption. */
    private static boolean isBrokenOff(SmallImage image, Attempt attempt, InterruptedTransaction faults)
            throws IOException {
        try {
            attempt.run(image.runner(TransactionListener.NONE, faults));
            return false;
        } catch (InterruptedTransaction.Kill kill) {
            return true;
        } catch (NotDoneException e) {
            assertThat(e.outcome()).isEqualTo(NotDoneException.FailureState.ROLLED_BACK);
            return false;
        }
    }

    private static void usual(TransactionRunner runner) throws NotDoneException {
        runner.run(SmallImage.usual());
    }

    private static void recover(TransactionRunner runner) throws NotDoneException {
        runner.recover(Renewals.NONE);
    }

    private SortedMap<String, String> afterUsual() throws Exception {
        SmallImage image = image();
        image.runner().run(SmallImage.usual());
        return image.snapshot();
    }

    @Test
    void recoversATransactionKilledAtAnyStep() throws Exception {
        SortedMap<String, String> after = afterUsual();
        int point = 1;
        SmallImage image = image();
        SortedMap<String, String> before = image.snapshot();
        for (; isBrokenOff(image, KillTest::usual, InterruptedTransaction.at(point)); point++) {
            image.runner().recover(Renewals.NONE);
            assertThat(image.snapshot()).as("broken off at %s", point).isIn(before, after);
            assertConverges(image, before, after);
            image = image();
        }
        assertThat(point).as("fault points").isGreaterThan(40);
    }

    private static void assertConverges(
            SmallImage image, SortedMap<String, String> before, SortedMap<String, String> after) throws Exception {
        assertThat(image.leftovers()).isEmpty();
        image.runner().run(SmallImage.usual());
        assertThat(image.snapshot()).isEqualTo(after);
        int number = firstWithChanges(image);
        image.runner().undo(new UndoRequest("undo", number, false, List.of()));
        assertThat(image.snapshot()).isEqualTo(before);
        assertThat(image.leftovers()).isEmpty();
    }

    private static int firstWithChanges(SmallImage image) throws IOException {
        for (HistoryEntry entry : image.history().entries()) {
            if (!entry.changes().isEmpty()) {
                return entry.number();
            }
        }
        throw new AssertionError("nothing was changed");
    }

    @Test
    void recoversAfterRepeatedKillsOfTheRecovery() throws Exception {
        SortedMap<String, String> after = afterUsual();
        Random random = new Random(20_261_121);
        for (int round = 0; round < ROUNDS; round++) {
            SmallImage image = image();
            SortedMap<String, String> before = image.snapshot();
            boolean broken = isBrokenOff(image, KillTest::usual, InterruptedTransaction.at(1 + random.nextInt(60)));
            while (broken) {
                InterruptedTransaction faults = InterruptedTransaction.at(1 + random.nextInt(50));
                broken = isBrokenOff(image, KillTest::recover, faults);
            }
            image.runner().recover(Renewals.NONE);
            assertThat(image.snapshot()).as("round %s", round).isIn(before, after);
            assertConverges(image, before, after);
        }
    }

    @Test
    void recoversAnUndoKilledAtAnyStep() throws Exception {
        SmallImage image = image();
        SortedMap<String, String> before = image.snapshot();
        image.runner().run(SmallImage.usual());
        SortedMap<String, String> after = image.snapshot();
        Attempt undo = runner -> runner.undo(new UndoRequest("undo", 1, false, List.of()));
        int point = 1;
        for (; isBrokenOff(image, undo, InterruptedTransaction.at(point)); point++) {
            image.runner().recover(Renewals.NONE);
            assertThat(image.snapshot()).as("broken off at %s", point).isIn(before, after);
            assertThat(image.leftovers()).isEmpty();
            image = image();
            image.runner().run(SmallImage.usual());
        }
        assertThat(point).isGreaterThan(40);
    }

    @Test
    void recoversARollbackKilledAtAnyStep() throws Exception {
        SortedMap<String, String> after = afterUsual();
        SmallImage image = image();
        SortedMap<String, String> before = image.snapshot();
        image.depmod(FAILING_DEPMOD);
        int point = 1;
        for (; isBrokenOff(image, KillTest::usual, InterruptedTransaction.at(point)); point++) {
            if (point % 2 == 0) {
                image.mendDepmod();
            }
            isBrokenOff(image, KillTest::recover, InterruptedTransaction.never());
            assertThat(image.snapshot()).as("broken off at %s", point).isIn(before, after);
            image.mendDepmod();
            image.runner().run(SmallImage.usual());
            assertThat(image.snapshot()).isEqualTo(after);
            image = image();
            image.depmod(FAILING_DEPMOD);
        }
        assertThat(image.snapshot()).isEqualTo(before);
        assertThat(point).isGreaterThan(50);
    }
}
