package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.load.Demand;
import dev.weaklink.load.KernelRows;
import dev.weaklink.module.KernelModule;
import dev.weaklink.report.InputProblem;
import dev.weaklink.report.TargetKind;
import dev.weaklink.report.TargetSummary;
import dev.weaklink.source.KernelFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An installed kernel to plan for: what it offers, and its own modules, read as they are needed.
 */
public final class KernelView {
  private final OpenTarget target;
  private final NativeModules natives;
  private final TargetKeys keys;

  private KernelView(OpenTarget target, NativeModules natives, @Nullable Root machine) {
    this.target = target;
    this.natives = natives;
    this.keys = new TargetKeys(target, List.of(), machine);
  }

  /** Opens an installed kernel; its symvers is read while the caller looks for its modules. */
  public static final class Opening {
    private final Root root;
    private final String release;
    private final KernelFiles files;
    private final SymversReading symvers;

    private Opening(Root root, String release, KernelFiles files) {
      this.root = root;
      this.release = release;
      this.files = files;
      this.symvers = SymversReading.start(files.symvers());
    }

    /**
     * The kernel with these modules.
     *
     * @param tree the modules to be taken for the kernel's own
     * @param problems takes what is wrong with its files
     * @return null if nothing can be judged on it; a problem then says why
     */
    public @Nullable KernelView with(
        ModuleTree tree, ReadOptions options, List<InputProblem> problems) {
      return with(tree, Map.of(), options, problems);
    }

    /**
     * As the other one, on the machine there is: what it insists on about signatures counts, unless
     * {@code loader} says otherwise.
     *
     * @param loader loader rules set by hand
     */
    public @Nullable KernelView onMachine(
        ModuleTree tree,
        Map<LoaderRule, String> loader,
        ReadOptions options,
        List<InputProblem> problems) {
      KernelView view = with(tree, loader, options, problems);
      MachinePolicy machine = view == null || !root.isHost() ? null : MachinePolicy.read(root);
      return view == null || machine == null
          ? view
          : new KernelView(view.target.on(machine), view.natives, root);
    }

    private @Nullable KernelView with(
        ModuleTree tree,
        Map<LoaderRule, String> loader,
        ReadOptions options,
        List<InputProblem> problems) {
      TargetFiles found =
          new TargetFiles(
              release,
              TargetKind.INSTALLED_KERNEL,
              release,
              symvers,
              files.ofedSymvers(),
              files.images(),
              files.configs().isEmpty() ? null : files.configs().get(0),
              files.builtinModinfo(),
              tree,
              Map.of(),
              List.of());
      OpenTarget target = TargetReader.read(found, loader, options, problems);
      NativeModules natives = target == null ? null : target.natives();
      return target == null || natives == null ? null : new KernelView(target, natives, null);
    }
  }

  /**
   * Begins to open an installed kernel.
   *
   * @throws IOException if the release is not a plain name
   */
  public static Opening open(Root root, String release) throws IOException {
    return new Opening(root, release, KernelFiles.locate(root, release));
  }

  TargetKeys keys() {
    return keys;
  }

  /** What it offers. */
  public TargetKernel kernel() {
    return target.kernel();
  }

  /** What is said of it in reports. */
  public TargetSummary summary() {
    return target.summary();
  }

  /** Its own modules of these names, in this order; those that cannot be read are left out. */
  public List<KernelModule> named(Collection<String> names) {
    return natives.named(names);
  }

  /** All its own modules, sorted by name. */
  public List<KernelModule> all() {
    return natives.all();
  }

  /** Whether it has a module of its own by this name. */
  public boolean has(String name) {
    return natives.has(name);
  }

  /** Its own modules that these need, directly or through others. */
  public List<KernelModule> neededBy(Collection<KernelModule> modules, KernelRows rows) {
    Demand demand = new Demand(target.kernel(), List.of(), target.known(), rows);
    List<KernelModule> needed = new ArrayList<>();
    Collection<KernelModule> asking = modules;
    while (!asking.isEmpty()) {
      asking = natives.named(demand.wantedBy(asking));
      needed.addAll(asking);
    }
    return needed;
  }

  /** Own files that could not be read so far, and why, by path. */
  public Map<String, String> failures() {
    return natives.failures();
  }

  /** Names of own modules that could not be read so far. */
  public Set<String> unreadable() {
    return natives.unreadableNames();
  }
}
