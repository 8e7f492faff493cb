package dev.weaklink.links;

import dev.weaklink.links.TransactionException.Outcome;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.util.List;

/**
 * Deals with a transaction that a killed process left behind. Only the last one can be unfinished,
 * as each looks after the one before it first.
 */
final class Recovery {
  private final Workplace workplace;
  private final TransactionLog log;

  Recovery(Workplace workplace, TransactionLog log) {
    this.workplace = workplace;
    this.log = log;
  }

  /**
   * Finishes it or takes it back.
   *
   * @throws TransactionException if neither is possible
   */
  void run() throws TransactionException {
    int number = 0;
    try {
      List<Integer> numbers = log.numbers();
      for (int i = numbers.size() - 1; i >= 0; i--) {
        number = numbers.get(i);
        if (!isTorn(log.open(number))) {
          settle(log.open(number));
          return;
        }
      }
    } catch (IOException e) {
      String which = number == 0 ? "the history" : "the journal of transaction " + number;
      throw new TransactionException(
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

  private void settle(TransactionDirectory directory) throws TransactionException, IOException {
    Progress progress = directory.progress();
    TransactionRecord record = directory.record();
    if (progress.phase().isFinal() || record == null) {
      return;
    }
    workplace.listener().recovering(record.number(), record.title());
    TransactionState state = new Execution(workplace, directory, record).recover(progress);
    workplace.listener().recovered(record.number(), state, pending(state, record));
  }

  private static List<String> pending(TransactionState state, TransactionRecord record) {
    return state == TransactionState.DONE ? record.initramfs() : List.of();
  }
}
