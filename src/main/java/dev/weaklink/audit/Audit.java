package dev.weaklink.audit;

import dev.weaklink.intake.Inventory;
import dev.weaklink.intake.Inventory.Kernel;
import dev.weaklink.intake.Inventory.Module;
import dev.weaklink.source.KernelReleaseOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Gathers nodes and groups them. Nodes with equal inventories are looked at once. */
public final class Audit {
  /** The order of sets. */
  private static final Comparator<Gathered> SETS =
      Comparator.comparing((Gathered gathered) -> gathered.set.kernel(), newestFirst())
          .thenComparing(gathered -> gathered.set.digest());

  private static final Comparator<AuditReport.Group> GROUPS =
      Comparator.comparing(AuditReport.Group::kernel, newestFirst())
          .thenComparing(group -> -group.nodes().count())
          .thenComparing(AuditReport.Group::set);

  private final Map<Inventory, List<String>> nodes = new LinkedHashMap<>();
  private int count;

  /** One node more; its name must be new. */
  public void add(String name, Inventory inventory) {
    nodes.computeIfAbsent(inventory, key -> new ArrayList<>()).add(name);
    count++;
  }

  /**
   * Groups what was added; the order in which it was does not matter.
   *
   * @param problems how many pieces of input were left aside
   */
  public AuditReport report(SetJudge judge, long problems) {
    Map<SetKey, Gathered> found = new HashMap<>();
    Map<RunningKey, List<String>> running = new TreeMap<>();
    List<String> incomplete = new ArrayList<>();
    nodes.forEach(
        (inventory, names) -> {
          gatherSets(inventory, names, found);
          gatherRunning(inventory, names, running);
          if (inventory.unread() > 0) {
            incomplete.addAll(names);
          }
        });
    List<Gathered> sets = new ArrayList<>(found.values());
    sets.sort(SETS);
    return new AuditReport(
        count,
        List.of(),
        sets(sets),
        groups(sets, judge),
        defects(running),
        List.of(),
        List.of(),
        List.of(),
        Nodes.of(incomplete),
        problems,
        null,
        null);
  }

  private static void gatherSets(
      Inventory inventory, List<String> names, Map<SetKey, Gathered> sets) {
    for (String kernel : kernels(inventory)) {
      ModuleSet set = ModuleSet.of(inventory, kernel);
      Gathered gathered =
          sets.computeIfAbsent(new SetKey(kernel, set.digest()), key -> new Gathered(set));
      gathered.names.addAll(names);
      if (kernel.equals(inventory.running())) {
        gathered.running += names.size();
      }
    }
  }

  /** Those with a directory, and the one that runs: it may have lost its directory. */
  private static SortedSet<String> kernels(Inventory inventory) {
    SortedSet<String> kernels = new TreeSet<>();
    for (Kernel kernel : inventory.kernels()) {
      kernels.add(kernel.release());
    }
    for (Module module : inventory.modules()) {
      kernels.add(module.kernel());
    }
    if (inventory.running() != null) {
      kernels.add(inventory.running());
    }
    return kernels;
  }

  private static void gatherRunning(
      Inventory inventory, List<String> names, Map<RunningKey, List<String>> running) {
    String kernel = inventory.running();
    if (kernel == null) {
      return;
    }
    for (Defect defect : RunningModules.defects(inventory)) {
      running
          .computeIfAbsent(new RunningKey(kernel, defect), key -> new ArrayList<>())
          .addAll(names);
    }
  }

  private static List<AuditReport.AuditedSet> sets(List<Gathered> gathered) {
    List<AuditReport.AuditedSet> sets = new ArrayList<>();
    for (Gathered one : gathered) {
      sets.add(
          new AuditReport.AuditedSet(
              sets.size(), one.set.digest(), one.set.kernel(), null, modules(one.set), null, null));
    }
    return sets;
  }

  private static List<AuditReport.AuditedModule> modules(ModuleSet set) {
    List<AuditReport.AuditedModule> modules = new ArrayList<>();
    for (Module module : set.modules()) {
      modules.add(
          new AuditReport.AuditedModule(
              module.name(),
              module.path(),
              module.digest(),
              module.version(),
              module.srcversion(),
              module.vermagic()));
    }
    return List.copyOf(modules);
  }

  private static List<AuditReport.Group> groups(List<Gathered> sets, SetJudge judge) {
    List<AuditReport.Group> groups = new ArrayList<>();
    for (int i = 0; i < sets.size(); i++) {
      Gathered gathered = sets.get(i);
      List<Defect> defects = new ArrayList<>(judge.judge(gathered.set));
      Collections.sort(defects);
      groups.add(
          new AuditReport.Group(
              i,
              gathered.set.kernel(),
              Nodes.of(gathered.names),
              gathered.running,
              List.copyOf(defects)));
    }
    groups.sort(GROUPS);
    return groups;
  }

  private static List<AuditReport.RunningDefect> defects(Map<RunningKey, List<String>> running) {
    List<AuditReport.RunningDefect> defects = new ArrayList<>();
    running.forEach(
        (key, names) ->
            defects.add(new AuditReport.RunningDefect(key.kernel, key.defect, Nodes.of(names))));
    return defects;
  }

  private static Comparator<String> newestFirst() {
    return KernelReleaseOrder.INSTANCE.reversed();
  }

  private record SetKey(String kernel, String digest) {}

  private record RunningKey(String kernel, Defect defect) implements Comparable<RunningKey> {
    @Override
    public int compareTo(RunningKey other) {
      int order = newestFirst().compare(kernel, other.kernel);
      return order != 0 ? order : defect.compareTo(other.defect);
    }
  }

  /** The nodes of one set, while they are gathered. */
  private static final class Gathered {
    final ModuleSet set;
    final List<String> names = new ArrayList<>();
    int running;

    Gathered(ModuleSet set) {
      this.set = set;
    }
  }
}
