package dev.weaklink.report;

import dev.weaklink.history.NodeHistory;
import dev.weaklink.history.NodeHistory.Moment;
import dev.weaklink.history.NodeHistory.Span;
import dev.weaklink.history.RecordedRun;
import dev.weaklink.history.RunDetails;
import dev.weaklink.history.RunDetails.AskedKernel;
import dev.weaklink.history.RunDetails.Change;
import dev.weaklink.history.RunDetails.KeptGroup;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Audits that were kept, for people. Times are UTC. */
public final class AuditHistoryText {
  private static final int DIGITS = 12;

  private AuditHistoryText() {}

  /** A line for each audit. */
  public static String log(List<RecordedRun> runs) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("AUDIT", "TIME", "NODES", "CHANGED", "BROKEN"));
    for (RecordedRun run : runs) {
      rows.add(
          List.of(
              "" + run.id(),
              "" + run.at(),
              "" + run.nodes(),
              "" + run.changed(),
              "" + run.broken()));
    }
    return AuditTable.rows(rows);
  }

  /** One audit, and what changed with it. */
  public static String run(RunDetails details) {
    RecordedRun run = details.run();
    StringBuilder text = new StringBuilder();
    text.append("audit ").append(run.id()).append(", ").append(run.at()).append(": ");
    text.append(run.nodes())
        .append(run.nodes() == 1 ? " node, " : " nodes, ")
        .append(run.broken())
        .append(" broken\n\n");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("KERNEL", "SET", "NODES", "NODE SET"));
    for (KeptGroup group : details.groups()) {
      String digest = group.digest().substring(0, Math.min(DIGITS, group.digest().length()));
      rows.add(List.of(Escape.text(group.kernel()), digest, "" + group.count(), group.nodes()));
    }
    text.append(AuditTable.rows(rows));
    addKernels(text, details.kernels());
    addChanges(text, details.changes());
    return text.toString();
  }

  private static void addKernels(StringBuilder text, List<AskedKernel> kernels) {
    for (AskedKernel kernel : kernels) {
      text.append('\n').append(Escape.text(kernel.label())).append(": ");
      text.append(kernel.safe() ? "safe for all" : "not known to be safe for all");
      if (!kernel.unsafe().isEmpty()) {
        text.append("; refuses modules of ").append(kernel.unsafe());
      }
      if (!kernel.unknown().isEmpty()) {
        text.append("; not known for ").append(kernel.unknown());
      }
    }
    text.append(kernels.isEmpty() ? "" : "\n");
  }

  private static void addChanges(StringBuilder text, List<Change> changes) {
    text.append(changes.isEmpty() ? "\nnothing changed\n" : "\n");
    for (Change change : changes) {
      text.append(change.appeared() ? "+ " : "- ").append(Escape.text(change.what()));
      text.append("  ").append(change.nodes().folded()).append('\n');
    }
  }

  /** One node. */
  public static String node(NodeHistory node) {
    StringBuilder text = new StringBuilder(Escape.text(node.name()));
    text.append(": first in ").append(words(node.first()));
    text.append(", last in ").append(words(node.last())).append("\n\n");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SINCE", "UNTIL", "WHAT"));
    for (Span span : node.spans()) {
      String mark = span.kind() == NodeHistory.Kind.FAULT ? "broken: " : "";
      rows.add(List.of(time(span.since()), time(span.until()), mark + Escape.text(span.what())));
    }
    return text.append(AuditTable.rows(rows)).toString();
  }

  private static String words(Moment moment) {
    return "audit " + moment.run() + " (" + moment.at() + ")";
  }

  private static String time(@Nullable Moment moment) {
    return moment == null ? "-" : moment.at() + " (" + moment.run() + ")";
  }
}
