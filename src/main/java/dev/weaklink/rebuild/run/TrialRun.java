package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.DkmsTrial;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds DKMS packages for one kernel without installing anything, and checks whether the kernel would load the
 * modules. Keeps the results, except for a package from a source directory that the user names. Each run builds in its
 * own directory, which is removed afterwards.
 */
public final class TrialRun {
    static final String PREFIX = "run-";
    static final FileAttribute<?> PRIVATE = permissions("rwx------");
    private static final long GRACE_MILLIS = 2_000;

    private final Root root;
    private final KeptTrials kept;
    private final RunListener listener;
    private final Duration limit;
    private final Map<String, String> environment;
    private final int threads;
    private final boolean keepsBuilds;
    private final @Nullable Path sources;

    /**
     * Prepares trials of DKMS packages that are installed on the running system.
     *
     * @param limit the longest time that a build may take
     * @param threads number of threads for checks, at least 1
     * @throws NotDoneException if weaklink.conf is invalid
     */
    public TrialRun(RunListener listener, Duration limit, Map<String, String> environment, int threads)
            throws IOException, NotDoneException {
        this(
                listener,
                limit,
                environment,
                threads,
                SiteSettings.read(Root.of(null), environment).keepsBuilds(),
                null);
    }

    /**
     * Prepares trials on the running system.
     *
     * @param keepsBuilds whether the modules are kept, too
     * @param sources the directory with the sources to build, whose results are not kept; null to build installed
     *     packages
     */
    TrialRun(
            RunListener listener,
            Duration limit,
            Map<String, String> environment,
            int threads,
            boolean keepsBuilds,
            @Nullable Path sources)
            throws IOException {
        this.keepsBuilds = keepsBuilds;
        this.sources = sources;
        this.root = Root.of(null);
        this.kept = new KeptTrials(root);
        this.listener = listener;
        this.limit = limit;
        this.environment = environment;
        this.threads = threads;
    }

    private static FileAttribute<?> permissions(String symbolic) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(symbolic));
    }

    /**
     * Builds packages for one kernel, each package after the packages that it needs.
     *
     * @param kernel a release, a headers directory, or package files that together are the headers of one kernel
     * @param products DKMS packages as {@code NAME/VERSION} or {@code NAME}; empty for all packages that DKMS builds
     *     automatically
     * @return one result for each package and each package that DKMS must build before it, in the order of the builds
     * @throws NotDoneException if nothing could be tried at all; the message says why
     * @throws IOException if the trial's own directory cannot be made or written
     */
    public List<Trial> run(List<String> kernel, List<String> products) throws IOException, NotDoneException {
        return run((scratch, isolation) -> headers().find(kernel, scratch, isolation), products, null);
    }

    /**
     * Builds packages for a kernel that is not installed but that a repository offers, with the headers from the
     * repository.
     *
     * @param labels DKMS packages as {@code NAME/VERSION}
     * @return one result for each package and, if anything could be tried, for each package that DKMS must build before
     *     it, in the order of the builds
     * @throws NotDoneException if another trial is running
     * @throws IOException if the trial's own directory cannot be made or written
     */
    public List<Trial> run(OfferedKernel kernel, List<String> labels) throws IOException, NotDoneException {
        return run((scratch, isolation) -> headers().fetch(kernel, scratch, isolation), labels, kernel);
    }

    /**
     * Builds an offered newer source of a package for an offered kernel. Keeps the result unless a signal ends the run.
     *
     * @param label the installed DKMS package as {@code NAME/VERSION}
     * @param source the offered package that contains the newer source
     * @throws NotDoneException if another trial is running
     * @throws IOException if the trial's own directory cannot be made or written
     */
    public Trial run(OfferedKernel kernel, String label, OfferedPackage source) throws IOException, NotDoneException {
        Path place = root.resolve(KeptTrials.PLACE);
        DurableFiles.createDirectories(place);
        LockFile lock = lock(root);
        Path scratch = place.resolve(PREFIX + UUID.randomUUID());
        try (lock) {
            removeAbandoned(place);
            makeSearchable(scratch);
            Path directory = makeSearchable(scratch.resolve("sources"));
            listener.phase("fetching " + source.name() + "=" + source.version());
            try {
                String newer = new OfferedSource(environment).fetch(source, label, scratch, directory);
                TrialRun trials = new TrialRun(listener, limit, environment, threads, false, directory);
                HeadersSource headers = (build, isolation) -> headers().fetch(kernel, build, isolation);
                Built built = trials.build(headers, kernel.release(), newer, scratch.resolve("kernel"), lock);
                Trial trial = built.trial();
                Trial result = trial.withOffer(TrialInputs.offer(kernel, source), trial.source());
                if (!built.isCancelled()) {
                    kept.keep(result);
                }
                return result;
            } catch (NotDoneException e) {
                String reason = String.valueOf(e.getMessage());
                String offer = TrialInputs.offer(kernel, source);
                Trial trial = new Trial(
                        label, kernel.release(), TrialResult.NOT_TRIED, reason, "", List.of(), now(), "", offer, "");
                kept.keep(trial);
                return trial;
            }
        } finally {
            DurableFiles.deleteTree(scratch);
        }
    }

    private TrialHeaders headers() {
        return new TrialHeaders(root, environment, listener);
    }

    private interface HeadersSource {
        TrialKernel find(Path scratch, Isolation isolation) throws IOException, NotDoneException;
    }

    /**
     * Runs the trials of one kernel. If nothing can be tried for an offered kernel, that failure is kept as each
     * package's result, so that the kernel no longer waits for trials.
     *
     * @param offered the offered kernel; null if the caller names the kernel or its headers in another way
     */
    private List<Trial> run(HeadersSource headers, List<String> products, @Nullable OfferedKernel offered)
            throws IOException, NotDoneException {
        Path place = root.resolve(KeptTrials.PLACE);
        DurableFiles.createDirectories(place);
        LockFile lock = lock(root);
        Path scratch = place.resolve(PREFIX + UUID.randomUUID());
        Supervisor supervisor = new Supervisor(scratch.toString(), limit, new TrialDisk(scratch));
        Thread hook = new Thread(supervisor::cancel, "end of a trial");
        try (lock) {
            removeAbandoned(place);
            makeSearchable(scratch);
            Runtime.getRuntime().addShutdownHook(hook);
            Isolation isolation = Isolation.probe();
            try {
                TrialKernel target = headers.find(scratch, isolation);
                return run(target, products, scratch, isolation, new Builder(supervisor, lock));
            } catch (NotDoneException e) {
                if (offered == null) {
                    throw e;
                }
                return notTried(offered, products, String.valueOf(e.getMessage()));
            }
        } finally {
            new ProcessGroup(Supervisor.MARK + "=" + scratch).end(0);
            DurableFiles.deleteTree(scratch);
            release(hook);
        }
    }

    /**
     * Acquires the lock of trial builds.
     *
     * @throws NotDoneException if another trial build is running
     */
    static LockFile lock(Root root) throws IOException, NotDoneException {
        LockFile lock =
                LockFile.acquire(root.resolve(KeptTrials.LOCK), "weaklink rebuild --try", Duration.ZERO, holder -> {});
        if (lock == null) {
            throw new NotDoneException(
                    "another trial build is running (see 'weaklink rebuild --try --status'); try again when it has"
                            + " ended");
        }
        return lock;
    }

    static void release(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending already.
        }
    }

    /** Creates a directory that other users can search (x), regardless of the umask. */
    static Path makeSearchable(Path directory) throws IOException {
        Files.createDirectory(directory, PRIVATE);
        DurableFiles.setMode(directory, 0711);
        return directory;
    }

    static void removeAbandoned(Path place) throws IOException {
        for (String name : RootText.names(place)) {
            if (name.startsWith(PREFIX)) {
                Path left = place.resolve(name);
                new ProcessGroup(Supervisor.MARK + "=" + left).end(GRACE_MILLIS);
                DurableFiles.deleteTree(left);
            }
        }
    }

    private List<Trial> notTried(OfferedKernel kernel, List<String> labels, String reason) throws IOException {
        List<Trial> trials = new ArrayList<>();
        for (String label : labels) {
            Trial trial = new Trial(
                    label,
                    kernel.release(),
                    TrialResult.NOT_TRIED,
                    reason,
                    "",
                    List.of(),
                    now(),
                    "",
                    kernel.key(),
                    source(label));
            kept.keep(trial);
            trials.add(trial);
        }
        return trials;
    }

    /** Returns the digest of the source and the compiler; empty if the source cannot be read. */
    private String source(String label) {
        try {
            return TrialInputs.source(label, directory(label));
        } catch (IOException e) {
            return "";
        }
    }

    static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private List<Trial> run(
            TrialKernel target, List<String> products, Path scratch, Isolation isolation, Builder builder)
            throws IOException, NotDoneException {
        List<Trial> trials = new ArrayList<>();
        PackageBuilds builds = builds(target, products, scratch, isolation, builder);
        for (String label : builds.prepared.job().packages()) {
            Trial trial = builds.build(label);
            boolean counts = !trial.inputs().isEmpty() || !trial.offer().isEmpty();
            if (counts && !builder.supervisor().isCancelled()) {
                kept.keep(trial);
                if (keepsBuilds && isolation.canOverlay() && trial.result() == TrialResult.LOADS) {
                    keepModules(trial, target, builds);
                }
            }
            trials.add(trial);
        }
        return trials;
    }

    /** Keeps the built modules, unless the inputs have changed meanwhile. */
    private void keepModules(Trial trial, TrialKernel target, PackageBuilds builds) {
        String label = trial.product();
        try {
            if (builds.inputs(label).equals(trial.inputs())) {
                KeptBuilds modules = new KeptBuilds(root);
                Path results = builds.prepared.run().results().resolve(label);
                modules.keep(
                        modules.key(label, target.release(), directory(label), target.buildTree(), builds.top()),
                        RootText.names(results).stream()
                                .sorted()
                                .map(results::resolve)
                                .toList());
            }
        } catch (IOException e) {
            listener.phase(label + ": the modules of the trial build cannot be stored: " + e.getMessage());
        }
    }

    /**
     * A build from a source directory.
     *
     * @param subject the kernel, as in {@link TrialKernel#subject}; empty if nothing could be tried
     * @param modules the modules that were built
     * @param isCancelled whether weaklink was asked to end during the build
     */
    record Built(Trial trial, String subject, List<Path> modules, boolean isCancelled) {}

    Built build(List<String> kernel, String label, Path scratch, LockFile lock) throws IOException {
        String name = String.valueOf(Path.of(kernel.get(0)).getFileName());
        return build(
                (directory, isolation) -> headers().find(kernel, directory, isolation), name, label, scratch, lock);
    }

    private Built build(HeadersSource headers, String name, String label, Path scratch, LockFile lock)
            throws IOException {
        Supervisor supervisor = new Supervisor(scratch.toString(), limit, new TrialDisk(scratch));
        Thread hook = new Thread(supervisor::cancel, "end of a trial");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            makeSearchable(scratch);
            Isolation isolation = Isolation.probe();
            TrialKernel target = headers.find(scratch, isolation);
            PackageBuilds builds = builds(target, List.of(label), scratch, isolation, new Builder(supervisor, lock));
            Trial trial = builds.build(label);
            return new Built(trial, target.subject(), List.copyOf(builds.modules), supervisor.isCancelled());
        } catch (NotDoneException | IOException e) {
            // The builds for other kernels go on.
            String reason = e instanceof IOException io ? IoReason.of(io) : String.valueOf(e.getMessage());
            Trial trial = new Trial(label, name, TrialResult.NOT_TRIED, reason, "", List.of(), now(), "", "", "");
            return new Built(trial, "", List.of(), supervisor.isCancelled());
        } finally {
            new ProcessGroup(Supervisor.MARK + "=" + scratch).end(0);
            release(hook);
        }
    }

    private PackageBuilds builds(
            TrialKernel target, List<String> products, Path scratch, Isolation isolation, Builder builder)
            throws IOException, NotDoneException {
        RunDirectory run = new RunDirectory(scratch, scratch.resolve("work"));
        Files.createDirectory(run.work(), PRIVATE);
        Files.createDirectory(run.work().resolve("dkms"));
        isolation.give(run.work().resolve("dkms"));
        isolation.give(run.work());
        PreparedRebuild prepared = prepared(target, products, run, isolation);
        return new PackageBuilds(target, prepared, builder);
    }

    private Path directory(String label) throws IOException {
        return sources == null ? kept.source(label) : sources.resolve(label.replace('/', '-'));
    }

    private PreparedRebuild prepared(TrialKernel target, List<String> products, RunDirectory run, Isolation isolation)
            throws IOException, NotDoneException {
        List<String> labels = new ArrayList<>();
        for (String product : sources == null ? products : List.<String>of()) {
            labels.addAll(Preparation.prepare(request(target, product, List.of(), run))
                    .job()
                    .packages());
        }
        labels.addAll(sources == null ? List.of() : products);
        PreparedRebuild real = Preparation.prepare(request(target, null, labels, run));
        if (!real.backend().id().equals("dkms")) {
            throw new NotDoneException(CommandTrials.advice(real.backend().id(), target.release(), product(products)));
        }
        Job job = real.job();
        Job.BuildPlace place = new Job.BuildPlace(
                target.release(), target.buildTree().toString(), run.work().toString(), null);
        Job ours = new Job(place, job.settings(), null, job.packages(), job.own(), job.needs());
        DkmsTrial backend = new DkmsTrial(
                real.backend(),
                isolation.prefix(run.work(), target.overlay()),
                sources == null ? "/usr/src" : sources.toString(),
                isolation.canOverlay() ? "" : target.buildTree().toString());
        List<Obstacle> obstacles = new ArrayList<>(real.obstacles());
        obstacles.removeIf(one -> Set.of("not-root", "lock", "signing").contains(one.id()));
        obstacles.replaceAll(one -> one.id().equals("space") ? withoutWork(one, job) : one);
        return new PreparedRebuild(
                real.request(),
                root,
                real.evidence(),
                backend,
                real.reason(),
                ours,
                backend.steps(ours),
                obstacles,
                run);
    }

    /**
     * Returns the obstacle with a message that names the directory of all trials. The work directory no longer exists
     * when the message is read. The remedy therefore omits {@code --work}.
     */
    private static Obstacle withoutWork(Obstacle space, Job job) {
        String message = space.message().replace(job.place().work(), KeptTrials.PLACE);
        return new Obstacle(space.weight(), space.id(), message, "make room");
    }

    private static String product(List<String> products) {
        return products.isEmpty() ? "" : products.get(0);
    }

    private RebuildRequest request(
            TrialKernel target, @Nullable String product, List<String> labels, RunDirectory run) {
        return new RebuildRequest(
                null,
                target.release(),
                product,
                null,
                product == null ? "dkms" : null,
                labels,
                target.buildTree(),
                run.work(),
                new Job.Settings(null, true, false),
                RebuildHint.SiteCommand.NONE,
                List.of(),
                environment,
                threads);
    }

    private record Lines(RunListener listener) implements RunListener {
        @Override
        public void line(String text) {
            listener.line(text);
        }
    }

    private record Builder(Supervisor supervisor, LockFile lock) {}

    /** The builds of one run. Later packages may need modules of earlier packages. */
    private final class PackageBuilds {
        private final TrialKernel target;
        private final PreparedRebuild prepared;
        private final Builder builder;
        private final Map<String, Trial> done = new HashMap<>();
        private final List<Path> modules = new ArrayList<>();
        private String source = "";

        PackageBuilds(TrialKernel target, PreparedRebuild prepared, Builder builder) {
            this.target = target;
            this.prepared = prepared;
            this.builder = builder;
        }

        Trial build(String label) throws IOException {
            Trial trial = tried(label);
            done.put(label, trial);
            return trial;
        }

        private Trial tried(String label) throws IOException {
            String inputs = inputs(label);
            source = source(label);
            for (Obstacle one : prepared.obstacles()) {
                if (one.weight() == Obstacle.Weight.BLOCKS) {
                    String remedy = one.remedy();
                    return trial(label, TrialResult.NOT_TRIED, one.message(), remedy == null ? "" : remedy, "");
                }
            }
            if (!Files.isRegularFile(directory(label).resolve("dkms.conf"))) {
                String missing = directory(label) + ": no source of " + label;
                return trial(label, TrialResult.NOT_TRIED, missing, "", "");
            }
            for (String needed : prepared.job().needs().getOrDefault(label, List.of())) {
                Trial before = done.get(needed);
                if (before == null || before.modules().isEmpty()) {
                    String why = before == null
                            ? "DKMS does not have it"
                            : before.result().words();
                    return trial(label, TrialResult.NOT_TRIED, "needs " + needed + ": " + why, "", "");
                }
            }
            listener.phase("trying " + label + " on " + target.release());
            builder.lock().sign("trying " + label + " on " + target.release());
            Instant since = Instant.now().minusSeconds(1);
            BuildExecution.Ended ended =
                    new BuildExecution(only(label), new Lines(listener)).run(builder.supervisor(), searchPath());
            Diagnosis failure = ended.diagnosis();
            if (failure != null) {
                return trial(label, TrialJudge.failed(failure, limit, directory(label), directories(label)), inputs);
            }
            List<Path> built = files(label, ended, since);
            modules.addAll(built);
            return trial(label, new TrialJudge(target, threads).judged(built, modules), inputs);
        }

        /**
         * Returns the digest of the inputs of a build. Returns an empty string if the digest cannot be computed; the
         * result is then kept only for an offered kernel.
         */
        private String inputs(String label) {
            try {
                return TrialInputs.digest(label, target.release(), directory(label), target.buildTree(), top());
            } catch (IOException e) {
                return "";
            }
        }

        /** Returns the directory in which the headers are below usr/src. */
        Path top() {
            Path overlay = target.overlay();
            return overlay == null ? root.top() : overlay;
        }

        /** Returns PATH, the only variable that a build inherits from weaklink's environment. */
        private Map<String, String> searchPath() {
            return Map.of("PATH", environment.getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
        }

        private PreparedRebuild only(String label) {
            Job job = prepared.job().with(List.of(label));
            return new PreparedRebuild(
                    prepared.request(),
                    prepared.root(),
                    prepared.evidence(),
                    prepared.backend(),
                    prepared.reason(),
                    job,
                    prepared.steps().stream()
                            .filter(step -> step.subject().equals(label))
                            .toList(),
                    prepared.obstacles(),
                    prepared.run());
        }

        /** Copies the modules to a directory in which the build's user cannot change them. */
        private List<Path> files(String label, BuildExecution.Ended ended, Instant since) throws IOException {
            List<Path> copies = new ArrayList<>();
            try {
                ResultSearch search = new ResultSearch(prepared.run().work(), since, Ownership.ofProcess());
                for (Path file :
                        search.find(prepared.backend().expected(prepared.job().with(List.of(label))), ended.lines())) {
                    Path copy = prepared.run().results().resolve(label).resolve(String.valueOf(file.getFileName()));
                    Files.createDirectories(copy.resolveSibling("."));
                    if (!Files.exists(copy, LinkOption.NOFOLLOW_LINKS)) {
                        DurableFiles.copy(file, copy);
                        copies.add(copy);
                    }
                }
            } catch (NotDoneException e) {
                throw new IOException(e.getMessage(), e);
            }
            return copies;
        }

        private List<String> directories(String label) {
            List<String> directories = new ArrayList<>();
            directories.add(prepared.run().work() + "/dkms/" + label + "/build/");
            directories.add(prepared.run().work() + "/");
            Path overlay = target.overlay();
            if (overlay != null) {
                directories.add(overlay.toString());
            }
            return directories;
        }

        private Trial trial(String label, TrialJudge.BuildJudgment answer, String inputs) {
            String digest = answer.result() == TrialResult.NOT_TRIED ? "" : inputs;
            return trial(label, answer.result(), answer.line(), answer.next(), digest)
                    .with(answer.modules());
        }

        private Trial trial(String label, TrialResult result, String line, String next, String inputs) {
            return new Trial(
                    label, target.release(), result, line, next, List.of(), now(), inputs, target.offer(), source);
        }
    }
}
