package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.IndexFiles.IndexSet;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.ManagedPath.KernelDirectory;
import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionDirectory.Content;
import dev.weaklink.links.transaction.TransactionRecord.TransactionProgress;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.Root;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Carries out transactions below a root directory, one at a time. The steps are lock, recovery of an interrupted
 * transaction, journal, links, depmod and initramfs. If the process is killed at any point, the next run finishes or
 * rolls back the transaction.
 */
public final class TransactionRunner {
    private static final String LOCK_DIRECTORY = "/run/weaklink";
    private static final int MAX_TITLE = 4096;

    private final TransactionContext context;

    public TransactionRunner(Root root, TransactionSettings settings, TransactionListener listener) {
        this.context = new TransactionContext(root, settings, listener);
    }

    /**
     * A function that returns a transaction, or null to change nothing. The function runs while this process holds the
     * lock, so that no other weaklink process changes links.
     */
    public interface TransactionSource {
        @Nullable
        LinkTransaction make() throws IOException;
    }

    /**
     * Carries out a transaction.
     *
     * @throws NotDoneException if the transaction was refused or failed; {@link NotDoneException#outcome} is the
     *     resulting state of the links
     */
    public TransactionOutcome run(LinkTransaction transaction) throws NotDoneException {
        return run(transaction.title(), () -> transaction);
    }

    /**
     * Acquires the lock, calls {@code decision}, and carries out the transaction that {@code decision} returns.
     *
     * @param title the title that waiting processes show for the lock's holder
     * @throws NotDoneException if the transaction was refused or failed
     */
    public TransactionOutcome run(String title, TransactionSource decision) throws NotDoneException {
        return locked(title, log -> {
            LinkTransaction transaction = decision.make();
            if (transaction == null) {
                return TransactionOutcome.NOTHING;
            }
            ChangePlanner planner = new ChangePlanner(context.root(), log::madeDirectory);
            List<PathChange> changes = planner.plan(transaction.changes());
            PlannedTransaction planned = new PlannedTransaction(
                    transaction.title(),
                    0,
                    transaction.group(),
                    checkedKernels(transaction.kernels()),
                    List.of(),
                    changes,
                    transaction.initramfs(),
                    transaction.installed(),
                    transaction.external(),
                    planner.contents());
            return planned.isEmpty() ? TransactionOutcome.NOTHING : carryOut(log, planned);
        });
    }

    /**
     * Undoes an earlier transaction and its group in a new transaction: restores the changed paths and depmod's index
     * files.
     *
     * @throws NotDoneException if a path cannot be restored, for example because it was changed (see the exception's
     *     details), or if the new transaction was refused or failed
     */
    public TransactionOutcome undo(UndoRequest request) throws NotDoneException {
        return locked(request.title(), log -> {
            List<TransactionDirectory> directories = log.joined(undoable(log.open(request.number())));
            TransactionRecord undone = joined(directories);
            UndoPlanner planner = new UndoPlanner(context, directories, undone, request.force());
            List<PathChange> changes = planner.plan();
            PlannedTransaction planned = new PlannedTransaction(
                    request.title(),
                    undone.number(),
                    null,
                    planner.kernels(),
                    planner.restorable(),
                    changes,
                    request.initramfs(),
                    undone.installed(),
                    // If an undo is undone, other programs do not reinstall the modules that they removed.
                    undone.undoes() > 0 ? List.of() : undone.external(),
                    planner.contents());
            return planned.isEmpty() ? TransactionOutcome.NOTHING : carryOut(log, planned);
        });
    }

    public void close(TransactionGroup group) throws NotDoneException {
        if (group.number() > 0) {
            locked("weaklink", log -> {
                log.close(group.number());
                return TransactionOutcome.NOTHING;
            });
        }
    }

    public interface Renewals {
        Renewals NONE = entry -> List.of();

        List<InitramfsStep> of(HistoryEntry entry);
    }

    public @Nullable HistoryEntry recover() throws NotDoneException {
        return recover(Renewals.NONE);
    }

    /**
     * Finishes or rolls back an interrupted transaction, if there is one. {@link #run} and {@link #undo} do this too,
     * but regenerate no initramfs for the interrupted transaction.
     *
     * @param renewals returns the steps that regenerate the initramfs images of the interrupted transaction
     * @return the recovered transaction; null if no transaction was interrupted
     * @throws NotDoneException if the lock cannot be acquired or recovery is impossible
     */
    public @Nullable HistoryEntry recover(Renewals renewals) throws NotDoneException {
        try {
            if (new TransactionLog(context.root(), context.faults()).isSettled()) {
                return null;
            }
        } catch (IOException e) {
            // the recovery below reports the error, once this process holds the lock
        }
        try (LockFile lock = lock("weaklink")) {
            TransactionLog log = new TransactionLog(context.root(), context.faults());
            return new Recovery(context, log).run(renewals);
        } catch (IOException e) {
            throw refused(e);
        }
    }

    private static NotDoneException refused(IOException cause) {
        return new NotDoneException(FailureState.REFUSED, described(cause) + "; nothing was changed");
    }

    private static String described(IOException cause) {
        String file = cause instanceof FileSystemException system ? system.getFile() : null;
        return (file == null ? "" : file + ": ") + IoReason.of(cause);
    }

    private interface Work {
        TransactionOutcome in(TransactionLog log) throws NotDoneException, IOException;
    }

    private TransactionOutcome locked(String title, Work work) throws NotDoneException {
        try (LockFile lock = lock(shortened(title))) {
            TransactionLog log = new TransactionLog(context.root(), context.faults());
            new Recovery(context, log).run(Renewals.NONE);
            return work.in(log);
        } catch (IOException e) {
            throw refused(e);
        }
    }

    private LockFile lock(String title) throws IOException {
        Path file = lockFile(context.root());
        AtomicReference<LockFile.Holder> holder = new AtomicReference<>();
        LockFile lock;
        try {
            DurableFiles.createDirectories(file.resolveSibling(""));
            lock = LockFile.acquire(file, title, context.settings().lockWait(), other -> {
                holder.set(other);
                context.listener().waitingFor(other);
            });
        } catch (IOException e) {
            throw new IOException("cannot lock " + file + ": " + IoReason.of(e), e);
        }
        if (lock == null) {
            LockFile.Holder other = holder.get();
            String who = other == null ? "another process" : other.words();
            throw new IOException(who + " has the lock " + file);
        }
        return lock;
    }

    /**
     * Returns the path of the lock file. A symbolic link at this path is refused later, so the last component is not
     * resolved here.
     */
    static Path lockFile(Root root) throws IOException {
        return root.resolve(LOCK_DIRECTORY).resolve("lock");
    }

    private static String shortened(String title) {
        return title.length() <= MAX_TITLE ? title : title.substring(0, MAX_TITLE);
    }

    private List<String> checkedKernels(List<String> releases) throws IOException {
        for (String release : releases) {
            if (KernelDirectory.find(context.root(), release) == null) {
                throw new IOException("there is no module directory for kernel " + release);
            }
        }
        return new ArrayList<>(new LinkedHashSet<>(releases));
    }

    private static TransactionRecord undoable(TransactionDirectory directory) throws IOException {
        TransactionRecord record = directory.record();
        if (record == null || directory.progress().phase() != TransactionProgress.Phase.DONE) {
            throw new IOException("transaction " + directory.number() + " was not carried out and cannot be undone");
        }
        return record;
    }

    private static TransactionRecord joined(List<TransactionDirectory> directories) throws IOException {
        TransactionRecord joined = undoable(directories.get(0));
        for (TransactionDirectory later : directories.subList(1, directories.size())) {
            joined = undoable(later).after(joined);
        }
        return joined;
    }

    private TransactionOutcome carryOut(TransactionLog log, PlannedTransaction planned) throws NotDoneException {
        TransactionDirectory directory = null;
        Execution execution;
        try {
            directory = log.create();
            directory.keep(planned.contents());
            TransactionRecord record = record(directory, planned);
            execution = new Execution(context, directory, record);
            directory.write(record);
        } catch (IOException e) {
            throw unwritten(directory, e);
        }
        TransactionOutcome outcome = execution.carryOut(planned.initramfs());
        if (planned.group() != null) {
            planned.group().carriedOut(outcome.number());
        }
        try {
            log.prune();
        } catch (IOException e) {
            context.listener().warning("old transactions cannot be removed: " + IoReason.of(e));
        }
        return outcome;
    }

    private TransactionRecord record(TransactionDirectory directory, PlannedTransaction planned) throws IOException {
        List<IndexSet> saved = new ArrayList<>();
        for (String release : planned.kernels()) {
            KernelDirectory kernel = KernelDirectory.find(context.root(), release);
            if (kernel != null) {
                saved.add(new IndexFiles(kernel, context.faults()).save(directory.indexes()));
            }
        }
        long time = context.settings().clock().instant().getEpochSecond();
        return planned.record(directory.number(), time, shortened(planned.title()), saved);
    }

    private static NotDoneException unwritten(@Nullable TransactionDirectory directory, IOException cause) {
        try {
            if (directory != null) {
                directory.delete();
            }
        } catch (IOException e) {
            // The next run removes a transaction directory without a journal.
        }
        return new NotDoneException(
                FailureState.REFUSED, "the journal cannot be written: " + described(cause) + "; nothing was changed");
    }

    /**
     * A planned transaction that is not yet in the journal.
     *
     * @param undoes the number of the transaction to undo, or 0
     * @param group the group of the transaction; null if the transaction is a separate history entry
     * @param restored the kernels whose index files are restored from the undone transaction
     * @param installed see {@link TransactionRecord#installed}
     * @param external see {@link TransactionRecord#external}
     * @param contents the contents of files before and after the change, by digest
     */
    private record PlannedTransaction(
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

        /**
         * Returns whether there is nothing to do. An undo without changes and installations has nothing to do, even if
         * depmod could run.
         */
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

    private static final class UndoPlanner {
        private final TransactionContext context;
        private final List<TransactionDirectory> directories;
        private final TransactionRecord undone;
        private final boolean force;
        private final PlannedPaths paths = new PlannedPaths();
        private final List<String> objections = new ArrayList<>();
        private boolean canBeForced;

        UndoPlanner(
                TransactionContext context,
                List<TransactionDirectory> directories,
                TransactionRecord undone,
                boolean force) {
            this.context = context;
            this.directories = directories;
            this.undone = undone;
            this.force = force;
            this.canBeForced = !force;
        }

        /**
         * Returns the changes to make, sorted by path; empty if every path is as before the transaction.
         *
         * @throws NotDoneException with an objection for each path that cannot be restored
         */
        List<PathChange> plan() throws NotDoneException, IOException {
            Set<String> made = new HashSet<>();
            for (PathChange change : undone.changes()) {
                try {
                    plan(change, made);
                } catch (NoSuchFileException e) {
                    context.listener().warning(change.path() + ": kernel directory no longer exists");
                } catch (IOException e) {
                    objections.add(IoReason.of(e));
                }
            }
            if (!objections.isEmpty()) {
                throw new NotDoneException(
                        NotDoneException.FailureState.REFUSED,
                        "transaction "
                                + undone.number()
                                + " was not undone, for the reasons below"
                                + (canBeForced ? "; --force restores links and files that have changed since" : ""),
                        objections);
            }
            return paths.complete(path -> made.contains(path.text()));
        }

        SortedMap<String, Content> contents() {
            return paths.contents();
        }

        private void plan(PathChange change, Set<String> made) throws IOException {
            ManagedPath path = ManagedPath.parse(context.root(), change.path());
            if (!change.isDirectory()) {
                planPath(path, change);
            } else if (change.before() instanceof PathState.Directory directoryBefore) {
                paths.mode(path, directoryBefore.mode());
            } else {
                made.add(path.text());
                paths.abandon(path);
            }
        }

        private void planPath(ManagedPath path, PathChange change) throws IOException {
            PathState state = path.state();
            if (state instanceof PathState.Directory) {
                canBeForced = false;
                throw new IOException(path.text() + " is a directory now");
            }
            boolean isForeignFile = path.place() == ManagedPath.Place.LINKS && state instanceof PathState.File;
            if ((isForeignFile || !force) && !state.equals(change.after()) && !state.equals(change.before())) {
                canBeForced &= !isForeignFile;
                throw new IOException(path.text() + " " + inWords(state));
            }
            Content content = null;
            if (change.before() instanceof PathState.File file && !state.equals(file)) {
                content = kept(path, file);
            }
            paths.add(path, state, change.before(), content);
        }

        private Content kept(ManagedPath path, PathState.File file) throws IOException {
            for (TransactionDirectory one : directories) {
                if (one.keeps(file)) {
                    return to -> one.write(file, to);
                }
            }
            canBeForced = false;
            throw new IOException(path.text() + ": the saved copy of the earlier file no longer exists");
        }

        private static String inWords(PathState state) {
            if (state instanceof PathState.File) {
                return "is another file now";
            }
            return state instanceof PathState.Link link ? "points to " + link.target() + " now" : "is gone";
        }

        List<String> kernels() throws IOException {
            List<String> kernels = new ArrayList<>();
            for (String release : undone.kernels()) {
                if (KernelDirectory.find(context.root(), release) != null) {
                    kernels.add(release);
                }
            }
            return kernels;
        }

        /**
         * Returns the kernels whose saved index files an undo may restore instead of running depmod. The present index
         * files must not have changed since the undone transaction, and no other program may still have to remove
         * modules.
         */
        List<String> restorable() throws IOException {
            List<String> releases = new ArrayList<>();
            if (!undone.external().isEmpty()) {
                return releases; // the index files may list modules that are still installed
            }
            for (String release : kernels()) {
                KernelDirectory kernel = KernelDirectory.find(context.root(), release);
                IndexSet left = written(release);
                if (kernel != null
                        && left != null
                        && IndexFiles.contents(kernel.host(), release).equals(left)) {
                    releases.add(release);
                }
            }
            return releases;
        }

        /**
         * Returns the kernel's index files as the undone transactions left them. Returns null if the index files from
         * before these transactions cannot be restored, for example because another process changed index files in
         * between.
         */
        private @Nullable IndexSet written(String release) throws IOException {
            IndexSet written = null;
            for (TransactionDirectory one : directories) {
                IndexSet saved = Indexing.of(release, undoable(one).saved());
                if (saved != null) {
                    Path kept = one.indexes().resolve(release);
                    if (!IndexFiles.isIntact(one.indexes(), saved)
                            || written != null
                                    && !IndexFiles.contents(kept, release).equals(written)) {
                        return null;
                    }
                    written = Indexing.of(release, one.progress().written());
                    if (written == null) {
                        return null;
                    }
                }
            }
            return written;
        }
    }

    /**
     * A request to undo a transaction.
     *
     * @param title the title of the new transaction: the command and its arguments
     * @param number the number of the transaction to undo
     * @param force true to restore links and files that were changed since; a directory in their place, or a file in
     *     place of a link, still prevents the undo
     * @param initramfs the steps to run after depmod; at most one for each kernel
     */
    public record UndoRequest(String title, int number, boolean force, List<InitramfsStep> initramfs) {
        public UndoRequest {
            initramfs = List.copyOf(initramfs);
        }
    }

    /**
     * The recovery of a transaction that a killed process left unfinished. Only the last transaction can be unfinished,
     * because each transaction first recovers the previous one.
     */
    private record Recovery(TransactionContext context, TransactionLog log) {
        /**
         * Finishes or rolls back the interrupted transaction.
         *
         * @return the transaction after recovery; null if no transaction was interrupted
         * @throws NotDoneException if the transaction can be neither finished nor rolled back
         */
        @Nullable
        HistoryEntry run(Renewals renewals) throws NotDoneException {
            int number = 0;
            try {
                List<Integer> numbers = log.numbers();
                for (int i = numbers.size() - 1; i >= 0; i--) {
                    number = numbers.get(i);
                    TransactionDirectory directory = log.open(number);
                    if (directory.isFinished()) {
                        return null;
                    }
                    if (!isTorn(directory)) {
                        return settle(directory, renewals);
                    }
                }
                return null;
            } catch (IOException e) {
                throw new NotDoneException(FailureState.BROKEN, log.blocked(number, e));
            }
        }

        /**
         * Deletes a transaction without a complete journal, because it has not begun. Returns whether the transaction
         * was deleted.
         */
        private static boolean isTorn(TransactionDirectory directory) throws IOException {
            if (directory.record() != null) {
                return false;
            }
            directory.delete();
            return true;
        }

        private @Nullable HistoryEntry settle(TransactionDirectory directory, Renewals renewals)
                throws NotDoneException, IOException {
            TransactionProgress progress = directory.progress();
            TransactionRecord record = directory.record();
            if (record == null) {
                return null;
            }
            context.listener().recovering(record.number(), record.title());
            TransactionProgress now = new Execution(context, directory, record).recover(progress, renewals);
            HistoryEntry entry = History.entry(record, now);
            context.listener().recovered(entry);
            return entry;
        }
    }

    record TransactionContext(Root root, TransactionSettings settings, TransactionListener listener) {
        FaultPoint faults() {
            return settings.faults();
        }
    }
}
