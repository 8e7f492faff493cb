package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.IndexFiles.IndexSet;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The description of a transaction, written once, before the transaction begins.
 *
 * @param time the time when the transaction began, in seconds since 1970
 * @param undoes the number of the transaction that this transaction undoes, or 0
 * @param group the common number of all transactions of one history entry; 0 for a transaction on its own
 * @param open true if more transactions of the group may follow
 * @param kernels the kernels whose index files are renewed
 * @param restored the kernels whose index files are restored from the undone transaction, if the kept files are intact;
 *     depmod runs for the other kernels
 * @param initramfs the kernels whose initramfs is regenerated
 * @param installed the rebuild runs, as {@code KERNEL/N}, whose modules the transaction installs or, for an undo,
 *     removes
 * @param external the installations that other programs make after the transaction or, for an undo, the installations
 *     that these programs have to remove
 * @param saved the kept index files from before the transaction, each with its size and date
 */
record TransactionRecord(
        int number,
        long time,
        String title,
        int undoes,
        int group,
        boolean open,
        List<String> kernels,
        List<String> restored,
        List<String> initramfs,
        List<PathChange> changes,
        List<String> installed,
        List<ExternalInstallation> external,
        List<IndexSet> saved) {
    TransactionRecord {
        kernels = List.copyOf(kernels);
        restored = List.copyOf(restored);
        initramfs = List.copyOf(initramfs);
        changes = List.copyOf(changes);
        installed = List.copyOf(installed);
        external = List.copyOf(external);
        saved = List.copyOf(saved);
    }

    /**
     * Returns this transaction merged with an earlier transaction of its group. The changes lead from the state before
     * the earlier transaction to the state after this transaction. Index files are not merged.
     */
    TransactionRecord after(TransactionRecord earlier) {
        Map<String, PathChange> joined = new TreeMap<>();
        earlier.changes.forEach(change -> joined.put(change.path(), change));
        changes.forEach(change -> joined.merge(change.path(), change, PathChange::then));
        return new TransactionRecord(
                number,
                time,
                title,
                undoes,
                group,
                open,
                union(earlier.kernels, kernels),
                List.of(),
                union(earlier.initramfs, initramfs),
                new ArrayList<>(joined.values()),
                union(earlier.installed, installed),
                union(earlier.external, external),
                List.of());
    }

    private static <T> List<T> union(List<T> first, List<T> more) {
        Set<T> all = new LinkedHashSet<>(first);
        all.addAll(more);
        return List.copyOf(all);
    }

    /**
     * The progress of a transaction.
     *
     * @param written the index files after depmod, each with its size and checksum
     * @param initramfsPending the kernels whose initramfs is not regenerated yet
     * @param problem the reason for the rollback, null if there was none
     * @param closed true if the group was completed later, although the record says it is open
     */
    record TransactionProgress(
            Phase phase,
            List<IndexSet> written,
            List<String> initramfsPending,
            @Nullable String problem,
            boolean closed) {
        static final TransactionProgress BEGUN =
                new TransactionProgress(Phase.BEGUN, List.of(), List.of(), null, false);

        enum Phase {
            BEGUN,
            /**
             * The links and index files have their new state. If the transaction is interrupted in this phase, it is
             * not rolled back.
             */
            INDEXED,
            DONE,
            ROLLING_BACK,
            ROLLED_BACK;

            boolean isFinal() {
                return this == DONE || this == ROLLED_BACK;
            }
        }

        TransactionProgress {
            written = List.copyOf(written);
            initramfsPending = List.copyOf(initramfsPending);
        }

        static TransactionProgress indexed(List<IndexSet> written, List<String> initramfsPending) {
            return new TransactionProgress(Phase.INDEXED, written, initramfsPending, null, false);
        }

        static TransactionProgress done(List<IndexSet> written, List<String> initramfsPending) {
            return new TransactionProgress(Phase.DONE, written, initramfsPending, null, false);
        }

        static TransactionProgress rollingBack(String problem) {
            return new TransactionProgress(Phase.ROLLING_BACK, List.of(), List.of(), problem, false);
        }

        static TransactionProgress rolledBack(String problem) {
            return new TransactionProgress(Phase.ROLLED_BACK, List.of(), List.of(), problem, false);
        }

        TransactionProgress close() {
            return new TransactionProgress(phase, written, initramfsPending, problem, true);
        }
    }
}
