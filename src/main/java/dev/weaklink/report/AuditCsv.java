package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.Missing;
import dev.weaklink.audit.AuditReport.RunningDefect;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.Nodes;
import dev.weaklink.audit.RdmaLibraries;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * An audit as a table for spreadsheets (RFC 4180): a row for each verdict, and for each thing that
 * is wrong today.
 */
public final class AuditCsv {
  private static final List<String> HEADINGS =
      List.of(
          "record", "kernel", "product", "set", "target", "fate", "subject", "reason", "count",
          "nodes", "cause");

  private final AuditReport report;
  private final AuditNames names;
  private final Csv csv;

  private AuditCsv(AuditReport report, OutputStream out) {
    this.report = report;
    this.names = new AuditNames(report);
    this.csv = new Csv(out);
  }

  /** Writes the table; {@code out} is left open. */
  public static void write(AuditReport report, OutputStream out) throws IOException {
    new AuditCsv(report, out).write();
  }

  private void write() throws IOException {
    csv.row(HEADINGS);
    for (SetVerdict verdict : report.verdicts()) {
      verdict(verdict);
    }
    for (Target target : report.targets()) {
      for (String note : target.notes()) {
        row("note", "", "", "", names.kernel(target.id()), "", "", note, 0, "", "");
      }
    }
    for (Group group : report.groups()) {
      for (Defect defect : group.defects()) {
        defect(group, defect);
      }
    }
    for (RunningDefect running : report.running()) {
      running(running);
    }
    for (RdmaLibraries.Problem problem : report.libraries().problems()) {
      library(problem);
    }
    for (Missing missing : report.missing()) {
      Nodes nodes = missing.nodes();
      row("missing", "", "", "", "", "", "", missing.reason(), nodes.count(), nodes.folded(), "");
    }
    int incomplete = report.incomplete().count();
    if (incomplete > 0) {
      String nodes = report.incomplete().folded();
      row(
          "incomplete",
          "",
          "",
          "",
          "",
          "",
          "",
          "could not read all there is",
          incomplete,
          nodes,
          "");
    }
  }

  private void verdict(SetVerdict verdict) throws IOException {
    int set = verdict.set();
    row(
        "verdict",
        names.set(set).kernel(),
        names.title(set),
        names.digest(set),
        names.kernel(verdict.target()),
        verdict.fate().id(),
        "",
        verdict.reason(),
        names.count(set),
        names.nodes(set),
        AuditNames.causes(verdict.causes()));
  }

  private void defect(Group group, Defect defect) throws IOException {
    row(
        "defect",
        group.kernel(),
        names.title(group.set()),
        names.digest(group.set()),
        "",
        defect.kind().id(),
        defect.subject(),
        defect.detail(),
        group.nodes().count(),
        group.nodes().folded(),
        "");
  }

  private void running(RunningDefect running) throws IOException {
    Defect defect = running.defect();
    row(
        "running",
        running.kernel(),
        "",
        "",
        "",
        defect.kind().id(),
        defect.subject(),
        defect.detail(),
        running.nodes().count(),
        running.nodes().folded(),
        "");
  }

  private void library(RdmaLibraries.Problem problem) throws IOException {
    String packages = problem.packages().isEmpty() ? "" : " (" + problem.packages() + ")";
    row(
        "userspace",
        "",
        "",
        "",
        "",
        problem.kind().id(),
        problem.subject(),
        problem.detail() + packages,
        problem.nodes().count(),
        problem.nodes().folded(),
        "");
  }

  private void row(
      String kind,
      String kernel,
      String product,
      String set,
      String target,
      String fate,
      String subject,
      String reason,
      int count,
      String nodes,
      String cause)
      throws IOException {
    String number = Integer.toString(count);
    csv.row(
        List.of(kind, kernel, product, set, target, fate, subject, reason, number, nodes, cause));
  }
}
