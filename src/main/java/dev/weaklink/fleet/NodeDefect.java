package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.kernel.KernelReleaseOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Something wrong, and where.
 *
 * @param kernel the running kernel; empty for libraries, which are of none
 */
public record NodeDefect(String kernel, Defect defect, Nodes nodes) {
  /** What is wrong with nodes alike, each thing once, newest kernel first. */
  static List<NodeDefect> of(
      List<NodeGroups.Kind> kinds,
      Function<NodeInventory, String> kernel,
      Function<NodeInventory, List<Defect>> defects) {
    SortedMap<NodeDefect, List<String>> found =
        new TreeMap<>(
            Comparator.comparing(NodeDefect::kernel, KernelReleaseOrder.INSTANCE.reversed())
                .thenComparing(NodeDefect::defect));
    for (NodeGroups.Kind kind : kinds) {
      for (Defect defect : defects.apply(kind.inventory())) {
        NodeDefect one = new NodeDefect(kernel.apply(kind.inventory()), defect, Nodes.NONE);
        found.computeIfAbsent(one, key -> new ArrayList<>()).addAll(kind.names());
      }
    }
    List<NodeDefect> all = new ArrayList<>();
    found.forEach((one, names) -> all.add(new NodeDefect(one.kernel, one.defect, Nodes.of(names))));
    return all;
  }
}
