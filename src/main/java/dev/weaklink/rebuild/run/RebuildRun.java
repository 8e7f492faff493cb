package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Manifest.State;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Carries a prepared rebuild out: one run, with the kernel's rebuilds locked for others. */
public final class RebuildRun {
    private final PreparedRebuild prepared;
    private final RunDirectory run;
    private final RunListener listener;
    private final RunRecord record;
    private boolean cancelled;

    /**
     * A run.
     *
     * @param version of this program, for the record
     */
    public RebuildRun(PreparedRebuild prepared, RunListener listener, String version) {
        this.prepared = prepared;
        this.run = prepared.run();
        this.listener = listener;
        this.record = new RunRecord(prepared, version);
    }

    /**
     * Runs it to its end.
     *
     * @param limit how long it may take
     * @return null if another rebuild is running for that kernel
     * @throws IOException if its directories cannot be made or written
     */
    public @Nullable RebuildOutcome run(Duration limit) throws IOException {
        LockFile lock =
                Installation.lock(prepared.root(), prepared.job().place().kernel());
        if (lock == null) {
            return null;
        }
        Supervisor supervisor = new Supervisor(run.host().toString(), limit);
        try (lock;
                ShutdownGuard guard = new ShutdownGuard(() -> end(supervisor))) {
            new AbandonedRuns(prepared.root(), prepared.job().place().kernel(), run).clear(listener);
            RebuildOutcome outcome = locked(supervisor);
            if (supervisor.isCancelled()) {
                // Said before the guard lets the process end.
                cancelled = true;
                listener.cancelled(run.host());
            }
            return outcome;
        }
    }

    /** Returns whether a signal ended the run. */
    boolean isCancelled() {
        return cancelled;
    }

    private void end(Supervisor supervisor) {
        listener.phase("signal received: stopping the build");
        supervisor.cancel();
    }

    private RebuildOutcome locked(Supervisor supervisor) throws IOException {
        run.make();
        listener.begun(run.host());
        List<BuiltModule> installed =
                Inventory.installed(prepared.root(), prepared.request().jobs());
        record.write(record.running(installed));
        try {
            return build(supervisor, installed);
        } finally {
            DurableFiles.deleteTree(run.work());
        }
    }

    private RebuildOutcome build(Supervisor supervisor, List<BuiltModule> installed) throws IOException {
        // File systems may keep whole seconds only.
        Instant since = Instant.now().minusSeconds(1);
        BuildExecution execution = new BuildExecution(prepared, listener);
        BuildExecution.Ended ended =
                execution.run(supervisor, prepared.request().environment());
        execution.keepLogs(since);
        List<String> built = PackageResult.built(ended.packages());
        Job job = built.isEmpty() ? prepared.job() : prepared.job().with(built);
        ResultExamination examination = new ResultExamination(prepared, job);
        Diagnosis failure = ended.diagnosis();
        List<Path> files = List.of();
        List<String> image = examination.imagePackages();
        if (failure == null) {
            listener.phase("looking at what was built");
            files = examination.collect(ended, since);
            failure = examination.failure();
        }
        Manifest manifest = record.ended(State.UNJUDGED, ended, installed, files, image);
        if (failure == null) {
            // Broken off from here on, it can be judged without building again.
            record.write(manifest);
            DurableFiles.deleteTree(run.work());
            examination.judge(files, image, RunRecord.subject(job), installed);
            failure = examination.failure();
        }
        manifest = manifest.refusing(examination.refused())
                .judged(state(ended, failure), installed, examination.built(), failure);
        KeptRun.conclude(run, manifest);
        return new RebuildOutcome(run.host(), manifest, examination.results());
    }

    private static State state(BuildExecution.Ended ended, @Nullable Diagnosis failure) {
        if (ended.cancelled()) {
            return State.CANCELLED;
        }
        if (failure != null) {
            return State.FAILED;
        }
        return ended.ending() == BuildStatus.ALREADY_THERE ? State.ALREADY_THERE : State.BUILT;
    }

    /**
     * Has something done before this process ends by a signal (SIGINT, SIGTERM, SIGHUP), and gives the rest of the
     * program time to clean up.
     */
    private static final class ShutdownGuard implements AutoCloseable {
        private static final long CLEANING_SECONDS = 30;

        private final CountDownLatch cleaned = new CountDownLatch(1);
        private final Thread hook;

        ShutdownGuard(Runnable first) {
            hook = new Thread(
                    () -> {
                        first.run();
                        await();
                    },
                    "end of a build");
            Runtime.getRuntime().addShutdownHook(hook);
        }

        private void await() {
            try {
                if (!cleaned.await(CLEANING_SECONDS, TimeUnit.SECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** All is clean: the process may end. */
        @Override
        public void close() {
            cleaned.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // It is ending already.
            }
        }
    }

    /**
     * Runs that were broken off without a chance to clean up, as by SIGKILL or a power failure. Their lock is free, but
     * processes of theirs may still be at work, and what they made lies about.
     */
    private record AbandonedRuns(Root root, String kernel, RunDirectory next) {
        private static final long GRACE_MILLIS = 5_000;
        private static final int LIMIT = 64 << 20;
        private static final String UNJUDGED = "\"state\":\"unjudged\"";
        private static final String RUNNING = "\"state\":\"running\"";

        /** Ends and removes what they left; their logs stay. To be called with the lock held. */
        void clear(RunListener listener) throws IOException {
            for (Path run : RunDirectory.newestFirst(root, kernel)) {
                Path manifest = run.resolve("manifest.json");
                boolean isFile = Files.isRegularFile(manifest, LinkOption.NOFOLLOW_LINKS);
                String text = isFile ? RootText.read(manifest, LIMIT) : "";
                if (text.contains(UNJUDGED)) {
                    DurableFiles.deleteTree(run.resolve("work"));
                    DurableFiles.deleteTree(run.resolve("modules"));
                    listener.unjudged(run);
                }
                if (text.contains(RUNNING)) {
                    new ProcessGroup(Supervisor.MARK + "=" + run).end(GRACE_MILLIS);
                    DurableFiles.deleteTree(run.resolve("work"));
                    DurableFiles.deleteTree(run.resolve("modules"));
                    DurableFiles.deleteTree(run.resolve("results"));
                    deleteElsewhere(String.valueOf(run.getFileName()));
                    String abandoned = text.replace(RUNNING, "\"state\":\"abandoned\"");
                    DurableFiles.replace(manifest, abandoned.getBytes(StandardCharsets.UTF_8));
                    listener.abandoned(run);
                }
            }
        }

        /** A run that worked elsewhere did so where this one will, most likely. */
        private void deleteElsewhere(String number) throws IOException {
            if (next.work().startsWith(next.host())) {
                return;
            }
            Ownership ours = Ownership.ofProcess();
            Path above = next.work().resolveSibling("");
            for (String name : RootText.names(above)) {
                Path work = above.resolve(name);
                if (name.startsWith(RunDirectory.prefix(kernel, number))
                        && ours.isOurs(FileStatus.of(work, LinkOption.NOFOLLOW_LINKS))) {
                    DurableFiles.deleteTree(work);
                }
            }
        }
    }

    /** Follows a rebuild. Lines are without what is meant for a terminal. */
    public interface RunListener {
        /** A run begins; all about it is kept there. */
        default void begun(Path directory) {}

        /** An earlier run was broken off; what it left behind is gone now. */
        default void abandoned(Path directory) {}

        /** An earlier run was broken off when it had built; what it built can be installed. */
        default void unjudged(Path directory) {}

        /** It was ended by a signal; what it left is cleared away. */
        default void cancelled(Path directory) {}

        /** The next part of the work begins. */
        default void phase(String what) {}

        /** The build printed a line. */
        default void line(String text) {}
    }
}
