package dev.weaklink.cli;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.KernelSafety;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.Nodes;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Sets of nodes that {@code audit --print-nodes} prints for other programs, one a line. */
final class PrintedNodes {
  private static final Set<String> OF_KERNEL = Set.of("safe", "unsafe", "unknown", "canaries");
  private static final Set<String> OF_ALL = Set.of("missing", "broken", "undetermined");

  private PrintedNodes() {}

  /**
   * Finds fault with words before anything is read.
   *
   * @throws UsageException if one names no set
   */
  static void require(List<String> words) {
    for (String word : words) {
      int colon = word.indexOf(':');
      if (!OF_ALL.contains(word) && (colon < 0 || !OF_KERNEL.contains(word.substring(0, colon)))) {
        throw new UsageException(
            AuditOptions.PRINT_NODES + " takes safe:KERNEL and the like, or missing, not " + word);
      }
    }
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
      case "broken" -> Nodes.of(report.broken());
      case "undetermined" -> undetermined(report);
      default -> ofKernel(word, report);
    };
  }

  private static Nodes missing(AuditReport report) {
    return Nodes.union(report.missing().stream().map(AuditReport.Missing::nodes).toList());
  }

  private static Nodes undetermined(AuditReport report) {
    Set<String> names = new TreeSet<>(report.incomplete().names());
    report.kernels().forEach(kernel -> names.addAll(kernel.unknown().names()));
    names.addAll(missing(report).names());
    names.removeAll(report.broken());
    return Nodes.of(names);
  }

  private static Nodes ofKernel(String word, AuditReport report) {
    int colon = word.indexOf(':');
    String name = word.substring(colon + 1);
    for (KernelSafety kernel : report.kernels()) {
      Target target = report.targets().get(kernel.target());
      if (name.equals(target.release()) || name.equals(target.label())) {
        return switch (word.substring(0, colon)) {
          case "safe" -> kernel.ready();
          case "unsafe" -> kernel.unsafe();
          case "unknown" -> kernel.unknown();
          default -> kernel.canaries();
        };
      }
    }
    throw new UsageException(AuditOptions.PRINT_NODES + ": no kernel " + name + " in this audit");
  }
}
