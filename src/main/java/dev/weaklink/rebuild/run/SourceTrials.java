package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Checker;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.loader.Outcome;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Trial builds of one driver, given as a source directory, for many kernels. No result is kept. */
public final class SourceTrials {
    private static final int AT_ONCE = 2;

    private final RunListener listener;
    private final Duration limit;
    private final Map<String, String> environment;
    private final int threads;

    /**
     * Prepares trials.
     *
     * @param limit the longest time that a build may take
     * @param threads number of threads for checks, at least 1
     */
    public SourceTrials(RunListener listener, Duration limit, Map<String, String> environment, int threads) {
        this.listener = listener;
        this.limit = limit;
        this.environment = environment;
        this.threads = threads;
    }

    /**
     * The result for one kernel.
     *
     * @param serves the releases of other requested kernels on which this build would load
     */
    public record SourceTrial(Trial trial, List<String> serves) {
        public SourceTrial {
            serves = List.copyOf(serves);
        }
    }

    /**
     * Builds the driver for each kernel, two builds at a time. If a kernel would load its build, checks whether the
     * other kernels would load this build, too.
     *
     * @param source a directory with dkms.conf, or with a Makefile or Kbuild for the kernel's build system
     * @param kernels for each kernel a release, a headers directory, or the package files of its headers
     * @return one result for each kernel, in the same order
     * @throws NotDoneException if nothing could be tried at all; the message says why
     */
    public List<SourceTrial> run(Path source, List<List<String>> kernels) throws IOException, NotDoneException {
        Root root = Root.of(null);
        Path place = root.resolve(KeptTrials.PLACE);
        DurableFiles.createDirectories(place);
        LockFile lock = TrialRun.lock(root);
        Path scratch = place.resolve(TrialRun.PREFIX + UUID.randomUUID());
        try (lock) {
            TrialRun.removeAbandoned(place);
            TrialRun.makeSearchable(scratch);
            Path sources = TrialRun.makeSearchable(scratch.resolve("sources"));
            String label = DriverSource.copy(source, sources);
            TrialRun trials = new TrialRun(listener, limit, environment, 1, false, sources);
            return judged(built(trials, label, kernels, scratch, lock));
        } finally {
            DurableFiles.deleteTree(scratch);
        }
    }

    private static List<TrialRun.Built> built(
            TrialRun trials, String label, List<List<String>> kernels, Path scratch, LockFile lock) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<TrialRun.Built>> started = new ArrayList<>();
            for (List<String> kernel : kernels) {
                Path directory = scratch.resolve("kernel-" + started.size());
                started.add(pool.submit(() -> trials.build(kernel, label, directory, lock)));
            }
            List<TrialRun.Built> built = new ArrayList<>();
            for (Future<TrialRun.Built> one : started) {
                built.add(one.get());
            }
            return built;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } finally {
            pool.shutdownNow();
        }
    }

    private List<SourceTrial> judged(List<TrialRun.Built> all) {
        List<SourceTrial> trials = new ArrayList<>();
        for (TrialRun.Built one : all) {
            List<String> serves = new ArrayList<>();
            for (TrialRun.Built other : all) {
                boolean isOther = other != one && !other.subject().isEmpty();
                if (isOther && one.trial().result() == TrialResult.LOADS && loads(one.modules(), other.subject())) {
                    serves.add(other.trial().kernel());
                }
            }
            trials.add(new SourceTrial(one.trial(), serves));
        }
        return trials;
    }

    private boolean loads(List<Path> modules, String subject) {
        CheckReport report = Checker.check(
                new CheckRequest(
                        null,
                        modules.stream().map(Path::toString).toList(),
                        List.of(subject),
                        null,
                        false,
                        Map.of(),
                        List.of(),
                        ReadOptions.uncached(threads),
                        InputStream.nullInputStream()),
                Progress.NONE);
        return report.verdicts().size() == modules.size()
                && report.verdicts().stream().allMatch(verdict -> verdict.outcome() == Outcome.COMPATIBLE);
    }
}
