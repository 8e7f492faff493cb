package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.Defect;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

/**
 * An audit for people: a line for each group of nodes that are alike, and what is wrong with it.
 */
public final class AuditTable {
  private static final String GAP = "  ";
  private static final int SHOWN_DIGITS = 12;
  private static final List<String> HEADINGS =
      List.of("KERNEL", "MODULES", "SET", "NODES", "RUNNING");

  private AuditTable() {}

  /** The whole table. */
  public static String lines(AuditReport report) {
    StringBuilder text = new StringBuilder();
    if (!report.groups().isEmpty()) {
      addGroups(report, text);
    }
    for (AuditReport.RunningDefect running : report.running()) {
      text.append("\nNow wrong in ").append(Escape.text(running.kernel())).append(" on ");
      text.append(running.nodes().folded()).append(":\n");
      addDefect(running.defect(), text);
    }
    new AuditAnswers(report, text).write();
    addChanges(report, text);
    if (!report.incomplete().isEmpty()) {
      text.append("\nCould not read all there is: ");
      text.append(report.incomplete().folded()).append('\n');
    }
    text.append(text.length() == 0 ? "" : "\n");
    text.append(Numbers.of(report.nodes(), "node")).append(" in ");
    text.append(Numbers.of(report.groups().size(), "group"));
    if (report.problems() > 0) {
      text.append("; left aside: ")
          .append(Numbers.of((int) Math.min(report.problems(), Integer.MAX_VALUE), "piece"))
          .append(" of input");
    }
    return text.append('\n').toString();
  }

  private static void addChanges(AuditReport report, StringBuilder text) {
    AuditReport.Changes changes = report.changes();
    if (changes == null) {
      return;
    }
    text.append("\nSince the earlier audit: ");
    text.append(Numbers.of(changes.appeared().size(), "thing")).append(" new, ");
    text.append(Numbers.grouped(changes.fixed().size())).append(" fixed, ");
    text.append(Numbers.grouped(changes.unchanged())).append(" unchanged\n");
    addChanges("new", changes.appeared(), text);
    addChanges("fixed", changes.fixed(), text);
  }

  private static void addChanges(
      String word, List<AuditReport.Change> changes, StringBuilder text) {
    for (AuditReport.Change change : changes) {
      text.append(GAP).append(word).append(": ").append(Escape.text(change.what()));
      text.append(" on ").append(change.nodes().folded()).append('\n');
    }
  }

  private static void addGroups(AuditReport report, StringBuilder text) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADINGS);
    for (AuditReport.Group group : report.groups()) {
      rows.add(cells(report.sets().get(group.set()), group));
    }
    int[] widths = widths(rows);
    addRow(HEADINGS, widths, "NODE SET", text);
    for (int i = 0; i < report.groups().size(); i++) {
      AuditReport.Group group = report.groups().get(i);
      addRow(rows.get(i + 1), widths, group.nodes().folded(), text);
      for (Defect defect : group.defects()) {
        addDefect(defect, text);
      }
    }
  }

  private static List<String> cells(AuditReport.AuditedSet set, AuditReport.Group group) {
    int modules = set.modules().size();
    return List.of(
        Escape.text(group.kernel()),
        Numbers.grouped(modules),
        modules == 0 ? "-" : shown(set),
        Numbers.grouped(group.nodes().count()),
        Numbers.grouped(group.running()));
  }

  /** Enough of a set's digest to tell it from others, and the policy that does. */
  static String shown(AuditReport.AuditedSet set) {
    return set.digest().substring(0, SHOWN_DIGITS) + AuditNames.policy(set);
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[HEADINGS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static void addRow(List<String> row, int[] widths, String last, StringBuilder text) {
    for (int i = 0; i < widths.length; i++) {
      text.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length())).append(GAP);
    }
    text.append(last).append('\n');
  }

  private static void addDefect(Defect defect, StringBuilder text) {
    text.append(GAP)
        .append(Escape.text(defect.subject()))
        .append(": ")
        .append(defect.kind().meaning())
        .append(" (")
        .append(Escape.text(defect.detail()))
        .append(")\n");
  }
}
