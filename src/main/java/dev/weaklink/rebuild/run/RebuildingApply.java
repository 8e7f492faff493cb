package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.links.AppliedPlan;
import dev.weaklink.links.InstalledRuns;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.TransactionException;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.links.transaction.UnfinishedApply;
import dev.weaklink.rebuild.RebuildResult;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that makes a root's modules load on its kernels: links what fits, rebuilds what no
 * build serves, installs that, and links once more. Broken off anywhere, the next one goes on where
 * it was: what was built is kept, what was installed is written down, and transactions are in their
 * journals, as one entry of the history.
 */
public final class RebuildingApply {
  private final Root root;
  private final PlanRequest request;
  private final RebuildPlanner planner;
  private final CheckEngine engine;
  private final TransactionSettings settings;

  public RebuildingApply(
      PlanRequest request, RebuildPlanner planner, CheckEngine engine, TransactionSettings settings)
      throws IOException {
    this.root = Root.of(request.root());
    this.request = request;
    this.planner = planner;
    this.engine = engine;
    this.settings = settings;
  }

  /** Shows what will be done before it is, and what was done first. */
  public interface Stages {
    /** All of it, before anything is changed. */
    void planned(PlanResult plan, List<PlannedRebuild> rebuilds) throws IOException;

    /** What fits is linked, and the rebuilds come next. */
    void linked(AppliedPlan applied) throws IOException;
  }

  /**
   * What gets events.
   *
   * @param stages of all of it
   * @param builds of rebuilds
   * @param links of the links
   */
  public record Listeners(Stages stages, RunListener builds, TransactionListener links) {}

  /**
   * What was done.
   *
   * @param rebuilds what became of each rebuild
   * @param first the links that were made before these
   * @param outcome what was done after what was built was installed
   * @param now how things stand
   * @param initramfs images that hold another build of what was installed, and what renews them
   * @param loading the step that gets it loaded, a reload or a reboot; empty if none is needed
   */
  public record Done(
      List<RebuildResult> rebuilds,
      AppliedPlan first,
      TransactionOutcome outcome,
      PlanResult now,
      List<String> initramfs,
      String loading) {
    public Done {
      initramfs = List.copyOf(initramfs);
      rebuilds = List.copyOf(rebuilds);
    }

    /** Whether what was installed, or an initramfs, needs manual intervention. */
    public boolean isBroken() {
      return !first.outcome().initramfsFailures().isEmpty()
          || !outcome.initramfsFailures().isEmpty()
          || rebuilds.stream().anyMatch(one -> one.state() == RebuildResult.State.BROKEN);
    }
  }

  /**
   * Does all of it.
   *
   * @param title the words of the command line, for the history
   * @param initramfs whether images that hold what changes are renewed
   * @param version of this program, for the record
   * @return null if another process is at it for longer than a build may take
   * @throws TransactionException if the links could not be made; says in what state the root is
   * @throws IOException if the root cannot be used
   */
  public @Nullable Done run(String title, boolean initramfs, Listeners listeners, String version)
      throws TransactionException, IOException {
    try (LockFile lock = lock(title, listeners.builds())) {
      return lock == null ? null : locked(title, initramfs, listeners, version);
    }
  }

  private @Nullable LockFile lock(String title, RunListener listener) throws IOException {
    Path file = new UnfinishedApply(root).lockFile();
    DurableFiles.createDirectories(file.resolveSibling(""));
    return LockFile.acquire(
        file,
        title,
        planner.site().limit(),
        holder -> listener.phase(holder.words() + " is rebuilding; waiting for it to finish"));
  }

  /**
   * Takes back what was broken off while its files were put. What dkms or a package manager was
   * installing stays: how far that got is not known.
   */
  private void settle(UnfinishedApply unfinished, Consumer<String> waiting) throws IOException {
    List<String> installed = new ArrayList<>();
    for (String name : unfinished.names()) {
      Path run = RunDirectory.named(root, name);
      UndoneInstallation.recover(root, RunDirectory.kernelOf(name), run, waiting);
      InstallationJournal journal = InstallationJournal.read(run);
      if (journal != null && journal.state() != InstallationJournal.State.UNDONE) {
        installed.add(name);
      }
    }
    unfinished.retain(installed);
  }

  private Done locked(String title, boolean initramfs, Listeners listeners, String version)
      throws TransactionException, IOException {
    RunInstallations installations = new RunInstallations(root, settings);
    LinkChanges links = new LinkChanges(settings, installations);
    HistoryEntry recovered = links.recover(root, initramfs, listeners.links());
    UnfinishedApply unfinished = new UnfinishedApply(root);
    settle(unfinished, listeners.builds()::phase);
    PlanResult plan = new LinkManager().plan(request);
    List<PlannedRebuild> rebuilds = planner.plan(plan);
    listeners.stages().planned(plan, rebuilds);
    int group = unfinished.begin();
    AppliedPlan fitting =
        links.apply(
            request,
            title,
            initramfs,
            installations.of(unfinished.names(), group),
            listeners.links());
    AppliedPlan first = new AppliedPlan(recovered, fitting.planned(), fitting.outcome());
    settings.faults().at("after links were made of what fits");
    listeners.stages().linked(first);
    List<RebuildResult> results =
        new RebuildSequence(root, request, planner, engine, settings, listeners.builds(), version)
            .run(rebuilds);
    settings.faults().at("before links are made of what was rebuilt");
    settle(unfinished, listeners.builds()::phase);
    List<String> installed = unfinished.names();
    TransactionOutcome outcome =
        installed.isEmpty()
            ? TransactionOutcome.NOTHING
            : links
                .apply(
                    request,
                    title,
                    initramfs,
                    installations.of(installed, group),
                    listeners.links())
                .outcome();
    settings.faults().at("after links were made of what was rebuilt");
    HistoryEntry entry = unfinished.recorded();
    InstalledRuns all = installations.of(entry == null ? List.of() : entry.installed());
    unfinished.forget();
    PlanResult now = new LinkManager().plan(request);
    return new Done(
        results,
        first,
        outcome,
        now,
        LeftToDo.initramfs(root, all.modules()),
        LeftToDo.loading(root, all, now.plan().next(), request.reading().threads()));
  }
}
