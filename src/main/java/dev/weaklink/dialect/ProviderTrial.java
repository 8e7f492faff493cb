package dev.weaklink.dialect;

import dev.weaklink.tree.ModuleNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tries the modules of one other kernel: first those that need no others of them, then groups. */
final class ProviderTrial {
  private final Streams streams;
  private final KernelTrial trial;
  private final boolean verbose;
  private final Set<String> linked;

  /** {@code linked} holds names of modules that a newer provider has, and takes more. */
  ProviderTrial(Streams streams, KernelTrial trial, boolean verbose, Set<String> linked) {
    this.streams = streams;
    this.trial = trial;
    this.verbose = verbose;
    this.linked = linked;
  }

  /** Puts what fits into the trial. */
  void add(List<ModuleLink> builds) throws IOException {
    List<ModuleLink> singles = new ArrayList<>();
    List<List<ModuleLink>> groups = new ArrayList<>();
    for (List<ModuleLink> group : DependencyGroups.of(builds)) {
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
          addGroup(left);
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
      say(left, List.of());
      note(left, Set.of());
    }
    return true;
  }

  private void put(List<ModuleLink> links) {
    for (ModuleLink link : links) {
      trial.put(link);
    }
  }

  private List<ModuleLink> unlinked(List<ModuleLink> links) {
    List<ModuleLink> unlinked = new ArrayList<>();
    for (ModuleLink link : links) {
      if (!linked.contains(name(link))) {
        unlinked.add(link);
      }
    }
    return unlinked;
  }

  private static String name(ModuleLink link) {
    return ModuleNames.ofFile(link.fileName());
  }

  /** What fits stays; where it does not, what was there before comes back. */
  private void addSingles(List<ModuleLink> singles) throws IOException {
    if (singles.isEmpty()) {
      return;
    }
    Map<String, ModuleLink> earlier = trial.links();
    put(singles);
    List<Rejection> rejections = trial.settle();
    say(singles, rejections);
    boolean restored = false;
    Set<String> rejected = new HashSet<>();
    for (Rejection rejection : rejections) {
      String place = rejection.link().place();
      rejected.add(place);
      ModuleLink before = earlier.get(place);
      if (before != null && !before.equals(rejection.link())) {
        trial.put(before);
        restored = true;
      }
    }
    if (restored) {
      trial.settle();
    }
    note(singles, rejected);
  }

  /** All of a group or nothing of it. */
  private void addGroup(List<ModuleLink> group) throws IOException {
    Map<String, ModuleLink> earlier = trial.links();
    put(group);
    List<Rejection> rejections = trial.settleWhole();
    say(group, rejections);
    if (rejections.isEmpty()) {
      note(group, Set.of());
      return;
    }
    if (verbose) {
      streams.say("Falling back weak-modules state for kernel " + trial.release());
    }
    trial.restore(earlier);
  }

  private void note(List<ModuleLink> tried, Set<String> rejected) {
    for (ModuleLink link : tried) {
      if (!rejected.contains(link.place())) {
        linked.add(name(link));
      }
    }
  }

  private void say(List<ModuleLink> tried, List<Rejection> rejections) throws IOException {
    if (verbose) {
      new VerdictLines(streams).say(trial.release(), tried, rejections);
    }
  }
}
