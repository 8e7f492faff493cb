package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.IndexFiles.IndexSet;
import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionOutcome.InitramfsFailure;
import dev.weaklink.links.transaction.TransactionRecord.TransactionProgress;
import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.links.transaction.TransactionRunner.TransactionContext;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Executes a journaled transaction, either for the first time or after an interruption. */
final class Execution {
    private final TransactionContext context;
    private final TransactionDirectory directory;
    private final TransactionRecord record;
    private final ChangeApplier links;
    private final Indexing indexing;

    Execution(TransactionContext context, TransactionDirectory directory, TransactionRecord record) throws IOException {
        this.context = context;
        this.directory = directory;
        this.record = record;
        this.links = new ChangeApplier(context, directory, record.changes());
        this.indexing = new Indexing(context, directory, record);
    }

    /**
     * Executes the transaction for the first time.
     *
     * @throws NotDoneException if the transaction failed; a failure before the new index files are recorded rolls back
     *     all changes, if possible
     */
    TransactionOutcome carryOut(List<InitramfsStep> initramfs) throws NotDoneException {
        prepare();
        List<IndexSet> written;
        try {
            links.commit();
            refuseConflicts();
            written = indexing.renew();
            directory.write(TransactionProgress.indexed(written, record.initramfs()));
        } catch (IOException e) {
            throw takeBack(e);
        }
        try {
            finish();
            List<InitramfsFailure> failures = renewInitramfs(initramfs);
            int number = conclude(TransactionProgress.done(written, kernelsOf(failures)));
            return new TransactionOutcome(
                    number,
                    record.changes(),
                    record.kernels(),
                    record.undoes() > 0 ? record.external() : List.of(),
                    failures);
        } catch (IOException e) {
            throw new NotDoneException(
                    FailureState.BROKEN,
                    "the changes are made, but the transaction is not finished ("
                            + IoReason.of(e)
                            + "); fix this, then run the command again");
        }
    }

    private void finish() throws IOException {
        links.finish();
        Set<String> digests = new TreeSet<>();
        for (PathChange change : record.changes()) {
            if (change.before() instanceof PathState.File file) {
                digests.add(file.sha256());
            }
        }
        directory.retainFiles(digests);
    }

    /**
     * Stages all changes. Until this method returns, no link has changed. So after a failure, only the staged files,
     * the new directories and the transaction are deleted.
     */
    private void prepare() throws NotDoneException {
        try {
            links.prepare();
            refuseConflicts();
        } catch (IOException e) {
            try {
                links.takeBack();
                directory.delete();
            } catch (IOException second) {
                throw broken(e, second);
            }
            throw new NotDoneException(
                    FailureState.REFUSED,
                    "cannot change links or files: " + describe(e) + "; nothing was changed",
                    StepFailure.detailsOf(e));
        }
    }

    static final class StepFailure extends IOException {
        @Serial
        private static final long serialVersionUID = 1L;

        private final transient List<String> details;

        StepFailure(String message, List<String> details) {
            super(message);
            this.details = List.copyOf(details);
        }

        private static List<String> detailsOf(IOException e) {
            return e instanceof StepFailure failure ? failure.details : List.of();
        }
    }

    private void refuseConflicts() throws IOException {
        Set<String> conflicts = links.conflicts();
        if (!conflicts.isEmpty()) {
            throw new StepFailure(conflicts.iterator().next(), new ArrayList<>(conflicts));
        }
    }

    private NotDoneException takeBack(IOException cause) {
        String problem = describe(cause);
        try {
            announce(problem);
            restore();
            giveUp(problem);
        } catch (IOException e) {
            return broken(cause, e);
        }
        String rest = links.conflicts().isEmpty() ? "everything" : "everything else";
        return new NotDoneException(
                FailureState.ROLLED_BACK, problem + "; " + rest + " is as it was before", StepFailure.detailsOf(cause));
    }

    /**
     * Records in the journal that a rollback begins. If this write fails, the recovery after an interruption tries to
     * finish the transaction instead.
     */
    private void announce(String problem) {
        try {
            directory.write(TransactionProgress.rollingBack(problem));
        } catch (IOException e) {
            context.listener().warning("the journal cannot be written: " + IoReason.of(e));
        }
    }

    private void restore() throws IOException {
        links.takeBack();
        indexing.takeBack();
        for (String conflict : links.conflicts()) {
            context.listener().warning(conflict + "; left as it is");
        }
    }

    /**
     * Records the rollback. If that fails, for example on a full disk, deletes the transaction instead, which needs no
     * space.
     */
    private void giveUp(String problem) throws IOException {
        try {
            directory.write(TransactionProgress.rolledBack(problem));
            directory.forgetIndexes();
            directory.retainFiles(Set.of());
        } catch (IOException e) {
            directory.delete();
        }
    }

    private NotDoneException broken(IOException cause, IOException second) {
        String state = "failed (" + describe(cause) + ") and could not be taken back (" + describe(second) + ")";
        return broken(cause, state);
    }

    private NotDoneException broken(IOException cause, String state) {
        return new NotDoneException(
                FailureState.BROKEN,
                "transaction " + record.number() + " " + state + "; fix this, then run the command again",
                StepFailure.detailsOf(cause));
    }

    private List<InitramfsFailure> renewInitramfs(List<InitramfsStep> steps) {
        List<InitramfsFailure> failures = new ArrayList<>();
        for (InitramfsStep step : steps) {
            context.faults().at("before initramfs");
            InitramfsFailure failure = renew(step);
            if (failure != null) {
                failures.add(failure);
            }
            context.faults().at("after initramfs");
        }
        return failures;
    }

    private static List<String> kernelsOf(List<InitramfsFailure> failures) {
        return failures.stream().map(InitramfsFailure::kernel).toList();
    }

    /**
     * Records that the transaction is done. A transaction without any change or installation is deleted, because
     * undoing it would have no effect.
     *
     * @return the number in the history, or 0 if the transaction was deleted
     */
    private int conclude(TransactionProgress done) throws IOException {
        if (record.changes().isEmpty()
                && record.installed().isEmpty()
                && record.external().isEmpty()) {
            directory.delete();
            return 0;
        }
        try {
            directory.write(done);
        } catch (IOException e) {
            if (!directory.isFinished()) {
                throw e;
            }
            // Only the sync of the directory failed. After a power failure, the recovery would finish the transaction.
            context.listener().warning("the journal cannot be synced to the disk: " + IoReason.of(e));
        }
        return record.number();
    }

    /**
     * Finishes an interrupted transaction. Rolls it back instead if a rollback had begun, or if a step fails before the
     * new index files are recorded.
     *
     * @return the final progress: done or rolled back
     * @throws NotDoneException if the transaction can be neither finished nor rolled back
     */
    TransactionProgress recover(TransactionProgress progress, Renewals renewals) throws NotDoneException {
        if (progress.phase() == TransactionProgress.Phase.ROLLING_BACK) {
            String problem = progress.problem();
            return rolledBack(takeBack(new IOException(problem == null ? "" : problem)));
        }
        List<IndexSet> written = progress.written();
        if (progress.phase() == TransactionProgress.Phase.BEGUN) {
            try {
                written = changeAndIndex();
            } catch (IOException e) {
                return rolledBack(takeBack(e));
            }
        }
        try {
            finish();
            TransactionProgress done = TransactionProgress.done(written, stillPending(renewals));
            conclude(done);
            return done;
        } catch (IOException e) {
            throw broken(e, "could not be finished (" + describe(e) + ")");
        }
    }

    private static TransactionProgress rolledBack(NotDoneException end) throws NotDoneException {
        if (end.outcome() == FailureState.BROKEN) {
            throw end;
        }
        return TransactionProgress.rolledBack(String.valueOf(end.getMessage()));
    }

    private List<IndexSet> changeAndIndex() throws IOException {
        links.prepare();
        links.commit();
        for (String conflict : links.conflicts()) {
            context.listener().warning(conflict + "; left as it is");
        }
        List<IndexSet> written = indexing.renew();
        directory.write(TransactionProgress.indexed(written, record.initramfs()));
        return written;
    }

    /**
     * Runs the steps of {@code renewals} for the kernels whose initramfs the transaction has to regenerate. Returns the
     * kernels whose step failed; with {@link Renewals#NONE}, returns all these kernels. The commands never come from
     * the journal.
     */
    private List<String> stillPending(Renewals renewals) {
        if (record.initramfs().isEmpty() || renewals == Renewals.NONE) {
            return record.initramfs();
        }
        List<InitramfsStep> steps = new ArrayList<>();
        for (InitramfsStep step : renewals.of(History.entry(record, TransactionProgress.BEGUN))) {
            if (record.initramfs().contains(step.kernel())) {
                steps.add(step);
            }
        }
        List<InitramfsFailure> failures = renewInitramfs(steps);
        for (InitramfsFailure failure : failures) {
            context.listener().warning(failure.reason());
        }
        return kernelsOf(failures);
    }

    private String describe(IOException e) {
        String message = e.getMessage();
        return message == null ? IoReason.of(e) : message;
    }

    private @Nullable InitramfsFailure renew(InitramfsStep step) {
        context.listener().initramfs(step.kernel());
        String program = step.command().get(0);
        try {
            ExternalCommand.Result result = ExternalCommand.of(
                            step.command(), context.settings().initramfsLimit())
                    .run();
            return result.succeeded()
                    ? null
                    : new InitramfsFailure(
                            step.kernel(), program + " failed (" + result.reason() + ")", result.lines());
        } catch (IOException e) {
            return new InitramfsFailure(step.kernel(), program + " cannot be run: " + IoReason.of(e), List.of());
        }
    }

    /**
     * Changes links, files and directories on disk, forwards or backwards. Each step first checks the present state, so
     * that it can be repeated after an interruption at any point.
     *
     * <p>Everything that needs disk space is first written under temporary names, in the directory of the changed path:
     * the new link or file, and a hard link to the old one or a copy of it. After that, renames and removals normally
     * suffice, in both directions.
     */
    private static final class ChangeApplier {
        private final FaultPoint faults;
        private final TransactionDirectory directory;
        private final List<AppliedStep> steps = new ArrayList<>();
        private final Set<String> conflicts = new TreeSet<>();

        private record AppliedStep(ManagedPath path, PathChange change, Path fresh, Path kept) {}

        ChangeApplier(TransactionContext context, TransactionDirectory directory, List<PathChange> changes)
                throws IOException {
            this.faults = context.faults();
            this.directory = directory;
            for (int i = 0; i < changes.size(); i++) {
                String name = directory.number() + "-" + i;
                PathChange change = changes.get(i);
                try {
                    ManagedPath path = ManagedPath.parse(context.root(), change.path());
                    path.check(change.before());
                    path.check(change.after());
                    Path fresh = path.temporary(name + "-new");
                    steps.add(new AppliedStep(path, change, fresh, path.temporary(name + "-old")));
                } catch (NoSuchFileException e) {
                    conflicts.add(change.path() + ": kernel directory no longer exists");
                }
            }
        }

        /** Returns a message for each path that was skipped, for example because another process had changed it. */
        Set<String> conflicts() {
            return conflicts;
        }

        /**
         * Creates directories, and writes new links and files under temporary names; changes no existing link or file.
         */
        void prepare() throws IOException {
            for (AppliedStep step : steps) {
                if (step.change.after() instanceof PathState.Directory directory) {
                    makeDirectory(step, directory);
                }
            }
            for (AppliedStep step : steps) {
                if (!step.change.isDirectory() && isPending(step)) {
                    stage(step);
                }
            }
            sync();
        }

        /**
         * Creates the directory and sets its mode. An interruption may occur between these two steps, so each step is
         * checked separately.
         */
        private void makeDirectory(AppliedStep step, PathState.Directory directory) throws IOException {
            PathState state = step.path.state();
            if (state instanceof PathState.Absent) {
                faults.at("before making a directory");
                Files.createDirectory(step.path.host());
                faults.at("after making a directory");
            }
            if (!directory.equals(step.path.state())) {
                DurableFiles.setMode(step.path.host(), directory.mode());
                faults.at("after setting a directory's mode");
            }
        }

        private void stage(AppliedStep step) throws IOException {
            faults.at("before preparing a link");
            Files.deleteIfExists(step.fresh);
            Files.deleteIfExists(step.kept);
            if (!step.change.removes()) {
                make(step.fresh, step.change.after());
                faults.at("after making a new link");
            }
            if (!(step.change.before() instanceof PathState.Absent)) {
                keep(step);
                faults.at("after keeping an old link");
            }
        }

        private void keep(AppliedStep step) throws IOException {
            try {
                Files.createLink(step.kept, step.path.host());
            } catch (IOException | UnsupportedOperationException e) {
                make(step.kept, step.change.before());
            }
        }

        private void make(Path path, PathState state) throws IOException {
            if (state instanceof PathState.Link link) {
                Files.createSymbolicLink(path, Path.of(link.target()));
            } else if (state instanceof PathState.File file) {
                directory.write(file, path);
            }
        }

        private static boolean isMade(Path path, PathState state) throws IOException {
            return state instanceof PathState.File file
                    ? Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                            && DurableFiles.digest(path).equals(file.sha256())
                    : Files.isSymbolicLink(path);
        }

        void commit() throws IOException {
            for (AppliedStep step : steps) {
                if (!step.change.isDirectory() && isPending(step)) {
                    faults.at("before changing a link");
                    put(step.path, step.change.after(), step.fresh);
                    faults.at("after changing a link");
                }
            }
            sync();
        }

        /**
         * Deletes the path, or renames the staged link or file into place. If the staged file is missing or damaged
         * after an interruption, creates it again.
         */
        private void put(ManagedPath path, PathState state, Path prepared) throws IOException {
            if (state instanceof PathState.Absent) {
                Files.delete(path.host());
                return;
            }
            if (!isMade(prepared, state)) {
                Files.deleteIfExists(prepared);
                make(prepared, state);
            }
            Files.move(prepared, path.host(), StandardCopyOption.ATOMIC_MOVE);
        }

        /**
         * Removes the temporary files, and the directories that the transaction removes. A directory that is not empty
         * stays.
         */
        void finish() throws IOException {
            removeTemporaries();
            for (int i = steps.size() - 1; i >= 0; i--) {
                if (isDirectory(steps.get(i)) && steps.get(i).change.removes()) {
                    removeDirectory(steps.get(i));
                }
            }
            sync();
        }

        void takeBack() throws IOException {
            for (AppliedStep step : steps) {
                if (step.change.before() instanceof PathState.Directory directory && isTouchable(step)) {
                    makeDirectory(step, directory);
                }
            }
            for (AppliedStep step : steps) {
                if (!step.change.isDirectory() && isTouchable(step) && isDone(step)) {
                    faults.at("before taking back a link");
                    put(step.path, step.change.before(), step.kept);
                    faults.at("after taking back a link");
                }
            }
            removeTemporaries();
            for (int i = steps.size() - 1; i >= 0; i--) {
                if (isDirectory(steps.get(i)) && !steps.get(i).change.removes()) {
                    removeDirectory(steps.get(i));
                }
            }
            sync();
        }

        private void removeTemporaries() throws IOException {
            for (AppliedStep step : steps) {
                if (!step.change.isDirectory() && isWayOpen(step)) {
                    Files.deleteIfExists(step.fresh);
                    faults.at("after removing a temporary link");
                    Files.deleteIfExists(step.kept);
                }
            }
        }

        private static boolean isWayOpen(AppliedStep step) {
            for (ManagedPath directory : step.path.parents()) {
                if (!Files.isDirectory(directory.host(), LinkOption.NOFOLLOW_LINKS)) {
                    return false;
                }
            }
            return true;
        }

        private void removeDirectory(AppliedStep step) throws IOException {
            if (!isWayOpen(step) || !(step.path.state() instanceof PathState.Directory)) {
                return;
            }
            faults.at("before removing a directory");
            try {
                Files.delete(step.path.host());
            } catch (DirectoryNotEmptyException e) {
                return;
            }
            faults.at("after removing a directory");
        }

        private boolean isPending(AppliedStep step) throws IOException {
            return is(step, step.change.before(), step.change.after());
        }

        private boolean isDone(AppliedStep step) throws IOException {
            return is(step, step.change.after(), step.change.before());
        }

        /**
         * Returns false, and notes a conflict, if another process replaced a directory above the path by a link or a
         * file.
         */
        private boolean isTouchable(AppliedStep step) {
            try {
                step.path.checkWay();
                return true;
            } catch (IOException e) {
                conflicts.add(IoReason.of(e));
                return false;
            }
        }

        /**
         * Returns whether the path has the state {@code from}. Any state other than {@code from} and {@code to} is
         * recorded as a conflict.
         */
        private boolean is(AppliedStep step, PathState from, PathState to) throws IOException {
            PathState state = step.path.state();
            if (state.equals(from)) {
                return true;
            }
            if (!state.equals(to)) {
                conflicts.add(step.path.text() + " was changed by somebody else");
            }
            return false;
        }

        private static boolean isDirectory(AppliedStep step) {
            return step.change.isDirectory();
        }

        private void sync() throws IOException {
            Set<Path> directories = new TreeSet<>();
            for (AppliedStep step : steps) {
                Path parent = step.path.directory();
                if (Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)) {
                    directories.add(parent);
                }
            }
            for (Path directory : directories) {
                faults.at("before fsync of a directory");
                DurableFiles.syncDirectory(directory);
            }
        }
    }
}
