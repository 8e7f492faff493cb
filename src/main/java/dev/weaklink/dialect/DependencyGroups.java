package dev.weaklink.dialect;

import dev.weaklink.module.SymbolNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Modules with those of their companions whose symbols they use, directly or through others. */
final class DependencyGroups {
  private DependencyGroups() {}

  /** One group for each module, itself first, in order. */
  static List<List<ModuleLink>> of(List<ModuleLink> modules) {
    Map<String, Integer> exporters = exporters(modules);
    List<Set<Integer>> needs = new ArrayList<>();
    for (int i = 0; i < modules.size(); i++) {
      needs.add(needs(i, modules.get(i).module().imports().names(), exporters));
    }
    List<List<ModuleLink>> groups = new ArrayList<>();
    for (int i = 0; i < modules.size(); i++) {
      List<ModuleLink> group = new ArrayList<>();
      group.add(modules.get(i));
      for (int needed : closure(i, needs)) {
        group.add(modules.get(needed));
      }
      groups.add(group);
    }
    return groups;
  }

  private static Map<String, Integer> exporters(List<ModuleLink> modules) {
    Map<String, Integer> exporters = new HashMap<>();
    for (int i = 0; i < modules.size(); i++) {
      SymbolNames names = modules.get(i).module().exports().names();
      for (int s = 0; s < names.size(); s++) {
        exporters.putIfAbsent(names.name(s), i);
      }
    }
    return exporters;
  }

  private static Set<Integer> needs(int self, SymbolNames imports, Map<String, Integer> exporters) {
    Set<Integer> needs = new TreeSet<>();
    for (int s = 0; s < imports.size() && !exporters.isEmpty(); s++) {
      Integer exporter = exporters.get(imports.name(s));
      if (exporter != null && exporter != self) {
        needs.add(exporter);
      }
    }
    return needs;
  }

  private static Set<Integer> closure(int start, List<Set<Integer>> needs) {
    Set<Integer> reached = new TreeSet<>();
    Deque<Integer> open = new ArrayDeque<>(needs.get(start));
    while (!open.isEmpty()) {
      int next = open.pop();
      if (next != start && reached.add(next)) {
        open.addAll(needs.get(next));
      }
    }
    return reached;
  }
}
