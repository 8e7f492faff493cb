package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.Backend.Privilege;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.rebuild.run.TrialJudge.BuildJudgment;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Trial builds by an installation image of Mellanox or by a command of the site, such as rpmbuild. weaklink keeps no
 * result, because it cannot tell which files such a build depends on.
 *
 * @param limit the time limit of a build
 */
public record CommandTrials(RunListener listener, Duration limit) {
    /** The directories that a trial does not share with the machine. */
    private static final List<String> UNSHARED = List.of("/tmp", "/var/tmp", "/dev/shm");

    private static final int OTHERS_READ = 0004;
    private static final int OTHERS_SEARCH = 0001;

    /**
     * Builds for one kernel. If an obstacle prevents the build, returns a trial with the result {@code NOT_TRIED}.
     *
     * @param request the request; its root, kernel, DKMS packages, build tree, work directory and allowed missing
     *     modules are ignored, and no repository is created
     * @param kernel a release, a headers directory, or package files that together are the headers of one kernel
     * @throws NotDoneException if the build cannot be prepared; the message says why
     */
    public Trial run(RebuildRequest request, List<String> kernel) throws IOException, NotDoneException {
        Root root = Root.of(null);
        Path place = root.resolve(KeptTrials.PLACE);
        DurableFiles.createDirectories(place);
        Path scratch = place.resolve(TrialRun.PREFIX + UUID.randomUUID());
        Supervisor supervisor = new Supervisor(scratch.toString(), limit, new TrialDisk(scratch));
        Thread hook = new Thread(supervisor::cancel, "end of a trial");
        try (LockFile lock = TrialRun.lock(root)) {
            TrialRun.removeAbandoned(place);
            // This directory is readable for all users, because rpm opens every directory of a path for reading.
            DurableFiles.createDirectory(scratch);
            Runtime.getRuntime().addShutdownHook(hook);
            Isolation isolation = Isolation.probe();
            if (!isolation.canOverlay()) {
                throw new NotDoneException("without root and mount namespaces, weaklink can try only DKMS packages; run"
                        + " weaklink as root and outside of a container, or leave out --try to build without"
                        + " installing");
            }
            TrialKernel target =
                    new TrialHeaders(root, request.environment(), listener).find(kernel, scratch, isolation);
            PreparedRebuild prepared = prepared(request, target, scratch, isolation);
            lock.sign("trying " + label(prepared) + " on " + target.release());
            BuildJudgment answer = obstacle(prepared);
            answer = answer == null ? built(prepared, target, supervisor) : answer;
            return new Trial(
                    label(prepared),
                    target.release(),
                    answer.result(),
                    answer.line(),
                    answer.next(),
                    List.copyOf(answer.modules()),
                    TrialRun.now(),
                    "",
                    "",
                    "");
        } finally {
            new ProcessGroup(Supervisor.MARK + "=" + scratch).end(0);
            DurableFiles.deleteTree(scratch);
            TrialRun.release(hook);
        }
    }

    private PreparedRebuild prepared(RebuildRequest request, TrialKernel target, Path scratch, Isolation isolation)
            throws IOException, NotDoneException {
        RunDirectory run = new RunDirectory(scratch, Files.createDirectory(scratch.resolve("work"), TrialRun.PRIVATE));
        isolation.give(run.work());
        Job.Settings settings = request.settings();
        RebuildRequest asked = new RebuildRequest(
                null,
                target.release(),
                request.product(),
                request.bundle(),
                request.backend(),
                List.of(),
                target.buildTree(),
                run.work(),
                // The result is only judged, so it needs no repository.
                new Job.Settings(settings.distro(), true, settings.kmp(), settings.further()),
                request.own(),
                List.of(),
                request.environment(),
                request.jobs());
        PreparedRebuild real = Preparation.prepare(asked);
        checkBackend(real);
        String tree = target.overlay() == null
                ? target.buildTree().toString()
                : "/lib/modules/" + target.release() + "/build";
        Job job = real.job();
        Job.BuildPlace place =
                new Job.BuildPlace(target.release(), tree, run.work().toString(), null);
        Job ours = new Job(place, job.settings(), job.bundle(), job.packages(), job.own(), job.needs());
        List<String> first = new ArrayList<>(isolation.prefix(run.work(), target.overlay()));
        first.addAll(List.of("env", "HOME=" + run.work(), "nice", "-n", "10"));
        if (real.backend().privilege() != Privilege.ANY) {
            first.addAll(Preparation.FAKEROOT);
        }
        List<Step> steps = new ArrayList<>();
        for (Step step : real.backend().steps(ours)) {
            steps.add(step.through(first));
        }
        return new PreparedRebuild(
                asked, real.root(), real.evidence(), real.backend(), real.reason(), ours, steps, real.obstacles(), run);
    }

    /**
     * Returns advice on modules that DKMS does not build, with a command. If {@code backend} is empty, weaklink does
     * not know how the modules are built, and the advice contains no command.
     */
    public static String advice(String backend, String kernel, String product) {
        String named = ShellWord.of(kernel);
        String how = switch (backend) {
            case "" -> "weaklink does not know how these modules are built";
            case "doca" ->
                "a trial build cannot keep the result of doca-kernel-support, which is written to /tmp; to build"
                        + " without installing: weaklink rebuild --kernel " + named + " --backend doca";
            case "command" ->
                "to try the build command of the site's rules: weaklink rebuild --try --kernel " + named
                        + " --backend command"
                        + (product.isEmpty() ? "" : " --product " + ShellWord.of(product));
            default -> "to try an installation image: weaklink rebuild --try --kernel " + named + " --bundle IMAGE";
        };
        return "not built by DKMS; " + how;
    }

    private static void checkBackend(PreparedRebuild real) throws NotDoneException {
        String id = real.backend().id();
        if (id.equals("doca")) {
            throw new NotDoneException(advice(id, real.job().place().kernel(), ""));
        }
        String results = real.job().own().results();
        if (results != null) {
            throw new NotDoneException(results
                    + ": the rules name this directory for the results, but a trial build cannot write to this"
                    + " directory; give the build command after --, with {results} as its output directory");
        }
        Bundle bundle = real.job().bundle();
        if (bundle != null) {
            checkReadable(Path.of(bundle.path()));
        }
        for (Step step : real.steps()) {
            for (String word : step.words()) {
                if (word.startsWith("/") && word.indexOf('\0') < 0 && Files.isRegularFile(Path.of(word))) {
                    checkReadable(Path.of(word));
                }
            }
        }
    }

    /** Throws {@link NotDoneException} if the unprivileged user of a trial build could not read a file or directory. */
    static void checkReadable(Path path) throws NotDoneException {
        try {
            Path real = path.toRealPath();
            for (String directory : UNSHARED) {
                if (real.startsWith(directory)) {
                    throw new NotDoneException(path + ": a trial build cannot see files in " + directory + "; move the "
                            + (Files.isDirectory(real) ? "directory" : "file") + " elsewhere, such as to /srv");
                }
            }
            int needed = OTHERS_READ;
            for (Path at = real; at != null; at = at.getParent()) {
                FileStatus status = FileStatus.of(at);
                int wanted = status.isDirectory() ? needed | OTHERS_SEARCH : needed;
                if ((status.mode() & wanted) != wanted) {
                    throw new NotDoneException(
                            path + ": the unprivileged user of a trial build cannot read " + at + "; copy " + path
                                    + " to a directory such as /srv, and let everybody read the copy: chmod -R a+rX");
                }
                needed = 0;
            }
        } catch (IOException e) {
            throw new NotDoneException(path + ": " + IoReason.of(e));
        }
    }

    private static String label(PreparedRebuild prepared) {
        String product = prepared.request().product();
        String subject = RunRecord.subject(prepared.job());
        return product != null
                ? product
                : subject.isEmpty() ? prepared.backend().id() : subject;
    }

    private static @Nullable BuildJudgment obstacle(PreparedRebuild prepared) {
        for (Obstacle one : prepared.obstacles()) {
            boolean concernsTrials = !List.of("not-root", "lock", "signing").contains(one.id());
            if (one.weight() == Obstacle.Weight.BLOCKS && concernsTrials) {
                String remedy = one.remedy();
                return new BuildJudgment(TrialResult.NOT_TRIED, one.message(), remedy == null ? "" : remedy);
            }
        }
        boolean needsFakeroot = prepared.backend().privilege() != Privilege.ANY;
        return needsFakeroot
                        && ProgramSearch.find("fakeroot", prepared.request().environment()) == null
                ? new BuildJudgment(
                        TrialResult.NOT_TRIED,
                        "its build script needs fakeroot, because a trial build does not run as root",
                        "install fakeroot")
                : null;
    }

    private BuildJudgment built(PreparedRebuild prepared, TrialKernel target, Supervisor supervisor)
            throws IOException, NotDoneException {
        RunDirectory run = prepared.run();
        Instant since = Instant.now().minusSeconds(1);
        Map<String, String> path =
                Map.of("PATH", prepared.request().environment().getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
        BuildExecution.Ended ended = new BuildExecution(prepared, listener).run(supervisor, path);
        Diagnosis failure = ended.diagnosis();
        if (failure != null) {
            return TrialJudge.failed(failure, limit, List.of(run.work() + "/", run.host() + "/"));
        }
        if (ended.ending() == BuildStatus.ALREADY_THERE) {
            return new BuildJudgment(TrialResult.NOT_TRIED, "the image already has packages for this kernel", "");
        }
        List<Path> found = new ResultSearch(run.work(), since, Ownership.ofProcess())
                .find(prepared.backend().expected(prepared.job()), ended.lines());
        ResultUnpacker unpacker = new ResultUnpacker(run.modules(), target.release());
        unpacker.add(found);
        return new TrialJudge(target, prepared.request().jobs()).judged(unpacker.modules(), unpacker.modules());
    }
}
