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
 * What a transaction is about, written once before it begins.
 *
 * @param time when, in seconds since 1970
 * @param undoes the transaction it undoes, or 0
 * @param group a number that it has in common with all that are one entry of the history; 0 if it is one by itself
 * @param kernels for which depmod is to run
 * @param restored those among them whose index files are taken from the undone transaction instead
 * @param initramfs kernels whose initramfs is to be renewed
 * @param open whether its group is not complete with it
 * @param installed runs of rebuilds whose modules are installed with it, or, if it undoes another, were; as
 *     {@code KERNEL/N}
 * @param external what other programs were told to install after it, or, if it undoes another, have to remove
 * @param saved the index files that were kept, marked by size and date of the copies
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
     * This one and an earlier one of its group as one: from what was before the earlier one to what is after this one,
     * but for index files, of which each keeps its own.
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
     * How far a transaction has got.
     *
     * @param written the index files as depmod wrote them, marked by size and checksum
     * @param initramfsPending kernels whose initramfs is not renewed yet
     * @param problem why it is taken back, or null
     * @param closed whether its group is complete, though its record says that it is not
     */
    record TransactionProgress(
            Phase phase,
            List<IndexSet> written,
            List<String> initramfsPending,
            @Nullable String problem,
            boolean closed) {
        /** The journal is written, and nothing else is known. */
        static final TransactionProgress BEGUN =
                new TransactionProgress(Phase.BEGUN, List.of(), List.of(), null, false);

        /** The points at which something is written down. */
        enum Phase {
            BEGUN,
            /** Links and indexes are as they should be, and there is no way back. */
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
