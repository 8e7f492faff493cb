package dev.weaklink.dialect;

import dev.weaklink.module.SymbolNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Modules that belong together because one uses symbols of the other, as weak-modules groups them:
 * a group is a module that none of the others needs, with all it needs.
 */
final class DependencyGroups {
  private DependencyGroups() {}

  /** The groups; what several modules need is in the group of each. */
  static List<List<ModuleLink>> of(List<ModuleLink> modules) {
    Map<String, Integer> exporters = exporters(modules);
    List<Set<Integer>> needs = new ArrayList<>();
    for (int i = 0; i < modules.size(); i++) {
      needs.add(needs(i, modules.get(i).module().imports().names(), exporters));
    }
    Map<Integer, Set<Integer>> groups = new TreeMap<>();
    Set<Integer> grouped = new HashSet<>();
    for (int i = 0; i < modules.size(); i++) {
      // one that is met before its users begins a group that is then part of theirs
      if (grouped.add(i)) {
        Set<Integer> needed = closure(i, needs);
        groups.keySet().removeAll(needed);
        groups.put(i, needed);
        grouped.addAll(needed);
      }
    }
    List<List<ModuleLink>> links = new ArrayList<>();
    for (Map.Entry<Integer, Set<Integer>> group : groups.entrySet()) {
      List<ModuleLink> members = new ArrayList<>(List.of(modules.get(group.getKey())));
      group.getValue().forEach(member -> members.add(modules.get(member)));
      links.add(members);
    }
    return links;
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
