package dev.weaklink.explain;

import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.TypeChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The named types whose own definitions differ between two kernels. One that only holds another
 * that changed is none of them. A name can stand for several types, in different source files; it
 * changed if one of the older kernel's is not in the newer kernel, and the other way round.
 *
 * @param nodes the older kernel's type of each change, ascending
 * @param changes what differs, in the same order; equal where several types have one name
 */
record ChangedTypes(int[] nodes, List<TypeChange> changes) {
  /** Kernels that differ in more types are of different series; the first ones are enough. */
  private static final int MAX_CHANGES = 20_000;

  /** Finds them; of modules, among their own types. */
  static ChangedTypes between(TypeGraph before, TypeGraph after) {
    List<Integer> gone = without(before, definitions(after));
    Map<Long, List<Integer>> come = byName(after, without(after, definitions(before)));
    TypeComparison comparison = new TypeComparison(before.btf(), after.btf());
    Map<Long, Integer> taken = new HashMap<>();
    List<Integer> nodes = new ArrayList<>();
    List<TypeChange> changes = new ArrayList<>();
    for (int node : gone) {
      List<Integer> others = come.get(before.nameKey(node));
      if (others != null && nodes.size() < MAX_CHANGES) {
        int place = taken.merge(before.nameKey(node), 1, Integer::sum) - 1;
        int other = others.get(Math.min(place, others.size() - 1));
        nodes.add(node);
        changes.add(comparison.compare(node, other));
      }
    }
    return new ChangedTypes(nodes.stream().mapToInt(Integer::intValue).toArray(), changes);
  }

  /** Of each type of its own what stands for name and definition, ascending. */
  private static long[] definitions(TypeGraph graph) {
    long[] all = new long[graph.btf().size() - graph.first()];
    int count = 0;
    for (int id = graph.first(); id < graph.btf().size(); id++) {
      if (isNamed(graph, id)) {
        all[count++] = graph.definitionKey(id);
      }
    }
    long[] sorted = Arrays.copyOf(all, count);
    Arrays.sort(sorted);
    return sorted;
  }

  private static boolean isNamed(TypeGraph graph, int id) {
    return graph.isNode(id) && graph.btf().kind(id) != BtfKind.FUNC_PROTO;
  }

  /** Those of one kernel that the other does not define the same way, ascending. */
  private static List<Integer> without(TypeGraph graph, long[] others) {
    List<Integer> rest = new ArrayList<>();
    for (int id = graph.first(); id < graph.btf().size(); id++) {
      if (isNamed(graph, id) && Arrays.binarySearch(others, graph.definitionKey(id)) < 0) {
        rest.add(id);
      }
    }
    return rest;
  }

  private static Map<Long, List<Integer>> byName(TypeGraph graph, List<Integer> types) {
    Map<Long, List<Integer>> all = new HashMap<>();
    for (int id : types) {
      all.computeIfAbsent(graph.nameKey(id), key -> new ArrayList<>(1)).add(id);
    }
    return all;
  }
}
