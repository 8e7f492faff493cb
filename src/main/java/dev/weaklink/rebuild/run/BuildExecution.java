package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.LogDigest;
import dev.weaklink.rebuild.LogDigest.LogText;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Manifest.PackageResult.PackageState;
import dev.weaklink.rebuild.NextStep;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.TerminalText;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.RootText;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the programs of a build one after the other and determines the result. */
final class BuildExecution {
    private final Backend backend;
    private final Job job;
    private final Platform platform;
    private final RunDirectory run;
    private final RunListener listener;

    private final KeptLogs kept;
    private final List<Step> allSteps;
    private final List<PackageResult> packages = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private BuildStatus ending = BuildStatus.BUILT;
    private int status;
    private boolean isLast;
    private @Nullable Diagnosis diagnosis;

    private final Set<String> named = new LinkedHashSet<>();

    BuildExecution(PreparedRebuild prepared, RunListener listener) {
        this.backend = prepared.backend();
        this.job = prepared.job();
        this.platform = prepared.evidence().platform();
        this.run = prepared.run();
        this.listener = listener;
        this.allSteps = prepared.steps();
        this.kept = new KeptLogs(run.logs(), paths(directories()));
    }

    /**
     * The end of a build.
     *
     * @param ending the result of the build
     * @param status the exit status of the last program
     * @param lines the lines of the output; lines in the middle may be missing
     * @param diagnosis the reason for a failure, or null
     * @param cancelled true if weaklink received a signal and therefore ended the build
     * @param packages the results of separately built packages, in the order of the builds
     */
    record Ended(
            BuildStatus ending,
            int status,
            List<String> lines,
            @Nullable Diagnosis diagnosis,
            boolean cancelled,
            List<PackageResult> packages) {
        Ended {
            lines = List.copyOf(lines);
            packages = List.copyOf(packages);
        }
    }

    Ended run(Supervisor supervisor, Map<String, String> environment) throws IOException {
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(run.log()))) {
            for (Step step : allSteps) {
                String missing = missing(step);
                if (!missing.isEmpty()) {
                    packages.add(new PackageResult(step.subject(), PackageState.SKIPPED, missing));
                    listener.phase("skipping " + step.subject() + ": " + missing);
                    continue;
                }
                Ended end = run(step, supervisor, environment, file);
                if (end != null) {
                    return end;
                }
            }
        }
        return packages.isEmpty() ? ended(ending, diagnosis(ending, lines), false) : together();
    }

    /** Runs a step. Returns the end of the build, or null if the next step can run. */
    private @Nullable Ended run(Step step, Supervisor supervisor, Map<String, String> environment, OutputStream file)
            throws IOException {
        isLast = step == allSteps.get(allSteps.size() - 1);
        listener.phase(step.title());
        file.write(("+ " + step.commandLine() + "\n").getBytes(StandardCharsets.UTF_8));
        LogWriter log = new LogWriter(file, this::follow);
        Supervisor.ProgramEnd result;
        try {
            result = supervisor.run(step, run.work(), environment, log);
        } catch (IOException e) {
            return failed(Cause.UNKNOWN, step.words().get(0) + ": " + IoReason.of(e));
        }
        lines.addAll(log.lines());
        status = result.status();
        if (result.how() == Supervisor.How.CANCELLED) {
            return ended(BuildStatus.FAILED, diagnosisOf(Cause.KILLED, "killed by a signal"), true);
        }
        if (result.how() == Supervisor.How.TIME_LIMIT) {
            return failed(Cause.TIME_LIMIT, "the build took too long and was killed");
        }
        if (result.how() == Supervisor.How.DISK_LIMIT) {
            return failed(Cause.SPACE, "the build reached a limit of disk space or files and was killed");
        }
        BuildStatus now = backend.ending(status, log.lines());
        Step instead = step.instead();
        if (now == BuildStatus.FAILED && instead != null) {
            return run(instead, supervisor, environment, file);
        }
        if (step.subject().isEmpty()) {
            ending = together(ending, now);
            boolean last = now == BuildStatus.FAILED || now == BuildStatus.NOT_FOR_THIS_KERNEL;
            return last ? ended(now, diagnosis(now, lines), false) : null;
        }
        Diagnosis why = diagnosis(now, log.lines());
        diagnosis = diagnosis == null ? why : diagnosis;
        packages.add(result(step.subject(), now, why));
        return null;
    }

    private static PackageResult result(String label, BuildStatus ending, @Nullable Diagnosis why) {
        PackageState state = ending == BuildStatus.NOT_FOR_THIS_KERNEL
                ? PackageState.NOT_FOR_THIS_KERNEL
                : why == null ? PackageState.BUILT : PackageState.FAILED;
        String reason = why == null
                ? ""
                : why.line().isEmpty()
                        ? why.next()
                        : why.cause().id() + ": " + why.line().strip();
        return new PackageResult(label, state, reason);
    }

    private String missing(Step step) {
        for (String needed : step.needs()) {
            String state = "DKMS does not have it";
            for (Step other : allSteps) {
                state = other.subject().equals(needed) ? "both packages need each other" : state;
            }
            for (PackageResult one : packages) {
                state = one.label().equals(needed) ? one.state().id() : state;
            }
            if (!state.equals(PackageState.BUILT.id())) {
                return "needs " + needed + ": " + state;
            }
        }
        return "";
    }

    /**
     * Returns the end of a build whose packages were built separately. The build succeeds if at least one package was
     * built.
     */
    private Ended together() {
        boolean failed = false;
        for (PackageResult one : packages) {
            if (one.state() == PackageState.BUILT) {
                return ended(BuildStatus.BUILT, null, false);
            }
            failed |= one.state() == PackageState.FAILED;
        }
        Diagnosis why = diagnosis == null ? diagnosisOf(Cause.NOTHING_BUILT, "") : diagnosis;
        return ended(failed ? BuildStatus.FAILED : BuildStatus.NOT_FOR_THIS_KERNEL, why, false);
    }

    private Ended ended(BuildStatus how, @Nullable Diagnosis why, boolean cancelled) {
        return new Ended(how, status, lines, why, cancelled, packages);
    }

    private static BuildStatus together(BuildStatus before, BuildStatus now) {
        return before == BuildStatus.ALREADY_THERE && now == BuildStatus.BUILT ? before : now;
    }

    private @Nullable Diagnosis diagnosis(BuildStatus how, List<String> printed) throws IOException {
        return switch (how) {
            case BUILT, ALREADY_THERE -> null;
            case NOTHING_BUILT -> diagnosisOf(Cause.NOTHING_BUILT, "");
            case NOT_FOR_THIS_KERNEL -> diagnosisOf(Cause.NOT_FOR_THIS_KERNEL, "");
            case FAILED -> diagnosis(printed);
        };
    }

    private Diagnosis diagnosis(List<String> printed) throws IOException {
        List<LogText> logs = new LogChain(real(paths(directories()))).follow(printed);
        for (LogText log : logs) {
            kept.add(log.file());
        }
        Diagnosis found = new LogDigest(job.place(), platform).read(logs, status);
        Path copy = found.file().isEmpty() ? null : kept.copyOf(Path.of(found.file()));
        Bundle bundle = job.bundle();
        boolean unpacking = bundle != null && bundle.isPacked() && !isLast;
        if (found.cause() == Cause.BROKEN_ARCHIVE && bundle != null && unpacking) {
            String line = bundle.path() + ": " + found.line();
            return new Diagnosis(found.cause(), line, "", found.next());
        }
        return copy == null ? found : new Diagnosis(found.cause(), found.line(), copy.toString(), found.next());
    }

    void keepLogs(Instant since) throws IOException {
        kept.addFrom(run.work(), Instant.EPOCH);
        try {
            for (String directory : backend.ownLogs(job)) {
                kept.addFrom(Path.of(directory), since);
            }
        } catch (NotDoneException e) {
            // The job is invalid, so the build never started.
        }
    }

    private static List<Path> real(List<Path> directories) {
        List<Path> real = new ArrayList<>();
        for (Path directory : directories) {
            try {
                real.add(directory.toRealPath());
            } catch (IOException e) {
                // A missing directory has no logs.
            }
        }
        return real;
    }

    private static List<Path> paths(List<String> names) {
        return names.stream().map(name -> Path.of(name)).toList();
    }

    private List<String> directories() {
        List<String> directories = new ArrayList<>(List.of(run.work().toString()));
        try {
            directories.addAll(backend.logDirectories(job));
        } catch (NotDoneException e) {
            // The job is invalid, so the build never started.
        }
        return directories;
    }

    private Diagnosis diagnosisOf(Cause cause, String line) {
        return new Diagnosis(cause, line, "", NextStep.of(cause, job.place(), platform));
    }

    private Ended failed(Cause cause, String line) {
        return ended(BuildStatus.FAILED, diagnosisOf(cause, line), false);
    }

    private void follow(String line) {
        for (String milestone : backend.milestones()) {
            if (line.startsWith(milestone)) {
                listener.phase(line);
                break;
            }
        }
        listener.line(line);
        named.addAll(LogReferences.in(List.of(line)));
        named.removeIf(this::hold);
    }

    /**
     * Hard-links a log of the work directory to another name, because a script that succeeds deletes its log.
     *
     * @return false if no regular file of this name exists yet, so that the caller must try again
     */
    private boolean hold(String name) {
        try {
            Path log = Path.of(name).normalize();
            if (!log.startsWith(run.work())) {
                return true;
            }
            if (!Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            Path copy = run.logs().resolve(run.work().relativize(log).toString());
            Path parent = copy.getParent();
            if (parent != null && log.toRealPath().startsWith(run.work().toRealPath())) {
                Files.createDirectories(parent);
                Files.createLink(copy, log);
            }
        } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
            // This copy of a log is optional; the build's output is kept anyway.
        }
        return true;
    }

    /**
     * Follows references from a build's output to logs, and from log to log. Reads only regular files whose real path
     * is below the directories of the build.
     */
    private static final class LogChain {
        private static final int MAX_LOGS = 200;
        private static final int MAX_DEPTH = 8;

        private static final int SIZE_LIMIT = 16 << 20;

        private final List<Path> allowed;
        private final List<LogText> logs = new ArrayList<>();
        private final Set<Path> seen = new LinkedHashSet<>();

        LogChain(List<Path> allowed) {
            this.allowed = List.copyOf(allowed);
        }

        List<LogText> follow(List<String> printed) {
            logs.add(new LogText("", printed));
            follow(printed, 0);
            return logs;
        }

        private void follow(List<String> lines, int depth) {
            for (String name : LogReferences.in(lines)) {
                Path path = Path.of(name).normalize();
                if (depth < MAX_DEPTH && logs.size() < MAX_LOGS && isAllowed(path) && seen.add(path)) {
                    List<String> inside = read(path);
                    logs.add(new LogText(path.toString(), inside));
                    // Later logs take precedence. Logs that this log names are more specific than the logs of an
                    // installer beside this log, so the installer's logs come first.
                    if (!inside.isEmpty()) {
                        followNamed(path, depth);
                    }
                    follow(inside, depth + 1);
                }
            }
        }

        /**
         * Follows the logs {@code *.logs/general.log} beside a log that the build's output names. An installer writes
         * them, but the output does not name them.
         */
        private void followNamed(Path log, int depth) {
            Path parent = log.getParent();
            if (parent == null || depth > 0) {
                return;
            }
            for (String name : RootText.names(parent)) {
                Path general = parent.resolve(name).resolve("general.log");
                if (name.endsWith(".logs") && isAllowed(general) && seen.add(general)) {
                    List<String> inside = read(general);
                    logs.add(new LogText(general.toString(), inside));
                    follow(inside, depth + 1);
                }
            }
        }

        private boolean isAllowed(Path path) {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            try {
                Path real = path.toRealPath();
                return allowed.stream().anyMatch(directory -> real.startsWith(directory));
            } catch (IOException e) {
                return false;
            }
        }

        private static List<String> read(Path path) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                long size = channel.size();
                ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(size, SIZE_LIMIT));
                long from = size - bytes.capacity();
                while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
                    // until the buffer is full or the file ends
                }
                String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
                List<String> lines = new ArrayList<>();
                for (String line : text.split("[\r\n]+")) {
                    lines.add(TerminalText.plain(line));
                }
                return lines;
            } catch (IOException e) {
                return List.of();
            }
        }
    }

    private static final class KeptLogs {
        private static final int MAX_LOGS = 200;
        private static final int MAX_DEPTH = 16;
        private static final long SIZE_LIMIT = 16 << 20;

        private final Path logs;
        private final List<Path> bases;

        /**
         * Prepares to copy the logs of one run.
         *
         * @param logs the directory of the copies
         * @param bases directories with logs; a copy is named by the log's path relative to the first base that
         *     contains it
         */
        KeptLogs(Path logs, List<Path> bases) {
            this.logs = logs;
            this.bases = List.copyOf(bases);
        }

        /** Returns the path of a log's copy; null if no base contains the log. */
        @Nullable
        Path copyOf(Path log) {
            for (Path base : bases) {
                if (log.startsWith(base)) {
                    return logs.resolve(base.relativize(log).toString());
                }
            }
            return null;
        }

        void addFrom(Path directory, Instant since) throws IOException {
            if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.walkFileTree(directory, Set.of(), MAX_DEPTH, new Keeper(since));
            }
        }

        void add(String name) throws IOException {
            try {
                Path log = Path.of(name).normalize();
                if (Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS) && Files.size(log) <= SIZE_LIMIT) {
                    copy(log);
                }
            } catch (InvalidPathException e) {
                // An invalid path is not a log.
            }
        }

        private void copy(Path log) throws IOException {
            Path copy = copyOf(log);
            if (copy == null || Files.exists(copy, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            Path parent = copy.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.copy(log, copy, LinkOption.NOFOLLOW_LINKS);
        }

        private final class Keeper extends SimpleFileVisitor<Path> {
            private final Instant since;
            private int kept;

            Keeper(Instant since) {
                this.since = since;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
                // Another process may have removed the directory meanwhile.
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                boolean isLog = String.valueOf(file.getFileName()).endsWith(".log")
                        && attributes.isRegularFile()
                        && attributes.size() <= SIZE_LIMIT
                        && !attributes.lastModifiedTime().toInstant().isBefore(since);
                if (isLog) {
                    copy(file);
                    kept++;
                }
                return kept < MAX_LOGS ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        }
    }

    private static final class LogReferences {
        private static final List<String> INTRODUCTIONS =
                List.of("See log file ", "See ", "See: ", "Consult ", "Log file: ", "log in ");

        private static final String DKMS_DIRECTORY = " for more information.";

        private LogReferences() {}

        public static List<String> in(List<String> lines) {
            List<String> paths = new ArrayList<>();
            for (String line : lines) {
                // dkms breaks the line before the directory of make.log.
                if (line.startsWith("/") && line.endsWith(DKMS_DIRECTORY)) {
                    paths.add(line.substring(0, line.length() - DKMS_DIRECTORY.length()) + "/make.log");
                }
                for (String introduction : INTRODUCTIONS) {
                    int at = line.indexOf(introduction);
                    if (at >= 0 && line.startsWith("/", at + introduction.length())) {
                        paths.add(path(line, at + introduction.length()));
                        break;
                    }
                }
            }
            return paths;
        }

        private static String path(String line, int from) {
            int end = line.indexOf(' ', from);
            String path = end < 0 ? line.substring(from) : line.substring(from, end);
            return path.endsWith(".") || path.endsWith(",") ? path.substring(0, path.length() - 1) : path;
        }
    }
}
