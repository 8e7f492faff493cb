package dev.weaklink.cli;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.NodeState;
import dev.weaklink.fleet.Nodes;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sets of nodes that {@code audit --print-nodes} prints for other programs, one a line. */
final class PrintedNodes {
  private static final String CANARIES = "canaries";
  private static final Set<String> OF_ALL = Set.of("missing", "good", "broken", "undetermined");

  private PrintedNodes() {}

  /**
   * Finds fault with words before anything is read.
   *
   * @throws UsageException if one names no set
   */
  static void require(List<String> words) {
    for (String word : words) {
      int colon = word.indexOf(':');
      String kind = colon < 0 ? "" : word.substring(0, colon);
      if (!OF_ALL.contains(word) && !kind.equals(CANARIES) && state(kind) == null) {
        throw new UsageException(
            AuditOptions.PRINT_NODES + " takes ready:KERNEL and the like, or missing, not " + word);
      }
    }
  }

  private static @Nullable NodeState state(String id) {
    return Stream.of(NodeState.values())
        .filter(state -> state.id().equals(id))
        .findFirst()
        .orElse(null);
  }

  /** The sets, each with a line feed. */
  static String lines(List<String> words, AuditReport report) {
    StringBuilder lines = new StringBuilder();
    for (String word : words) {
      lines.append(nodes(word, report).folded()).append('\n');
    }
    return lines.toString();
  }

  private static Nodes nodes(String word, AuditReport report) {
    return switch (word) {
      case "missing" -> missing(report);
      case "good" -> good(report);
      case "broken" -> Nodes.of(report.broken());
      case "undetermined" -> undetermined(report);
      default -> ofKernel(word, report);
    };
  }

  private static Nodes missing(AuditReport report) {
    return Nodes.union(report.missing().stream().map(AuditReport.Missing::nodes).toList());
  }

  /** All that answered, are ready for all kernels, and have nothing wrong or not known. */
  private static Nodes good(AuditReport report) {
    Set<String> names = new TreeSet<>();
    report.groups().forEach(group -> names.addAll(group.nodes().names()));
    names.removeAll(report.broken());
    names.removeAll(undetermined(report).names());
    report.kernels().forEach(kernel -> names.retainAll(kernel.in(NodeState.READY).names()));
    return Nodes.of(names);
  }

  private static Nodes undetermined(AuditReport report) {
    Set<String> names = new TreeSet<>(report.incomplete().names());
    report.kernels().forEach(kernel -> names.addAll(kernel.in(NodeState.UNDETERMINED).names()));
    names.addAll(missing(report).names());
    names.removeAll(report.broken());
    return Nodes.of(names);
  }

  private static Nodes ofKernel(String word, AuditReport report) {
    int colon = word.indexOf(':');
    String name = word.substring(colon + 1);
    for (KernelStates kernel : report.kernels()) {
      Target target = report.targets().get(kernel.target());
      if (name.equals(target.release()) || name.equals(target.label())) {
        NodeState state = state(word.substring(0, colon));
        return state == null ? kernel.canaries() : kernel.in(state);
      }
    }
    throw new UsageException(AuditOptions.PRINT_NODES + ": no kernel " + name + " in this audit");
  }
}
