package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionDirectory.Content;
import dev.weaklink.system.initramfs.InitramfsStep;
import java.util.List;
import java.util.Map;

/**
 * A transaction that has been planned and is not yet in the journal.
 *
 * @param undoes the transaction it undoes, or 0
 * @param group see {@link TransactionRecord#group}
 * @param restored kernels whose index files come from that one
 * @param installed see {@link TransactionRecord#installed}
 * @param contents of files that are there before or afterwards, by digest
 */
record PlannedTransaction(
    String title,
    int undoes,
    int group,
    List<String> kernels,
    List<String> restored,
    List<PathChange> changes,
    List<InitramfsStep> initramfs,
    List<String> installed,
    Map<String, Content> contents) {

  /** An undo without a change of links leaves the kernels alone, too. */
  boolean isEmpty() {
    return changes.isEmpty()
        && installed.isEmpty()
        && (undoes > 0 || kernels.isEmpty() && initramfs.isEmpty());
  }

  TransactionRecord record(int number, long time, String shortTitle, List<IndexSet> saved) {
    List<String> renewed = initramfs.stream().map(InitramfsStep::kernel).toList();
    return new TransactionRecord(
        number,
        time,
        shortTitle,
        undoes,
        group,
        kernels,
        restored,
        renewed,
        changes,
        installed,
        saved);
  }
}
