package dev.weaklink.check;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.BrokenImporters;
import dev.weaklink.loader.Demand;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.Dependants;
import dev.weaklink.system.ModuleFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What modules keep from loading that are put in the place of a kernel's own: those that use what
 * they replace. Where nothing is replaced, or all its exports stay as they are, nothing is read.
 */
public final class Replacements {
  private final OpenTarget target;
  private final NativeModules own;
  private final NativeModules without;
  private final int threads;

  /**
   * Modules put in place on a target.
   *
   * @param files where they lie: one that is in place already is left out to see what it replaces
   */
  private Replacements(OpenTarget target, NativeModules own, Collection<Path> files, int threads) {
    this.target = target;
    this.own = own;
    this.without = own.without(files);
    this.threads = threads;
  }

  /**
   * Adds to verdicts what other modules would no longer load if these were in place.
   *
   * @param files of the modules the verdicts are about
   */
  public static List<Verdict> judged(
      OpenTarget target, Collection<Path> files, List<Verdict> verdicts, int threads) {
    NativeModules own = target.natives();
    return own == null ? verdicts : new Replacements(target, own, files, threads).judged(verdicts);
  }

  private List<Verdict> judged(List<Verdict> verdicts) {
    Map<String, KernelModule> given = given(verdicts);
    Set<String> replaced = new TreeSet<>();
    boolean lacking = false;
    for (KernelModule module : given.values()) {
      for (KernelModule before : without.named(List.of(module.name()))) {
        if (BrokenImporters.mayBreak(before, module)) {
          replaced.add(module.name());
          lacking |= isInPlace(module.name());
        }
      }
    }
    return replaced.isEmpty() ? verdicts : judged(verdicts, given, replaced, lacking);
  }

  /** Those that would load; of several of a name the one that is in place, else the first. */
  private Map<String, KernelModule> given(List<Verdict> verdicts) {
    Map<String, KernelModule> given = new LinkedHashMap<>();
    for (Verdict verdict : verdicts) {
      KernelModule module = verdict.module();
      if (verdict.outcome() != Outcome.INCOMPATIBLE && without.has(module.name())) {
        ModuleFile chosen = own.tree().chosen(module.name());
        if (chosen != null && chosen.inside().equals(module.origin().toString())) {
          given.put(module.name(), module);
        } else {
          given.putIfAbsent(module.name(), module);
        }
      }
    }
    return given;
  }

  /** Whether depmod has seen it in place, and so no longer lists who used what it lacks. */
  private boolean isInPlace(String name) {
    ModuleFile now = own.tree().chosen(name);
    return now != null && !now.equals(without.tree().chosen(name));
  }

  private List<Verdict> judged(
      List<Verdict> verdicts, Map<String, KernelModule> given, Set<String> replaced, boolean all) {
    List<KernelModule> placed = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (Verdict verdict : verdicts) {
      KernelModule chosen = given.getOrDefault(verdict.module().name(), verdict.module());
      if (names.add(chosen.name())) {
        placed.add(chosen);
      }
    }
    KernelRows rows = new KernelRows(target.kernel().exports());
    List<KernelModule> before = before(replaced, all, rows);
    rows.prepare(before, threads);
    TargetKernel kernel = Judge.kernel(target, placed, before);
    Map<String, List<Finding>> found =
        BrokenImporters.of(kernel, placed, before, without.unreadableNames(), rows, threads);
    List<Verdict> judged = new ArrayList<>();
    for (Verdict verdict : verdicts) {
      KernelModule module = verdict.module();
      List<Finding> broken = found.get(module.name());
      boolean blamed = broken != null && given.get(module.name()) == module;
      judged.add(blamed && broken != null ? verdict.with(broken) : verdict);
    }
    return judged;
  }

  /** Those replaced, those that use them, and what these need. */
  private List<KernelModule> before(Set<String> replaced, boolean all, KernelRows rows) {
    Set<String> users = all ? null : Dependants.of(own.tree().directory(), replaced);
    Set<String> names = new LinkedHashSet<>(replaced);
    names.addAll(users == null ? without.names() : users);
    Demand demand = new Demand(target.kernel(), List.of(), known(), rows);
    Collection<KernelModule> asking = without.proven(names);
    while (!asking.isEmpty()) {
      Collection<String> wanted = demand.wantedBy(asking);
      names.addAll(wanted);
      asking = without.named(wanted);
    }
    return without.proven(names);
  }

  /** What has been read because nothing else says who exports what, as it is without. */
  private List<KernelModule> known() {
    Set<String> names = new LinkedHashSet<>();
    target.known().forEach(module -> names.add(module.origin().moduleName()));
    return without.named(names);
  }
}
