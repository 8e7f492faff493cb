package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the history: one transaction, or the merged transactions of a group.
 *
 * @param number the number of the transaction, or of the last transaction of the group
 * @param time the time when that transaction began
 * @param kernels the kernels whose index files the transactions renew
 * @param changes the changes of links, files and directories, sorted by path
 * @param installed the rebuild runs, as {@code KERNEL/N}, whose modules this entry installed or, for an undo, removed
 * @param external the installations that other programs make for this entry or, for an undo, still have to remove
 * @param undoes the number of the transaction that this transaction undid, or 0
 * @param group the number of the group, 0 for a transaction without a group
 * @param open true if more transactions of the group may follow
 * @param initramfsPending the kernels whose initramfs still has to be regenerated
 * @param problem the reason for a rollback; null if the transaction was not rolled back
 */
public record HistoryEntry(
        int number,
        Instant time,
        String title,
        TransactionState state,
        List<String> kernels,
        List<PathChange> changes,
        List<String> installed,
        List<ExternalInstallation> external,
        int undoes,
        int group,
        boolean open,
        List<String> initramfsPending,
        @Nullable String problem) {
    public HistoryEntry {
        kernels = List.copyOf(kernels);
        changes = List.copyOf(changes);
        installed = List.copyOf(installed);
        external = List.copyOf(external);
        initramfsPending = List.copyOf(initramfsPending);
    }

    /**
     * Returns whether the recovery of this interrupted transaction did what an undo should do: the recovery finished
     * that undo, or rolled back the transaction to undo.
     *
     * @param wanted the transaction to undo; 0 for the last one
     */
    public boolean settlesUndoOf(int wanted) {
        return isDone()
                ? undoes > 0 && (wanted == 0 || wanted == undoes)
                : undoes == 0 && (wanted == 0 || wanted == number);
    }

    public boolean isDone() {
        return state == TransactionState.DONE;
    }

    boolean isEmpty() {
        return changes.isEmpty() && installed.isEmpty() && external.isEmpty();
    }

    public int made() {
        return (int) changes.stream()
                .filter(change -> isCounted(change) && change.makes())
                .count();
    }

    public int removed() {
        return (int) changes.stream()
                .filter(change -> isCounted(change) && change.removes())
                .count();
    }

    public int replaced() {
        return (int) changes.stream().filter(HistoryEntry::isCounted).count() - made() - removed();
    }

    private static boolean isCounted(PathChange change) {
        return !change.isDirectory();
    }

    public enum TransactionState {
        /**
         * A transaction that is in progress or was interrupted. The next run finishes or rolls back an interrupted
         * transaction.
         */
        UNFINISHED,
        DONE,
        ROLLED_BACK
    }
}
