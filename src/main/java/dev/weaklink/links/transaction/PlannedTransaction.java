package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionDirectory.Content;
import dev.weaklink.system.initramfs.InitramfsStep;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that has been planned and is not yet in the journal.
 *
 * @param undoes the transaction it undoes, or 0
 * @param group what it belongs to; null if it is an entry of its own
 * @param restored kernels whose index files come from that one
 * @param installed see {@link TransactionRecord#installed}
 * @param external see {@link TransactionRecord#external}
 * @param contents of files that are there before or afterwards, by digest
 */
record PlannedTransaction(
    String title,
    int undoes,
    @Nullable TransactionGroup group,
    List<String> kernels,
    List<String> restored,
    List<PathChange> changes,
    List<InitramfsStep> initramfs,
    List<String> installed,
    List<ExternalInstallation> external,
    Map<String, Content> contents) {

  /** An undo without a change of links leaves the kernels alone, too. */
  boolean isEmpty() {
    return changes.isEmpty()
        && installed.isEmpty()
        && external.isEmpty()
        && (undoes > 0 || kernels.isEmpty() && initramfs.isEmpty());
  }

  TransactionRecord record(int number, long time, String shortTitle, List<IndexSet> saved) {
    List<String> renewed = initramfs.stream().map(InitramfsStep::kernel).toList();
    return new TransactionRecord(
        number,
        time,
        shortTitle,
        undoes,
        group == null ? 0 : group.number() == 0 ? number : group.number(),
        group != null && group.isOpen(),
        kernels,
        restored,
        renewed,
        changes,
        installed,
        external,
        saved);
  }
}
