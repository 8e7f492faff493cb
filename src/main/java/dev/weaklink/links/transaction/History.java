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
 * The transactions of a root. Reading it needs no lock and creates nothing.
 *
 * @param entries from old to new
 * @param problems records that cannot be read, each in one line
 */
public record History(List<HistoryEntry> entries, List<String> problems) {
    public History {
        entries = List.copyOf(entries);
        problems = List.copyOf(problems);
    }

    /**
     * Reads it; a root without one has an empty history.
     *
     * @throws IOException if the directory is there but cannot be read
     */
    public static History read(Root root) throws IOException {
        TransactionLog log = new TransactionLog(root, FaultPoint.NONE);
        List<HistoryEntry> entries = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        Map<Integer, TransactionRecord> groups = new HashMap<>();
        for (int number : log.numbers()) {
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

    /** With those of its group, which are no entries of their own any more. */
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

    /** Null for one that has not begun, or is being forgotten right now. */
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

    /** Returns those temporary links whose transaction is not in the history: nothing else will remove them. */
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

    /** The transaction of this number, or null. */
    public @Nullable HistoryEntry entry(int number) {
        for (HistoryEntry entry : entries) {
            if (entry.number() == number) {
                return entry;
            }
        }
        return null;
    }

    /**
     * What {@code apply --rebuild} has begun and neither come to the end of nor taken back; null if there is no such.
     */
    public @Nullable HistoryEntry open() {
        for (HistoryEntry entry : standing()) {
            if (entry.open()) {
                return entry;
            }
        }
        return null;
    }

    /** What was carried out of a group; null if nothing was, or that is undone. */
    public @Nullable HistoryEntry of(TransactionGroup group) {
        for (HistoryEntry entry : standing()) {
            if (group.number() > 0 && entry.group() == group.number()) {
                return entry;
            }
        }
        return null;
    }

    /** Runs of rebuilds whose modules are installed, as {@code KERNEL/N}. */
    public Set<String> installed() {
        Set<String> runs = new TreeSet<>();
        standing().forEach(entry -> runs.addAll(entry.installed()));
        return runs;
    }

    /** What another program was told to install of a run; null if that was nothing, or is undone. */
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
     * Those that were carried out, are no undo, and are not undone, the newest first. An undo that was undone counts
     * for nothing.
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
     * The transaction that a killed process left unfinished; null if there is none, or if the process is still at work
     * on it. Creates nothing.
     *
     * @throws IOException if the journal cannot be read
     */
    public static @Nullable HistoryEntry interrupted(Root root) throws IOException {
        TransactionLog log = new TransactionLog(root, FaultPoint.NONE);
        HistoryEntry entry = unfinished(log);
        if (entry == null || LockFile.heldBy(TransactionRunner.lockFile(root)) != null) {
            return null;
        }
        // It may have come to its end before the lock was looked at.
        return unfinished(log);
    }

    /** Only the last one can be; one that is not completely in the journal has not begun. */
    private static @Nullable HistoryEntry unfinished(TransactionLog log) throws IOException {
        List<Integer> numbers = log.numbers();
        for (int i = numbers.size() - 1; i >= 0; i--) {
            TransactionDirectory directory = log.open(numbers.get(i));
            if (directory.isFinished()) {
                return null;
            }
            HistoryEntry entry = entry(directory);
            if (entry != null) {
                return entry.state() == TransactionState.UNFINISHED ? entry : null;
            }
        }
        return null;
    }

    /**
     * What "undo" undoes: the newest one that was carried out and changed or installed something, is no undo itself and
     * is not undone; null if there is none.
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
