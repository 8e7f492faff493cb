package dev.weaklink.explain;

import dev.weaklink.btf.Btf;
import dev.weaklink.btf.BtfKind;
import dev.weaklink.btf.TypeGraph;
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
    Map<Long, List<Integer>> olds = byName(before);
    Map<Long, List<Integer>> news = byName(after);
    TypeComparison comparison = new TypeComparison(before.btf(), after.btf());
    List<Integer> nodes = new ArrayList<>();
    Map<Integer, TypeChange> changes = new HashMap<>();
    for (Map.Entry<Long, List<Integer>> entry : olds.entrySet()) {
      List<Integer> now = news.getOrDefault(entry.getKey(), List.of());
      List<Integer> gone = without(before, entry.getValue(), after, now);
      List<Integer> come = without(after, now, before, entry.getValue());
      for (int i = 0; i < gone.size() && !come.isEmpty() && nodes.size() < MAX_CHANGES; i++) {
        int other = come.get(Math.min(i, come.size() - 1));
        nodes.add(gone.get(i));
        changes.put(gone.get(i), comparison.compare(gone.get(i), other));
      }
    }
    int[] sorted = nodes.stream().mapToInt(Integer::intValue).sorted().toArray();
    return new ChangedTypes(sorted, Arrays.stream(sorted).mapToObj(changes::get).toList());
  }

  private static Map<Long, List<Integer>> byName(TypeGraph graph) {
    Btf btf = graph.btf();
    Map<Long, List<Integer>> all = new HashMap<>(2 * (btf.size() - graph.first()));
    for (int id = graph.first(); id < btf.size(); id++) {
      if (graph.isNode(id) && btf.kind(id) != BtfKind.FUNC_PROTO) {
        all.computeIfAbsent(graph.nameKey(id), key -> new ArrayList<>(1)).add(id);
      }
    }
    return all;
  }

  /** Those of one kernel whose definitions none of the other's has. */
  private static List<Integer> without(
      TypeGraph graph, List<Integer> types, TypeGraph other, List<Integer> others) {
    List<Integer> rest = new ArrayList<>(0);
    for (int type : types) {
      if (others.stream().noneMatch(o -> other.fingerprint(o) == graph.fingerprint(type))) {
        rest.add(type);
      }
    }
    return rest;
  }
}
