package dev.weaklink.compat;

import dev.weaklink.loader.DependencyGroups;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.ModuleNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tries lists of modules on one kernel, one list after the other, and says how that went in the
 * words that scripts look for.
 */
final class KernelUpdate {
  private final StandardStreams streams;
  private final KernelLinkSimulation trial;
  private final boolean verbose;
  private final PendingChanges work;
  private final Set<String> linked = new HashSet<>();

  /** {@code work} takes the kernel if a link on it gets another file behind it. */
  KernelUpdate(
      StandardStreams streams, KernelLinkSimulation trial, boolean verbose, PendingChanges work) {
    this.streams = streams;
    this.trial = trial;
    this.verbose = verbose;
    this.work = work;
  }

  /**
   * Links all of a list or, if one of them does not fit, none.
   *
   * @return why not
   */
  List<Rejection> addWhole(List<ModuleLink> list) throws IOException {
    Map<String, ModuleLink> earlier = trial.links();
    put(list);
    List<Rejection> rejections = trial.settleWhole();
    sayVerdicts(list, rejections);
    if (trial.areOld(rejections)) {
      remember(list);
      return List.of();
    }
    say("Falling back weak-modules state for kernel " + trial.release());
    trial.restore(earlier);
    return rejections;
  }

  /**
   * Links what fits of another kernel's modules: first those that have nothing to do with each
   * other, then groups. Names that a newer kernel had are left out.
   */
  void addProvider(List<ModuleLink> builds) throws IOException {
    List<ModuleLink> singles = new ArrayList<>();
    List<List<ModuleLink>> groups = new ArrayList<>();
    List<KernelModule> modules = builds.stream().map(ModuleLink::module).toList();
    for (List<Integer> places : DependencyGroups.ofUsers(modules)) {
      List<ModuleLink> group = places.stream().map(builds::get).toList();
      if (group.size() == 1) {
        singles.addAll(group);
      } else {
        groups.add(group);
      }
    }
    addSingles(unlinked(singles));
    if (groups.size() == 1 || !addTogether(groups)) {
      for (List<ModuleLink> group : groups) {
        List<ModuleLink> left = unlinked(group);
        if (!left.isEmpty()) {
          addWhole(left);
        }
      }
    }
  }

  /** Where all groups fit at once, one trial does for all of them; else nothing is done. */
  private boolean addTogether(List<List<ModuleLink>> groups) throws IOException {
    Map<String, ModuleLink> earlier = trial.links();
    Map<String, ModuleLink> byName = new HashMap<>();
    for (List<ModuleLink> group : groups) {
      for (ModuleLink link : unlinked(group)) {
        // What several groups need is one module; two of one name are for their groups to settle.
        ModuleLink known = byName.putIfAbsent(name(link), link);
        if (known != null && !known.equals(link)) {
          trial.restore(earlier);
          return false;
        }
        trial.put(link);
      }
    }
    if (!byName.isEmpty() && !trial.settleWhole().isEmpty()) {
      trial.restore(earlier);
      return false;
    }
    for (List<ModuleLink> group : groups) {
      List<ModuleLink> left = unlinked(group);
      for (ModuleLink link : left) {
        noteUpdate(link, earlier.containsKey(link.place()));
      }
      sayVerdicts(left, List.of());
      remember(left);
    }
    return true;
  }

  /** What fits stays; where it does not, what was there before comes back. */
  private void addSingles(List<ModuleLink> singles) throws IOException {
    if (singles.isEmpty()) {
      return;
    }
    Map<String, ModuleLink> earlier = trial.links();
    put(singles);
    List<Rejection> rejections = trial.settle();
    sayVerdicts(singles, rejections);
    boolean restored = false;
    for (Rejection rejection : rejections) {
      ModuleLink before = earlier.get(rejection.link().place());
      if (before != null && !before.equals(rejection.link())) {
        trial.put(before);
        restored = true;
      }
    }
    if (restored) {
      trial.settle();
    }
    remember(singles);
    sayRemoved(earlier);
  }

  /** Takes away links that do not fit. */
  void clean(List<ModuleLink> listed) throws IOException {
    Map<String, ModuleLink> earlier = trial.links();
    sayVerdicts(listed, trial.settle());
    sayRemoved(earlier);
  }

  private void put(List<ModuleLink> links) throws IOException {
    for (ModuleLink link : links) {
      noteUpdate(link, trial.isTaken(link.place()));
      trial.put(link);
    }
  }

  private void noteUpdate(ModuleLink link, boolean present) throws IOException {
    String kernel = trial.release();
    if (trial.hasOwn(link)) {
      String what = "found " + link.fileName() + " for " + kernel;
      say(what + " while installing for " + link.release() + ", update case?");
    }
    if (present) {
      String what = "weak module for " + link.fileName() + " already exists for kernel ";
      say(what + kernel + ", update case?");
      work.changed(kernel);
    }
  }

  private List<ModuleLink> unlinked(List<ModuleLink> links) {
    return links.stream().filter(link -> !linked.contains(name(link))).toList();
  }

  private void remember(List<ModuleLink> tried) {
    for (ModuleLink link : tried) {
      if (trial.isLinked(link)) {
        linked.add(name(link));
      }
    }
  }

  private static String name(ModuleLink link) {
    return ModuleNames.ofFile(link.fileName());
  }

  private void sayVerdicts(List<ModuleLink> tried, List<Rejection> rejections) throws IOException {
    String kernel = trial.release();
    for (Rejection rejection : rejections) {
      String symbols = String.join(" ", rejection.symbols());
      say(
          subject(rejection.link())
              + "not compatible with kernel "
              + kernel
              + " in symbols:  "
              + symbols);
    }
    for (ModuleLink link : tried) {
      if (trial.isLinked(link)) {
        say(subject(link) + "compatible with kernel " + kernel);
      }
    }
  }

  private static String subject(ModuleLink link) {
    return "Module " + link.fileName() + " from kernel " + link.release() + " is ";
  }

  /** Links that were there on disk and are to go. */
  private void sayRemoved(Map<String, ModuleLink> earlier) throws IOException {
    for (ModuleLink link : earlier.values()) {
      if (trial.isRemoved(link.place())) {
        say("Removing compatible module " + link.fileName() + " from kernel " + trial.release());
      }
    }
  }

  private void say(String line) throws IOException {
    if (verbose) {
      streams.say(line);
    }
  }
}
