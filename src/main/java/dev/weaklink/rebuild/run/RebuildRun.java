package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.rebuild.BuildStatus;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.State;
import dev.weaklink.rebuild.PackageResult;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries a prepared rebuild out: one run, with the kernel's rebuilds locked for others. */
public final class RebuildRun {
  private final PreparedRebuild prepared;
  private final RunDirectory run;
  private final CheckEngine engine;
  private final RunListener listener;
  private final RunRecord record;

  /**
   * A run.
   *
   * @param version of this program, for the record
   */
  public RebuildRun(
      PreparedRebuild prepared, CheckEngine engine, RunListener listener, String version) {
    this.prepared = prepared;
    this.run = prepared.run();
    this.engine = engine;
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
    LockFile lock = Installation.lock(prepared.root(), prepared.job().place().kernel());
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
        listener.cancelled(run.host());
      }
      return outcome;
    }
  }

  private void end(Supervisor supervisor) {
    listener.phase("signal received: stopping the build");
    supervisor.cancel();
  }

  private RebuildOutcome locked(Supervisor supervisor) throws IOException {
    run.make();
    listener.begun(run.host());
    List<BuiltModule> installed = Inventory.installed(prepared.root(), prepared.request().jobs());
    record.write(record.running(installed));
    try {
      return build(supervisor, installed);
    } finally {
      DurableFiles.deleteTree(run.work());
    }
  }

  private RebuildOutcome build(Supervisor supervisor, List<BuiltModule> installed)
      throws IOException {
    // File systems may keep whole seconds only.
    Instant since = Instant.now().minusSeconds(1);
    BuildExecution execution = new BuildExecution(prepared, listener);
    BuildExecution.Ended ended = execution.run(supervisor, prepared.request().environment());
    execution.keepLogs(since);
    List<String> built = PackageResult.built(ended.packages());
    Job job = built.isEmpty() ? prepared.job() : prepared.job().with(built);
    ResultExamination examination = new ResultExamination(prepared, job, engine);
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
    manifest =
        manifest
            .refusing(examination.refused())
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
}
