package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of the past.
 *
 * @param time when it began
 * @param kernels for which depmod ran
 * @param changes of links and directories, sorted by path
 * @param installed runs of rebuilds whose modules are installed with it, or, if it undoes another, were; as
 *     {@code KERNEL/N}
 * @param external what other programs were told to install, or, if it undoes another, have to remove
 * @param undoes the number of the transaction it undid, or 0
 * @param open whether it belongs to a command that has not come to its end
 * @param initramfsPending kernels whose initramfs should have been renewed and was not
 * @param problem why it was rolled back, or null
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
     * Whether, after this one was interrupted and then finished or taken back, undoing is done: it was itself that
     * undoing, or it is what was to be undone, and was taken back.
     *
     * @param wanted the transaction to be undone; 0 for the last one
     */
    public boolean settlesUndoOf(int wanted) {
        return isDone()
                ? undoes > 0 && (wanted == 0 || wanted == undoes)
                : undoes == 0 && (wanted == 0 || wanted == number);
    }

    /** Whether it was carried out. */
    public boolean isDone() {
        return state == TransactionState.DONE;
    }

    /** Whether nothing is different for it. */
    boolean isEmpty() {
        return changes.isEmpty() && installed.isEmpty() && external.isEmpty();
    }

    /** How many links and files it made where there was nothing. */
    public int made() {
        return (int) changes.stream()
                .filter(change -> isCounted(change) && change.makes())
                .count();
    }

    /** How many links and files it removed. */
    public int removed() {
        return (int) changes.stream()
                .filter(change -> isCounted(change) && change.removes())
                .count();
    }

    /** How many links and files it put in the place of others. */
    public int replaced() {
        return (int) changes.stream().filter(HistoryEntry::isCounted).count() - made() - removed();
    }

    private static boolean isCounted(PathChange change) {
        return !change.isDirectory();
    }

    /** How far a transaction got. */
    public enum TransactionState {
        /** Interrupted; the next run finishes it or takes it back. */
        UNFINISHED,
        /** Carried out. */
        DONE,
        /** Failed, and everything is as it was before. */
        ROLLED_BACK
    }
}
