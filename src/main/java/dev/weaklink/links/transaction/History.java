package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.TransactionRecord.TransactionProgress;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The history of transactions below a root directory. Reading the history takes no lock and creates no files.
 *
 * @param entries the entries, from old to new
 * @param problems one line for each transaction that cannot be read
 */
public record History(List<HistoryEntry> entries, List<String> problems) {
    public History {
        entries = List.copyOf(entries);
        problems = List.copyOf(problems);
    }

    /**
     * Reads the history, which is empty if the root directory has no journal.
     *
     * @throws IOException if the journal's directory exists but cannot be read; the message contains the next step
     */
    public static History read(Root root) throws IOException {
        TransactionLog log = new TransactionLog(root, FaultPoint.NONE);
        List<HistoryEntry> entries = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        Map<Integer, TransactionRecord> groups = new HashMap<>();
        for (int number : numbers(log)) {
            try {
                TransactionProgress progress = log.open(number).progress();
                TransactionRecord record = log.open(number).record();
                if (record != null) {
                    entries.add(entry(joined(record, progress, groups, entries), progress));
                }
            } catch (IOException e) {
                problems.add("transaction " + number + " cannot be read: " + IoReason.of(e));
            }
        }
        return new History(entries, problems);
    }

    private static List<Integer> numbers(TransactionLog log) throws IOException {
        try {
            return log.numbers();
        } catch (IOException e) {
            throw new FileSystemException(log.place(0).toString(), null, log.blocked(0, e));
        }
    }

    /** Merges the record with the earlier records of its group, and removes the entries of these earlier records. */
    private static TransactionRecord joined(
            TransactionRecord record,
            TransactionProgress progress,
            Map<Integer, TransactionRecord> groups,
            List<HistoryEntry> entries) {
        if (record.group() == 0 || progress.phase() != TransactionProgress.Phase.DONE) {
            return record;
        }
        entries.removeIf(entry -> entry.group() == record.group() && entry.state() == TransactionState.DONE);
        return groups.merge(record.group(), record, (earlier, later) -> later.after(earlier));
    }

    private static @Nullable HistoryEntry entry(TransactionDirectory directory) throws IOException {
        TransactionProgress progress = directory.progress();
        TransactionRecord record = directory.record();
        return record == null ? null : entry(record, progress);
    }

    static HistoryEntry entry(TransactionRecord record, TransactionProgress progress) {
        return new HistoryEntry(
                record.number(),
                Instant.ofEpochSecond(record.time()),
                record.title(),
                state(progress.phase()),
                record.kernels(),
                record.changes(),
                record.installed(),
                record.external(),
                record.undoes(),
                record.group(),
                record.open() && !progress.closed(),
                progress.initramfsPending(),
                progress.problem());
    }

    private static TransactionState state(TransactionProgress.Phase phase) {
        return switch (phase) {
            case DONE -> TransactionState.DONE;
            case ROLLED_BACK -> TransactionState.ROLLED_BACK;
            default -> TransactionState.UNFINISHED;
        };
    }

    /**
     * Returns the temporary links and files whose transaction is not in the history, so that no recovery will remove
     * them.
     */
    public static List<Path> withoutJournal(Root root, List<Path> temporary) throws IOException {
        if (temporary.isEmpty()) {
            return List.of();
        }
        List<Integer> numbers = new TransactionLog(root, FaultPoint.NONE).numbers();
        return temporary.stream()
                .filter(link -> numbers.stream()
                        .noneMatch(number ->
                                String.valueOf(link.getFileName()).startsWith(WeakUpdates.TEMPORARY + number + "-")))
                .toList();
    }

    public @Nullable HistoryEntry entry(int number) {
        for (HistoryEntry entry : entries) {
            if (entry.number() == number) {
                return entry;
            }
        }
        return null;
    }

    /**
     * Returns the {@code apply --rebuild} run that began and was neither completed nor undone; null if there is none.
     */
    public @Nullable HistoryEntry open() {
        for (HistoryEntry entry : standing()) {
            if (entry.open()) {
                return entry;
            }
        }
        return null;
    }

    /**
     * Returns the entry of a group; null if no transaction of the group was carried out, or if the entry was undone.
     */
    public @Nullable HistoryEntry of(TransactionGroup group) {
        for (HistoryEntry entry : standing()) {
            if (group.number() > 0 && entry.group() == group.number()) {
                return entry;
            }
        }
        return null;
    }

    /** Returns the rebuild runs, as {@code KERNEL/N}, whose modules are installed according to the history. */
    public Set<String> installed() {
        Set<String> runs = new TreeSet<>();
        standing().forEach(entry -> runs.addAll(entry.installed()));
        return runs;
    }

    /** Returns the installation by another program for a rebuild run; null if there was none or it was undone. */
    public @Nullable ExternalInstallation external(String run) {
        for (HistoryEntry entry : standing()) {
            for (ExternalInstallation external : entry.external()) {
                if (external.run().equals(run)) {
                    return external;
                }
            }
        }
        return null;
    }

    /**
     * Returns the transactions in effect, the newest first: carried out, not undone, and not an undo. If an undo was
     * itself undone, the transaction that it undid is in effect again.
     */
    private List<HistoryEntry> standing() {
        List<HistoryEntry> standing = new ArrayList<>();
        Set<Integer> undone = new HashSet<>();
        for (int i = entries.size() - 1; i >= 0; i--) {
            HistoryEntry entry = entries.get(i);
            if (entry.state() == TransactionState.DONE && !undone.contains(entry.number())) {
                if (entry.undoes() > 0) {
                    undone.add(entry.undoes());
                } else {
                    standing.add(entry);
                }
            }
        }
        return standing;
    }

    /**
     * Returns the transaction that a killed process left unfinished, without creating files. The result is null if
     * there is no such transaction or a process still holds the lock.
     *
     * @throws IOException if the journal cannot be read; the message contains the next step
     */
    public static @Nullable HistoryEntry interrupted(Root root) throws IOException {
        TransactionLog log = new TransactionLog(root, FaultPoint.NONE);
        HistoryEntry entry = unfinished(log);
        if (entry == null || LockFile.heldBy(TransactionRunner.lockFile(root)) != null) {
            return null;
        }
        // The other process may have finished the transaction before the lock was checked.
        return unfinished(log);
    }

    /**
     * Returns the unfinished transaction, null if there is none. Only the last transaction can be unfinished; a
     * transaction without a complete journal has not begun.
     */
    private static @Nullable HistoryEntry unfinished(TransactionLog log) throws IOException {
        int number = 0;
        try {
            List<Integer> numbers = log.numbers();
            for (int i = numbers.size() - 1; i >= 0; i--) {
                number = numbers.get(i);
                TransactionDirectory directory = log.open(number);
                if (directory.isFinished()) {
                    return null;
                }
                HistoryEntry entry = entry(directory);
                if (entry != null) {
                    return entry.state() == TransactionState.UNFINISHED ? entry : null;
                }
            }
            return null;
        } catch (IOException e) {
            throw new IOException(log.blocked(number, e), e);
        }
    }

    /**
     * Returns the transaction that {@code weaklink undo} undoes by default: the newest transaction in effect that
     * changed or installed something. The result is null if there is no such transaction.
     */
    public @Nullable HistoryEntry last() {
        for (HistoryEntry entry : standing()) {
            if (!entry.isEmpty()) {
                return entry;
            }
        }
        return null;
    }
}
