package dev.weaklink.rebuild.run;

import dev.weaklink.links.transaction.Change;
import dev.weaklink.links.transaction.ExternalInstallation;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.TransactionException;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionRunner;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.PackageResult;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleBuilds;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Installs what was built: by the tool that built it, as packages where the root has a database of
 * their kind, else as files, in a transaction that ends with depmod. What other programs will
 * install is in the history before they begin.
 */
public final class Installation {
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private final PreparedRebuild prepared;
  private final RebuildOutcome outcome;
  private final TransactionSettings settings;
  private final Root root;
  private final String kernel;
  private final String title;
  private final TransactionRunner runner;

  /**
   * Of one run.
   *
   * @param title the words of the command line, for the history
   * @param waiting gets a line about the process that the transaction waits for
   */
  public Installation(
      PreparedRebuild prepared,
      RebuildOutcome outcome,
      TransactionSettings settings,
      String title,
      Consumer<String> waiting) {
    this.prepared = prepared;
    this.outcome = outcome;
    this.settings = settings;
    this.root = prepared.root();
    this.kernel = prepared.job().place().kernel();
    this.title = title;
    this.runner = new TransactionRunner(root, settings, new Waiting(waiting));
  }

  /** Of the transaction nothing else is worth saying. */
  private record Waiting(Consumer<String> listener) implements TransactionListener {
    @Override
    public void waitingFor(LockFile.Holder holder) {
      listener.accept("waiting for " + holder.words() + ", which is changing links");
    }
  }

  /**
   * What was installed.
   *
   * @param undo commands that take it back; empty if {@code weaklink undo} does
   * @param missing packages that are installed each by itself and were not, and why
   * @param leftOut modules of the others that DKMS left out, as it prefers the kernel's own
   */
  public record Installed(List<String> undo, List<PackageResult> missing, List<String> leftOut) {
    public Installed {
      undo = List.copyOf(undo);
      missing = List.copyOf(missing);
      leftOut = List.copyOf(leftOut);
    }

    /** Of the modules that were built, the names of those that were installed. */
    Set<String> names(Manifest manifest) {
      List<BuiltModule> installed = new ArrayList<>(manifest.modules());
      for (PackageResult one : missing) {
        installed.removeIf(module -> isOf(one.label(), module));
      }
      Set<String> names = BuiltModule.names(installed);
      names.removeAll(leftOut);
      return names;
    }
  }

  /** Whether DKMS built a module for that package. */
  private static boolean isOf(String label, BuiltModule module) {
    return module.file().contains("/" + label + "/");
  }

  /**
   * Installs. Where packages are installed each by itself, one that fails keeps no other from it.
   *
   * @param group what it belongs to in the history
   * @throws InstallationException if that fails; says whether everything is as before
   */
  public Installed run(TransactionGroup group) throws InstallationException {
    try (LockFile lock = lock(root, kernel)) {
      if (lock == null) {
        throw new InstallationException("another rebuild is running for " + kernel, true);
      }
      return locked(group);
    } catch (IOException e) {
      throw new InstallationException("cannot install: " + IoReason.of(e), false);
    }
  }

  /** The lock of a kernel's rebuilds; null if somebody has it. */
  static @Nullable LockFile lock(Root root, String kernel) throws IOException {
    Path file = RunDirectory.lock(root, kernel);
    Path parent = file.getParent();
    if (parent != null) {
      DurableFiles.createDirectories(parent);
    }
    String title = "weaklink rebuild --kernel " + kernel;
    return LockFile.acquire(file, title, Duration.ZERO, holder -> {});
  }

  private Installed locked(TransactionGroup group) throws InstallationException {
    boolean changed = false;
    try {
      Diagnosis damage = RunRecord.changed(outcome.manifest());
      if (damage != null) {
        throw new InstallationException("cannot install: " + damage.line(), true);
      }
      PackageInstaller.Way way = way();
      if (way == null) {
        carryOut(files(), group);
        return new Installed(List.of(), List.of(), List.of());
      }
      ExternalInstallation external = announce(way, group);
      settings.faults().at("before installing");
      changed = true;
      List<PackageResult> missing = execute(way.steps());
      carryOut(List.of(), group);
      return new Installed(external.removal(), missing, leftOut(missing));
    } catch (IOException | UnusableJobException e) {
      String reason =
          e instanceof IOException io ? IoReason.of(io) : String.valueOf(e.getMessage());
      throw new InstallationException("cannot install: " + reason, !changed);
    } catch (TransactionException e) {
      boolean undone = !changed && e.outcome() != TransactionException.Outcome.BROKEN;
      throw new InstallationException("cannot install: " + e.getMessage(), undone);
    }
  }

  /**
   * Writes down what other programs will install. If that was broken off, only what was written
   * down then is about what was there before.
   */
  private ExternalInstallation announce(PackageInstaller.Way way, TransactionGroup group)
      throws IOException, TransactionException {
    String run = RunDirectory.name(outcome.directory());
    History history = History.read(root);
    ExternalInstallation earlier = history.external(run);
    if (earlier != null && !history.installed().contains(run)) {
      return earlier;
    }
    List<String> modules = List.copyOf(BuiltModule.names(outcome.manifest().modules()));
    ExternalInstallation external = new ExternalInstallation(run, modules, way.undo());
    runner.run(
        new LinkTransaction(
            title, List.of(), List.of(), List.of(), List.of(), List.of(external), group));
    return external;
  }

  /** Installs files, if any, and runs depmod; then the history says that this run is installed. */
  private void carryOut(List<Change> files, TransactionGroup group)
      throws IOException, TransactionException {
    String run = RunDirectory.name(outcome.directory());
    boolean again = History.read(root).installed().contains(run);
    runner.run(
        new LinkTransaction(
            title,
            files,
            List.of(kernel),
            List.of(),
            again ? List.of() : List.of(run),
            List.of(),
            group));
  }

  /** Who installs it if not we; null if we do. */
  private PackageInstaller.@Nullable Way way() throws IOException, UnusableJobException {
    List<Step> own = prepared.backend().installation(job(), replacing());
    if (!own.isEmpty()) {
      List<String> undo = new ArrayList<>();
      for (Step step : prepared.backend().removal(job())) {
        undo.add(step.commandLine());
      }
      return new PackageInstaller.Way(own, undo);
    }
    return new PackageInstaller(root, prepared.request().environment())
        .of(outcome.results().packages());
  }

  private Set<String> replacing() throws IOException {
    Set<String> present = present();
    Set<String> labels = new TreeSet<>();
    for (String label : job().packages()) {
      for (BuiltModule module : outcome.manifest().modules()) {
        if (isOf(label, module) && present.contains(module.name())) {
          labels.add(label);
        }
      }
    }
    return labels;
  }

  /** Names of the modules that the kernel has now, installed or linked, beside its own. */
  private Set<String> present() throws IOException {
    Set<String> names = new TreeSet<>();
    ModuleBuilds.of(root, kernel, new ArrayList<>()).forEach(build -> names.add(build.name()));
    WeakUpdates.scan(root, kernel).links().forEach(link -> names.add(link.name()));
    return names;
  }

  private List<String> leftOut(List<PackageResult> missing) throws IOException {
    if (!prepared.backend().id().equals("dkms")) {
      return List.of();
    }
    Set<String> left = new Installed(List.of(), missing, List.of()).names(outcome.manifest());
    left.removeAll(present());
    return new ArrayList<>(left);
  }

  /** Of packages that were built each by itself, those that were. */
  private Job job() {
    List<String> built = outcome.manifest().builtPackages();
    return built.isEmpty() ? prepared.job() : prepared.job().with(built);
  }

  /** Fails if none can be carried out, or one that is not of a package by itself. */
  private List<PackageResult> execute(List<Step> steps) throws IOException {
    List<PackageResult> missing = new ArrayList<>();
    for (Step step : steps) {
      String reason = "";
      PackageResult.State state = PackageResult.State.FAILED;
      for (PackageResult other : missing) {
        if (step.needs().contains(other.label())) {
          state = PackageResult.State.SKIPPED;
          reason = "needs " + other.label() + ": " + other.state().id();
        }
      }
      if (reason.isEmpty()) {
        reason = attempt(step);
        settings.faults().at("after a step of an installation");
      }
      if (!reason.isEmpty()) {
        missing.add(new PackageResult(step.subject(), state, reason));
      }
    }
    if (!missing.isEmpty() && missing.size() == steps.size()) {
      throw new IOException(missing.get(0).reason());
    }
    return missing;
  }

  /** Why it failed, empty if it did not. */
  private String attempt(Step step) throws IOException {
    try {
      execute(step);
      return "";
    } catch (IOException e) {
      if (step.subject().isEmpty()) {
        throw e;
      }
      return String.valueOf(e.getMessage());
    }
  }

  private void execute(Step step) throws IOException {
    Map<String, String> environment =
        new HashMap<>(ProgramSearch.complete(prepared.request().environment()));
    environment.putAll(step.environment());
    // That of the build is gone.
    environment.remove("TMPDIR");
    ExternalCommand.Result result =
        ExternalCommand.of(step.words(), LIMIT).withEnvironment(environment).run();
    if (!result.succeeded()) {
      List<String> lines = result.lines();
      String last = lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1);
      throw new IOException(step.words().get(0) + ": " + result.reason() + last);
    }
  }

  private List<Change> files() throws IOException {
    ModulesDirectory directory = ModulesDirectory.find(root, kernel);
    if (directory == null) {
      throw new IOException("there is no directory of modules for kernel " + kernel);
    }
    Placement placement =
        new Placement(kernel, prepared.evidence().platform(), outcome.manifest().before());
    Map<String, Path> files = new TreeMap<>();
    for (Path file : outcome.results().modules()) {
      files.put(directory.inside() + "/" + placement.of(file), file);
    }
    for (Path file : outcome.results().overrides()) {
      files.put("/etc/depmod.d/" + file.getFileName(), file);
    }
    List<Change> changes = new ArrayList<>();
    files.forEach((inside, file) -> changes.add(new Change.PutFile(inside, file)));
    return changes;
  }
}
