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
import dev.weaklink.sys.NotDoneException.Outcome;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
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
 * Carries out transactions in a root, one at a time: lock, recovery of an interrupted one, journal, links, depmod,
 * initramfs. Killed at any point, the next one finishes or takes back what was begun.
 */
public final class TransactionRunner {
    private static final String LOCK_DIRECTORY = "/run/weaklink";
    private static final int MAX_TITLE = 4096;

    private final TransactionContext context;

    public TransactionRunner(Root root, TransactionSettings settings, TransactionListener listener) {
        this.context = new TransactionContext(root, settings, listener);
    }

    /** What is to be done, found out while no other process may change links. */
    public interface Decision {
        /** Null if nothing is. */
        @Nullable
        LinkTransaction make() throws IOException;
    }

    /**
     * Carries out a transaction.
     *
     * @throws NotDoneException if it was refused or failed; says in what state the root is
     */
    public TransactionOutcome run(LinkTransaction transaction) throws NotDoneException {
        return run(transaction.title(), () -> transaction);
    }

    /**
     * Carries out what is decided once no other process changes links any more.
     *
     * @param title says to others who wait who is at work
     * @throws NotDoneException as for a transaction that is known before
     */
    public TransactionOutcome run(String title, Decision decision) throws NotDoneException {
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
     * Restores, in a new transaction, what was there before an earlier one; depmod's index files, too.
     *
     * @throws NotDoneException if paths are no longer what that transaction left (its details list them), or as for
     *     {@link #run}
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
                    // What other programs removed they do not install again.
                    undone.undoes() > 0 ? List.of() : undone.external(),
                    planner.contents());
            return planned.isEmpty() ? TransactionOutcome.NOTHING : carryOut(log, planned);
        });
    }

    /** Writes down that nothing more belongs to a group. */
    public void close(TransactionGroup group) throws NotDoneException {
        if (group.number() > 0) {
            locked("weaklink", log -> {
                log.close(group.number());
                return TransactionOutcome.NOTHING;
            });
        }
    }

    /** What renews the images that hold a module whose link changed. */
    public interface Renewals {
        /** Knows of no image. */
        Renewals NONE = entry -> List.of();

        /** At most one command for a kernel. */
        List<InitramfsStep> of(HistoryEntry entry);
    }

    /** As {@link #recover(Renewals)}, without images. */
    public @Nullable HistoryEntry recover() throws NotDoneException {
        return recover(Renewals.NONE);
    }

    /**
     * Finishes or takes back an interrupted transaction, if there is one, and does nothing else, so that what is looked
     * at afterwards is not half done. {@link #run} and {@link #undo} do it, too.
     *
     * @param renewals what is to run for images that it did not come to renew
     * @return how it ended; null if no transaction was interrupted
     * @throws NotDoneException if that is impossible
     */
    public @Nullable HistoryEntry recover(Renewals renewals) throws NotDoneException {
        try {
            if (new TransactionLog(context.root(), context.faults()).isSettled()) {
                return null;
            }
        } catch (IOException e) {
            // said once nobody else can be at work
        }
        try (LockFile lock = lock("weaklink")) {
            TransactionLog log = new TransactionLog(context.root(), context.faults());
            return new Recovery(context, log).run(renewals);
        } catch (IOException e) {
            throw refused(e);
        }
    }

    private static NotDoneException refused(IOException cause) {
        return new NotDoneException(Outcome.REFUSED, cause.getMessage() + "; nothing was changed");
    }

    /** What is done while no other process may. */
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

    /** The lock's file; if that is a link, it is refused, and so not resolved here. */
    static Path lockFile(Root root) throws IOException {
        return root.resolve(LOCK_DIRECTORY).resolve("lock");
    }

    private static String shortened(String title) {
        return title.length() <= MAX_TITLE ? title : title.substring(0, MAX_TITLE);
    }

    private List<String> checkedKernels(List<String> releases) throws IOException {
        for (String release : releases) {
            if (KernelDirectory.find(context.root(), release) == null) {
                throw new IOException("there is no directory of modules for kernel " + release);
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
            // Without a journal it is nothing but a directory, which the next run removes.
        }
        return new NotDoneException(
                Outcome.REFUSED, "the journal cannot be written: " + cause.getMessage() + "; nothing was changed");
    }

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

    /** Finds out how to get back to what was before a transaction. */
    private static final class UndoPlanner {
        private final TransactionContext context;
        private final List<TransactionDirectory> directories;
        private final TransactionRecord undone;
        private final boolean force;
        private final PlannedPaths paths = new PlannedPaths();
        private final List<String> objections = new ArrayList<>();

        /**
         * For one transaction.
         *
         * @param directories of it and of those that are one entry of the history with it
         * @param undone all of these as one
         */
        UndoPlanner(
                TransactionContext context,
                List<TransactionDirectory> directories,
                TransactionRecord undone,
                boolean force) {
            this.context = context;
            this.directories = directories;
            this.undone = undone;
            this.force = force;
        }

        /**
         * What is to be done, sorted by path; nothing where everything is as it was before.
         *
         * @throws NotDoneException with the paths that are not as the transaction left them
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
                        NotDoneException.Outcome.REFUSED,
                        "transaction "
                                + undone.number()
                                + " cannot be undone: what it changed was changed again since; nothing was undone"
                                + (force ? "" : "; --force overrides"),
                        objections);
            }
            return paths.complete(path -> made.contains(path.text()));
        }

        /** What the files contain that it changes, by digest. */
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
                throw new IOException(path.text() + " is a directory now");
            }
            boolean isForeignFile = path.place() == ManagedPath.Place.LINKS && state instanceof PathState.File;
            if ((isForeignFile || !force) && !state.equals(change.after()) && !state.equals(change.before())) {
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
            throw new IOException(path.text() + ": the earlier file is no longer kept");
        }

        private static String inWords(PathState state) {
            if (state instanceof PathState.File) {
                return "is another file now";
            }
            return state instanceof PathState.Link link ? "points to " + link.target() + " now" : "is gone";
        }

        /** The kernels that are still there. */
        List<String> kernels() throws IOException {
            List<String> kernels = new ArrayList<>();
            for (String release : undone.kernels()) {
                if (KernelDirectory.find(context.root(), release) != null) {
                    kernels.add(release);
                }
            }
            return kernels;
        }

        /** Kernels whose kept index files may take the place of those of today, which nobody changed. */
        List<String> restorable() throws IOException {
            List<String> releases = new ArrayList<>();
            if (!undone.external().isEmpty()) {
                return releases; // they may list what is installed still
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
         * What the last of them wrote; null if what was there before the first is not kept, or somebody else wrote in
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
     * What is to be undone.
     *
     * @param title the words of the command line
     * @param number the transaction; see {@link History#last}
     * @param force whether links that others have changed since are put back, too; files and directories in their place
     *     never are
     * @param initramfs what runs after depmod; at most one for a kernel
     */
    public record UndoRequest(String title, int number, boolean force, List<InitramfsStep> initramfs) {
        public UndoRequest {
            initramfs = List.copyOf(initramfs);
        }
    }

    /**
     * Deals with a transaction that a killed process left behind. Only the last one can be unfinished, as each looks
     * after the one before it first.
     */
    private record Recovery(TransactionContext context, TransactionLog log) {
        /**
         * Finishes it or takes it back.
         *
         * @return it as it is then; null if there was none
         * @throws NotDoneException if neither is possible
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
                String which = number == 0 ? "the history" : "the journal of transaction " + number;
                String place = ShellWord.of(log.place(number).toString());
                throw new NotDoneException(
                        Outcome.BROKEN,
                        which
                                + " cannot be used ("
                                + IoReason.of(e)
                                + "); check the links, and put it aside: mv "
                                + place
                                + " "
                                + place
                                + ".damaged");
            }
        }

        /** Forgets one that was not completely written to the journal: it did not begin. */
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

    /** Where and how a transaction is carried out. */
    record TransactionContext(Root root, TransactionSettings settings, TransactionListener listener) {
        FaultPoint faults() {
            return settings.faults();
        }
    }
}
