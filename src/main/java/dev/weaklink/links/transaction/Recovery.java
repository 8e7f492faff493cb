package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.Outcome;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deals with a transaction that a killed process left behind. Only the last one can be unfinished,
 * as each looks after the one before it first.
 */
final class Recovery {
  private final TransactionContext context;
  private final TransactionLog log;

  Recovery(TransactionContext context, TransactionLog log) {
    this.context = context;
    this.log = log;
  }

  /**
   * Finishes it or takes it back.
   *
   * @return it as it is then; null if there was none
   * @throws NotDoneException if neither is possible
   */
  @Nullable HistoryEntry run(Renewals renewals) throws NotDoneException {
    int number = 0;
    try {
      List<Integer> numbers = log.numbers();
      for (int i = numbers.size() - 1; i >= 0; i--) {
        number = numbers.get(i);
        if (!isTorn(log.open(number))) {
          return settle(log.open(number), renewals);
        }
      }
      return null;
    } catch (IOException e) {
      String which = number == 0 ? "the history" : "the journal of transaction " + number;
      throw new NotDoneException(
          Outcome.BROKEN,
          which
              + " cannot be used ("
              + IoReason.of(e)
              + "); check the links and move /var/lib/weaklink/transactions away");
    }
  }

  /** Forgets one that was not completely written to the journal: it did not begin. */
  private static boolean isTorn(TransactionDirectory directory) throws IOException {
    if (directory.progress().phase().isFinal() || directory.record() != null) {
      return false;
    }
    directory.delete();
    return true;
  }

  private @Nullable HistoryEntry settle(TransactionDirectory directory, Renewals renewals)
      throws NotDoneException, IOException {
    TransactionProgress progress = directory.progress();
    TransactionRecord record = directory.record();
    if (progress.phase().isFinal() || record == null) {
      return null;
    }
    context.listener().recovering(record.number(), record.title());
    TransactionProgress now = new Execution(context, directory, record).recover(progress, renewals);
    HistoryEntry entry = History.entry(record, now);
    context.listener().recovered(entry);
    return entry;
  }
}
