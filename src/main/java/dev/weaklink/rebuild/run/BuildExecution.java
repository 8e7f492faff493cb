package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.BuildStatus;
import dev.weaklink.rebuild.Cause;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.LogDigest;
import dev.weaklink.rebuild.LogReferences;
import dev.weaklink.rebuild.LogText;
import dev.weaklink.rebuild.NextStep;
import dev.weaklink.rebuild.PackageResult;
import dev.weaklink.rebuild.PackageResult.State;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.sys.IoReason;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the programs of a build one after the other and says how they ended. */
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
  private @Nullable Diagnosis diagnosis;

  /** Logs that were named and are not there yet. */
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
   * How it ended.
   *
   * @param ending what the last program says of itself
   * @param status its exit status
   * @param lines what was printed
   * @param diagnosis why it failed, null if it did not
   * @param cancelled whether somebody ended it
   * @param packages results of packages that were built each by itself, in their order
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
          packages.add(new PackageResult(step.subject(), State.SKIPPED, missing));
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

  /** Null if the next step may be run. */
  private @Nullable Ended run(
      Step step, Supervisor supervisor, Map<String, String> environment, OutputStream file)
      throws IOException {
    listener.phase(step.title());
    file.write(("+ " + step.commandLine() + "\n").getBytes(StandardCharsets.UTF_8));
    LogWriter log = new LogWriter(file, this::follow);
    Supervisor.Result result;
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
      return failed(Cause.TIME_LIMIT, "it took too long and was killed");
    }
    BuildStatus now = backend.ending(status, log.lines());
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
    State state =
        ending == BuildStatus.NOT_FOR_THIS_KERNEL
            ? State.NOT_FOR_THIS_KERNEL
            : why == null ? State.BUILT : State.FAILED;
    String reason =
        why == null
            ? ""
            : why.line().isEmpty() ? why.next() : why.cause().id() + ": " + why.line().strip();
    return new PackageResult(label, state, reason);
  }

  /** Why a step cannot be run, empty if it can. */
  private String missing(Step step) {
    for (String needed : step.needs()) {
      String state = "DKMS does not have it";
      for (Step other : allSteps) {
        state = other.subject().equals(needed) ? "it needs it in turn" : state;
      }
      for (PackageResult one : packages) {
        state = one.label().equals(needed) ? one.state().id() : state;
      }
      if (!state.equals(State.BUILT.id())) {
        return "needs " + needed + ": " + state;
      }
    }
    return "";
  }

  /** One that was built makes it a result. */
  private Ended together() {
    boolean failed = false;
    for (PackageResult one : packages) {
      if (one.state() == State.BUILT) {
        return ended(BuildStatus.BUILT, null, false);
      }
      failed |= one.state() == State.FAILED;
    }
    Diagnosis why = diagnosis == null ? diagnosisOf(Cause.NOTHING_BUILT, "") : diagnosis;
    return ended(failed ? BuildStatus.FAILED : BuildStatus.NOT_FOR_THIS_KERNEL, why, false);
  }

  private Ended ended(BuildStatus how, @Nullable Diagnosis why, boolean cancelled) {
    return new Ended(how, status, lines, why, cancelled, packages);
  }

  /** Of several packages some may have been there. */
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

  /** Logs are copied, and the one with the cause is named as its copy. */
  private Diagnosis diagnosis(List<String> printed) throws IOException {
    List<LogText> logs = new LogChain(real(paths(directories()))).follow(printed);
    for (LogText log : logs) {
      kept.add(log.file());
    }
    Diagnosis found = new LogDigest(job.place(), platform).read(logs, status);
    Path copy = found.file().isEmpty() ? null : kept.copyOf(Path.of(found.file()));
    return copy == null
        ? found
        : new Diagnosis(found.cause(), found.line(), copy.toString(), found.next());
  }

  /** Copies the logs that it wrote itself. */
  void keepLogs(Instant since) throws IOException {
    kept.addFrom(run.work(), Instant.EPOCH);
    try {
      for (String directory : backend.ownLogs(job)) {
        kept.addFrom(Path.of(directory), since);
      }
    } catch (UnusableJobException e) {
      // Then it was never started.
    }
  }

  private static List<Path> real(List<Path> directories) {
    List<Path> real = new ArrayList<>();
    for (Path directory : directories) {
      try {
        real.add(directory.toRealPath());
      } catch (IOException e) {
        // What is not there has no logs.
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
    } catch (UnusableJobException e) {
      // Then it was never started.
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
   * A script deletes its log when it ends well; by another name it stays.
   *
   * @return false if the log is not there yet
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
      // It is a courtesy; what was printed is kept anyway.
    }
    return true;
  }
}
