package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Manifest.RunState;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Executes a prepared rebuild as one run. The run holds the lock of the kernel's rebuilds. */
public final class RebuildRun {
    private final PreparedRebuild prepared;
    private final RunDirectory run;
    private final RunListener listener;
    private final RunRecord record;
    private boolean cancelled;

    public RebuildRun(PreparedRebuild prepared, RunListener listener, String version) {
        this.prepared = prepared;
        this.run = prepared.run();
        this.listener = listener;
        this.record = new RunRecord(prepared, version);
    }

    /**
     * Executes the run.
     *
     * @param limit the time limit of each program of the build
     * @return null if another rebuild is running for the kernel
     * @throws IOException if the run's directories cannot be created or written
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
                // The listener must be called before the guard lets the process end.
                cancelled = true;
                listener.cancelled(run.host());
            }
            return outcome;
        }
    }

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
        // A file system may store whole seconds only, so new files may look up to a second older.
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
            listener.phase("checking the results");
            files = examination.collect(ended, since);
            failure = examination.failure();
        }
        Manifest manifest = record.ended(RunState.UNJUDGED, ended, installed, files, image);
        if (failure == null) {
            // From here on, the result of an interrupted run can be judged without another build.
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

    private static RunState state(BuildExecution.Ended ended, @Nullable Diagnosis failure) {
        if (ended.cancelled()) {
            return RunState.CANCELLED;
        }
        if (failure != null) {
            return RunState.FAILED;
        }
        return ended.ending() == BuildStatus.ALREADY_THERE ? RunState.ALREADY_THERE : RunState.BUILT;
    }

    /**
     * A guard that runs an action when a signal ends the process (SIGINT, SIGTERM, SIGHUP), and gives the program time
     * to clean up.
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

        @Override
        public void close() {
            cleaned.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process is already ending.
            }
        }
    }

    /**
     * The runs that ended without cleaning up, for example after SIGKILL or a power failure. Their lock is free, but
     * their processes may still run, and their files remain.
     */
    private record AbandonedRuns(Root root, String kernel, RunDirectory next) {
        private static final long GRACE_MILLIS = 5_000;
        private static final int LIMIT = 64 << 20;
        private static final String UNJUDGED = "\"state\":\"unjudged\"";
        private static final String RUNNING = "\"state\":\"running\"";
        private static final Pattern MANIFEST = Pattern.compile("manifest\\.json");

        /**
         * Ends the processes of abandoned runs and removes their files, except records, logs, and the results of builds
         * that ended successfully. The caller must hold the lock.
         */
        void clear(RunListener listener) throws IOException {
            for (Path run : RunDirectory.newestFirst(root, kernel)) {
                Path manifest = run.resolve("manifest.json");
                DurableFiles.removeDrafts(run, MANIFEST, Duration.ZERO);
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

        /**
         * Deletes the work directory of an abandoned run if the directory is outside of the run's own directory.
         * Searches only next to the new run's work directory, where the abandoned run most likely worked.
         */
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

    /** A listener for the progress of a rebuild. The lines contain no control sequences. */
    public interface RunListener {
        default void begun(Path directory) {}

        default void abandoned(Path directory) {}

        /** Reports an earlier run that was interrupted after its build. The result can still be installed. */
        default void unjudged(Path directory) {}

        default void cancelled(Path directory) {}

        default void phase(String what) {}

        default void line(String text) {}
    }
}
