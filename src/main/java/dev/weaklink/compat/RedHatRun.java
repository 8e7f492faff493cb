package dev.weaklink.compat;

import dev.weaklink.check.Trust;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakLink;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What weak-modules would do: finds it out and says it, and writes nothing. */
final class RedHatRun {
  private final StandardStreams streams;
  private final BaseDirectory base;
  private final Trust trust;
  private final boolean verbose;
  private final DialectCommit commit;
  private final int threads = Runtime.getRuntime().availableProcessors();
  private final PendingChanges work = new PendingChanges();

  /** {@code trust} is what kernels are to make of signatures. */
  RedHatRun(
      StandardStreams streams,
      BaseDirectory base,
      Trust trust,
      boolean verbose,
      DialectCommit commit) {
    this.streams = streams;
    this.base = base;
    this.trust = trust;
    this.verbose = verbose;
    this.commit = commit;
  }

  /** Links to these modules on every other kernel that would load them; all of them or none. */
  PendingChanges addModules(List<String> paths) throws IOException {
    List<String> there = new ArrayList<>();
    for (String path : paths) {
      if (base.exists(path)) {
        there.add(path);
      } else {
        streams.complain(path + ": no such file; no link is made to it");
      }
    }
    LinkBatch listed = new ModuleLinks(base, threads).to(there, LinkPlace::redHat);
    if (listed.links().isEmpty()) {
      return work;
    }
    for (String kernel : kernels()) {
      addModules(kernel, listed);
    }
    for (ModuleLink link : listed.links()) {
      work.changed(link.release(), link.fileName());
    }
    return work;
  }

  private void addModules(String kernel, LinkBatch listed) throws IOException {
    boolean concerned = !foreign(listed.links(), kernel).isEmpty();
    KernelLinkSimulation trial = concerned ? openQuietly(kernel) : null;
    if (trial == null) {
      return;
    }
    List<ModuleLink> foreign = foreign(trial.proven(listed), kernel);
    List<Rejection> rejections = update(trial).addWhole(foreign);
    SignatureWords.sayNotLinked(streams, kernel, rejections);
    work.add(kernel, trial.changes());
  }

  private KernelUpdate update(KernelLinkSimulation trial) {
    return new KernelUpdate(streams, trial, verbose, work);
  }

  /** Links to the modules below extra of other kernels; null if nothing is known of this one. */
  @Nullable PendingChanges addKernel(String kernel) throws IOException {
    List<InputProblem> problems = new ArrayList<>();
    boolean there = ModulesDirectory.find(base.root(), kernel) != null;
    ProviderBuilds builds =
        new ProviderBuilds(base, there ? providers(kernel) : List.of(), threads);
    KernelLinkSimulation trial =
        there ? KernelLinkSimulation.open(base, kernel, trust, threads, problems) : null;
    if (trial == null) {
      complainOfSymvers(kernel, problems);
      return null;
    }
    KernelUpdate update = update(trial);
    for (var next = builds.next(); next != null; next = builds.next()) {
      next.problems().forEach(this::complain);
      update.addProvider(trial.proven(next.links()));
    }
    SignatureWords.sayNotLinked(streams, kernel, trial.refused());
    SignatureWords.sayRemoved(streams, kernel, trial.removed());
    work.add(kernel, trial.changes());
    return work;
  }

  private void complain(InputProblem problem) {
    streams.complain(problem.subject() + ": " + problem.message());
  }

  private void complainOfSymvers(String kernel, List<InputProblem> problems) {
    problems.forEach(this::complain);
    String boot = base.spelt("/boot/symvers-" + kernel);
    String modules = base.spelt("/lib/modules/" + kernel + "/symvers");
    streams.log(
        "Symvers dump file is not found in "
            + String.join(" ", boot + ".xz", modules + ".xz", boot + ".gz", modules + ".gz"));
  }

  /** Other kernels, installed or not, from new to old. */
  private List<String> providers(String kernel) throws IOException {
    List<String> providers = new ArrayList<>(InstalledKernels.list(base.root()));
    providers.remove(kernel);
    providers.sort(KernelReleaseOrder.INSTANCE.reversed());
    return providers;
  }

  /**
   * Removes links that lead to these modules, if the modules are gone; and what does not fit on any
   * kernel.
   */
  PendingChanges removeModules(List<String> paths) throws IOException {
    LinkBatch listed = new ModuleLinks(base, threads).to(paths, LinkPlace::redHat);
    for (String kernel : paths.isEmpty() ? List.<String>of() : kernels()) {
      removeModules(kernel, listed);
    }
    for (ModuleLink link : listed.links()) {
      work.changed(link.release(), link.fileName());
    }
    return work;
  }

  private void removeModules(String kernel, LinkBatch listed) throws IOException {
    Map<String, WeakLink> links = new TreeMap<>();
    for (WeakLink link : WeakUpdates.scan(base.root(), kernel).links()) {
      links.put(link.place(), link);
    }
    KernelLinkSimulation trial = links.isEmpty() ? null : openQuietly(kernel);
    List<Change> gone = new ArrayList<>();
    for (ModuleLink link : listed.links()) {
      WeakLink present = links.get(link.place());
      if (present == null || !present.target().equals(link.target())) {
        sayVerbosely("Skipping symlink " + spelt(kernel, link.place()));
      } else if (!base.exists(link.target())) {
        links.remove(link.place());
        gone.add(new Change.RemoveLink(present.inside(), present.target()));
      }
    }
    if (trial != null) {
      update(trial).clean(trial.proven(listed));
      SignatureWords.sayRemoved(streams, kernel, trial.removed());
      work.add(kernel, trial.changes());
    }
    for (Change change : gone) {
      String file = PathFormat.fileName(change.path());
      sayVerbosely("Removing compatible module " + file + " from kernel " + kernel);
    }
    work.add(kernel, gone);
  }

  private String spelt(String kernel, String place) throws IOException {
    ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
    return base.spelt(
        (directory == null ? "/lib/modules/" + kernel : directory.inside()) + "/" + place);
  }

  /** Removes all links of a kernel. */
  PendingChanges removeKernel(String kernel) throws IOException {
    WeakUpdates weak = WeakUpdates.scan(base.root(), kernel);
    for (String file : weak.files()) {
      streams.complain(base.spelt(file) + ": not a link; left where it is");
    }
    work.remove(kernel, weak.links());
    return work;
  }

  /** Kernels that exist, by name. */
  private List<String> kernels() throws IOException {
    List<String> kernels = new ArrayList<>();
    for (String kernel : InstalledKernels.list(base.root())) {
      if (commit.isInstalled(kernel)) {
        kernels.add(kernel);
      }
    }
    kernels.sort(null);
    return kernels;
  }

  /** Kernels that nothing is known of take no part. */
  private @Nullable KernelLinkSimulation openQuietly(String kernel) throws IOException {
    return KernelLinkSimulation.open(base, kernel, trust, threads, new ArrayList<>());
  }

  /** Those that do not lie in this kernel's own directory, however that is spelt. */
  private List<ModuleLink> foreign(List<ModuleLink> listed, String kernel) throws IOException {
    ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
    List<ModuleLink> foreign = new ArrayList<>();
    for (ModuleLink link : listed) {
      boolean own =
          directory != null
              && base.host(link.target()).toRealPath().startsWith(directory.host().toRealPath());
      if (!own) {
        foreign.add(link);
      }
    }
    return foreign;
  }

  private void sayVerbosely(String line) throws IOException {
    if (verbose) {
      streams.say(line);
    }
  }
}
