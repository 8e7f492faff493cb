package dev.weaklink.build;

import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Cause;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Ending;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.LogDigest;
import dev.weaklink.rebuild.LogReferences;
import dev.weaklink.rebuild.LogText;
import dev.weaklink.rebuild.NextStep;
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

  /** Logs that were named and are not there yet. */
  private final Set<String> named = new LinkedHashSet<>();

  BuildExecution(PreparedRebuild prepared, RunListener listener) {
    this.backend = prepared.backend();
    this.job = prepared.job();
    this.platform = prepared.evidence().platform();
    this.run = prepared.run();
    this.listener = listener;
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
   */
  record Ended(
      Ending ending,
      int status,
      List<String> lines,
      @Nullable Diagnosis diagnosis,
      boolean cancelled) {}

  Ended run(List<Step> steps, Supervisor supervisor, Map<String, String> environment)
      throws IOException {
    Ending ending = Ending.BUILT;
    List<String> lines = new ArrayList<>();
    int status = 0;
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(run.log()))) {
      for (Step step : steps) {
        listener.phase(step.title());
        file.write(("+ " + step.commandLine() + "\n").getBytes(StandardCharsets.UTF_8));
        LogWriter log = new LogWriter(file, this::follow);
        Supervisor.Result result;
        try {
          result = supervisor.run(step, run.work(), environment, log);
        } catch (IOException e) {
          return failed(Cause.UNKNOWN, step.words().get(0) + ": " + IoReason.of(e), -1, lines);
        }
        lines.addAll(log.lines());
        status = result.status();
        if (result.how() == Supervisor.How.CANCELLED) {
          return cancelled(status, lines);
        }
        if (result.how() == Supervisor.How.TIME_LIMIT) {
          return failed(Cause.TIME_LIMIT, "it took too long and was ended", status, lines);
        }
        ending = together(ending, backend.ending(status, log.lines()));
        if (ending == Ending.FAILED || ending == Ending.NOT_FOR_THIS_KERNEL) {
          break;
        }
      }
    }
    return new Ended(ending, status, lines, diagnosis(ending, status, lines), false);
  }

  /** Of several packages some may have been there. */
  private static Ending together(Ending before, Ending now) {
    return before == Ending.ALREADY_THERE && now == Ending.BUILT ? before : now;
  }

  private @Nullable Diagnosis diagnosis(Ending ending, int status, List<String> lines)
      throws IOException {
    return switch (ending) {
      case BUILT, ALREADY_THERE -> null;
      case NOTHING_BUILT -> new Diagnosis(Cause.NOTHING_BUILT, "", "", next(Cause.NOTHING_BUILT));
      case NOT_FOR_THIS_KERNEL ->
          new Diagnosis(Cause.NOT_FOR_THIS_KERNEL, "", "", next(Cause.NOT_FOR_THIS_KERNEL));
      case FAILED -> diagnosis(lines, status);
    };
  }

  /** Logs are copied, and the one that tells is named as its copy. */
  private Diagnosis diagnosis(List<String> lines, int status) throws IOException {
    List<LogText> logs = new LogChain(real(paths(directories()))).follow(lines);
    for (LogText log : logs) {
      kept.add(log.file());
    }
    Diagnosis found = new LogDigest(job.place(), platform).read(logs, status);
    Path copy = found.file().isEmpty() ? null : kept.copyOf(Path.of(found.file()));
    return copy == null
        ? found
        : new Diagnosis(found.cause(), found.line(), copy.toString(), found.next());
  }

  /** Copies what it wrote besides what it printed. */
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
    List<Path> paths = new ArrayList<>();
    for (String name : names) {
      paths.add(Path.of(name));
    }
    return paths;
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

  private String next(Cause cause) {
    return NextStep.of(cause, job.place(), platform);
  }

  private Ended failed(Cause cause, String line, int status, List<String> lines) {
    Diagnosis diagnosis = new Diagnosis(cause, line, "", next(cause));
    return new Ended(Ending.FAILED, status, lines, diagnosis, false);
  }

  private Ended cancelled(int status, List<String> lines) {
    Diagnosis diagnosis =
        new Diagnosis(Cause.KILLED, "it was ended from outside", "", next(Cause.KILLED));
    return new Ended(Ending.FAILED, status, lines, diagnosis, true);
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
