package dev.weaklink.rebuild.run;

import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Backends;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.RunState;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An earlier run with a kept result, which can be judged again and installed without another build. */
public final class KeptRun {
    private static final Set<RunState> FINISHED = EnumSet.of(RunState.UNJUDGED, RunState.BUILT);

    private final PreparedRebuild prepared;
    private final Manifest manifest;

    private KeptRun(PreparedRebuild prepared, Manifest manifest) {
        this.prepared = prepared;
        this.manifest = manifest;
    }

    /**
     * Finds a run.
     *
     * @param request the request, which gives the kernel, the root and the modules that may be missing; the run's
     *     record gives the backend and the inputs
     * @param run the run's number, or its directory
     * @throws NotDoneException if the run does not exist, or its result cannot be used; the message says why
     */
    public static KeptRun find(RebuildRequest request, String run) throws NotDoneException, IOException {
        Root root = Root.of(request.root());
        Path directory = null;
        for (Path one : RunDirectory.newestFirst(root, request.kernel())) {
            boolean named = run.equals(String.valueOf(one.getFileName()))
                    || Path.of(run).equals(one);
            directory = named ? one : directory;
        }
        RunDirectory kept = directory == null ? null : new RunDirectory(directory, directory.resolve("work"));
        Manifest manifest = kept == null ? null : EarlierRuns.read(kept.manifest());
        if (kept == null || manifest == null) {
            throw new NotDoneException(
                    "no run " + run + " for " + request.kernel() + "; " + runs(root, request.kernel()));
        }
        if (manifest.results().isEmpty()) {
            throw new NotDoneException(directory + ": this rebuild left no result to install; its state is '"
                    + manifest.state().id() + "'");
        }
        return new KeptRun(prepared(request, root, manifest, kept), manifest);
    }

    /**
     * Returns the last finished run of the same job, with the same source and build tree, whose result is not
     * installed.
     *
     * @return null if there is none
     * @throws IOException if a kept file cannot be read
     */
    static @Nullable KeptRun finished(PreparedRebuild prepared) throws NotDoneException, IOException {
        Root root = prepared.root();
        Set<String> installed = History.read(root).installed();
        for (Path one : RunDirectory.newestFirst(root, prepared.request().kernel())) {
            RunDirectory run = new RunDirectory(one, one.resolve("work"));
            Manifest manifest = EarlierRuns.read(run.manifest());
            if (manifest != null
                    && FINISHED.contains(manifest.state())
                    && !manifest.results().isEmpty()
                    && new RunRecord(prepared, "").isSameJob(manifest, run)
                    && !installed.contains(RunDirectory.name(one))) {
                return new KeptRun(prepared(prepared.request(), root, manifest, run), manifest);
            }
        }
        return null;
    }

    private static String runs(Root root, String kernel) throws IOException {
        List<String> names = new ArrayList<>();
        for (Path one : RunDirectory.newestFirst(root, kernel)) {
            names.add(0, String.valueOf(one.getFileName()));
        }
        return names.isEmpty() ? "there are none" : "there are: " + String.join(", ", names);
    }

    private static PreparedRebuild prepared(RebuildRequest request, Root root, Manifest manifest, RunDirectory run)
            throws NotDoneException {
        Backend backend = Backends.named(manifest.backend());
        if (backend == null) {
            throw new NotDoneException(run.manifest() + ": unsupported backend '" + manifest.backend()
                    + "'; rebuild with this version of weaklink");
        }
        String tree = manifest.inputs().getOrDefault("build-tree", "/");
        Job job = new Job(
                new Job.BuildPlace(
                                request.kernel(),
                                tree,
                                run.work().toString(),
                                root.isHost() ? null : root.top().toString())
                        .checked(),
                request.settings(),
                null,
                packages(manifest),
                RebuildHint.SiteCommand.NONE);
        return new PreparedRebuild(
                request,
                root,
                EvidenceReader.read(root, null, EvidenceReader.rules(root)),
                backend,
                manifest.reason(),
                job,
                List.of(),
                List.of(),
                run);
    }

    /**
     * Returns the commands that remove modules which another program installed. For the host, the history contains the
     * commands. Anybody may have written the history below another root, so its commands must not run on the host. For
     * such a root, weaklink derives the commands from the run's manifest, or returns a sentence.
     */
    public static List<String> removal(Root root, ExternalInstallation external) throws IOException {
        if (root.isHost()) {
            return external.removal();
        }
        Path run = RunDirectory.named(root, external.run());
        List<String> commands = new ArrayList<>();
        Manifest manifest = EarlierRuns.read(run.resolve("manifest.json"));
        Backend backend = manifest == null ? null : Backends.named(manifest.backend());
        if (manifest != null && backend != null) {
            try {
                Job job = new Job(
                        new Job.BuildPlace(
                                        external.kernel(),
                                        "/",
                                        run.toString(),
                                        root.top().toString())
                                .checked(),
                        new Job.Settings(null, false, false),
                        null,
                        packages(manifest),
                        RebuildHint.SiteCommand.NONE);
                backend.removal(job).forEach(step -> commands.add(step.commandLine()));
            } catch (NotDoneException e) {
                commands.clear();
            }
        }
        return commands.isEmpty()
                ? List.of("the package manager, to remove what rebuild " + external.run() + " installed")
                : commands;
    }

    static List<String> packages(Manifest manifest) {
        String given = manifest.inputs().getOrDefault("packages", "");
        boolean apart = !manifest.packages().isEmpty();
        return apart ? manifest.builtPackages() : given.isEmpty() ? List.of() : List.of(given.split(" "));
    }

    public Path directory() {
        return prepared.run().host();
    }

    public PreparedRebuild prepared() {
        return prepared;
    }

    /**
     * Judges the kept result against the modules installed now.
     *
     * @return null if another rebuild is running for the kernel
     * @throws IOException if a file of the run cannot be read or written
     */
    public @Nullable RebuildOutcome judge() throws IOException {
        LockFile lock = Installation.lock(prepared.root(), manifest.kernel());
        if (lock == null) {
            return null;
        }
        try (lock) {
            return locked(new ResultExamination(prepared, prepared.job()));
        }
    }

    private RebuildOutcome locked(ResultExamination examination) throws IOException {
        RunDirectory run = prepared.run();
        List<BuiltModule> installed =
                Inventory.installed(prepared.root(), prepared.request().jobs());
        DurableFiles.deleteTree(run.modules());
        Diagnosis failure = foreign();
        failure = failure == null ? RunRecord.changed(manifest) : failure;
        if (failure == null) {
            String subject = manifest.inputs().getOrDefault("subject", "");
            examination.judge(files(), manifest.image(), subject, installed);
            failure = examination.failure();
        }
        RunState state = failure == null ? RunState.BUILT : RunState.FAILED;
        Manifest judged =
                manifest.refusing(examination.refused()).judged(state, installed, examination.built(), failure);
        conclude(run, judged);
        return new RebuildOutcome(run.host(), judged, examination.results());
    }

    private List<Path> files() {
        return manifest.results().stream().map(result -> Path.of(result)).toList();
    }

    /**
     * Returns a failure if a result is outside of the run's directory, else null. If the backend itself installs its
     * results, they may be anywhere below the root. Without this check, a manifest below another root could name any
     * file of the host.
     */
    private @Nullable Diagnosis foreign() throws IOException {
        RunDirectory run = prepared.run();
        boolean elsewhere;
        try {
            elsewhere =
                    !prepared.backend().installation(prepared.job(), Set.of()).isEmpty();
        } catch (NotDoneException e) {
            elsewhere = false;
        }
        Path own = elsewhere ? prepared.root().top() : run.host().toRealPath();
        for (Path file : files()) {
            if (Files.exists(file) && !file.toRealPath().startsWith(own)) {
                return new Diagnosis(Cause.BROKEN_RESULT, file + ": is outside the run", "", "build the modules again");
            }
        }
        return null;
    }

    static void conclude(RunDirectory run, Manifest manifest) throws IOException {
        Diagnosis failure = manifest.diagnosis();
        Manifest written = manifest;
        if (failure != null) {
            DurableFiles.deleteTree(run.modules());
        }
        if (failure != null && failure.cause() == Cause.WRONG_MODULES) {
            DurableFiles.deleteTree(run.results());
            written = manifest.without(run.results().toString());
        }
        RunRecord.write(run, written);
    }
}
