package dev.weaklink.report;

import dev.weaklink.audit.Advice;
import dev.weaklink.audit.Advice.Step;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Change;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.RunningDefect;
import dev.weaklink.audit.AuditedCause;
import dev.weaklink.audit.RdmaLibraries;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** An audit as Markdown: for whom each kernel is safe, what is to be done, what is wrong today. */
final class AuditMarkdown {
  private final AuditReport report;
  private final AuditNames names;
  private final Markdown page = new Markdown();

  private AuditMarkdown(AuditReport report) {
    this.report = report;
    this.names = new AuditNames(report);
  }

  /** Writes the text; {@code out} is left open. */
  static void write(AuditReport report, OutputStream out) throws IOException {
    AuditMarkdown audit = new AuditMarkdown(report);
    audit.write();
    new TextStream(out).add(audit.page.text());
  }

  private void write() {
    page.heading(1, "weaklink audit");
    page.paragraph(
        Numbers.of(report.nodes(), "node")
            + " in "
            + Numbers.of(report.groups().size(), "group")
            + (report.problems() > 0 ? "; " + AuditNames.leftAside(report.problems()) : "")
            + (report.incomplete().isEmpty()
                ? ""
                : "; could not read everything on " + AuditNames.nodes(report.incomplete())));
    page.table(List.of("Kernel", "Safe", "Not safe for", "Not known for"), kernels());
    section("To do", List.of("Kernel", "Modules", "Action", "Command", "Nodes"), actions());
    section("Why", List.of("Kernel", "Cause", "Explains"), causes());
    for (AuditReport.Target target : report.targets()) {
      for (String note : target.notes()) {
        page.paragraph(names.kernel(target.id()) + ": " + Escape.text(note));
      }
    }
    section("Wrong today", List.of("Kernel", "What", "Nodes"), defects());
    section("RDMA libraries", List.of("", "What", "To do", "Nodes"), libraries());
    section("No answer", List.of("Why", "Nodes"), missing());
    AuditReport.Changes changes = report.changes();
    if (changes != null) {
      section("New", List.of("What", "Nodes"), changes(changes.appeared()));
      section("Fixed", List.of("What", "Nodes"), changes(changes.fixed()));
    }
  }

  private void section(String title, List<String> headings, List<List<String>> rows) {
    if (!rows.isEmpty()) {
      page.heading(2, title);
      page.table(headings, rows);
    }
  }

  private List<List<String>> kernels() {
    List<List<String>> rows = new ArrayList<>();
    for (KernelSafety kernel : report.kernels()) {
      rows.add(
          List.of(
              names.kernel(kernel.target()),
              kernel.safe() ? "yes" : kernel.unsafe().isEmpty() ? "not known" : "no",
              kernel.unsafe().isEmpty() ? "" : AuditNames.nodes(kernel.unsafe()),
              kernel.unknown().isEmpty() ? "" : AuditNames.nodes(kernel.unknown())));
    }
    return rows;
  }

  private List<List<String>> actions() {
    List<List<String>> rows = new ArrayList<>();
    for (Step step : Advice.of(report).steps()) {
      rows.add(
          List.of(
              names.kernel(step.target()),
              Escape.text(step.product()),
              step.fate().id(),
              step.command() == null ? "" : Escape.text(step.command()),
              AuditNames.nodes(step.nodes())));
    }
    return rows;
  }

  private List<List<String>> causes() {
    List<List<String>> rows = new ArrayList<>();
    for (AuditedCause.Share share : AuditedCause.shares(report)) {
      rows.add(
          List.of(
              names.kernel(share.target()), Escape.text(share.cause().clause()), share.words()));
    }
    return rows;
  }

  private List<List<String>> defects() {
    List<List<String>> rows = new ArrayList<>();
    for (Group group : report.groups()) {
      group
          .defects()
          .forEach(
              defect ->
                  rows.add(
                      List.of(
                          Escape.text(group.kernel()),
                          AuditNames.words(defect),
                          AuditNames.nodes(group.nodes()))));
    }
    for (RunningDefect running : report.running()) {
      rows.add(
          List.of(
              Escape.text(running.kernel()),
              AuditNames.words(running.defect()),
              AuditNames.nodes(running.nodes())));
    }
    return rows;
  }

  private List<List<String>> libraries() {
    List<List<String>> rows = new ArrayList<>();
    for (RdmaLibraries.Problem problem : report.libraries().problems()) {
      rows.add(
          List.of(
              problem.kind().isFailure() ? "fails" : "warning",
              Escape.text(problem.words()),
              problem.kind().remedy(),
              AuditNames.nodes(problem.nodes())));
    }
    return rows;
  }

  private List<List<String>> missing() {
    List<List<String>> rows = new ArrayList<>();
    for (AuditReport.Missing missing : report.missing()) {
      rows.add(List.of(Escape.text(missing.reason()), AuditNames.nodes(missing.nodes())));
    }
    return rows;
  }

  private static List<List<String>> changes(List<Change> changes) {
    List<List<String>> rows = new ArrayList<>();
    for (Change change : changes) {
      rows.add(List.of(Escape.text(change.what()), AuditNames.nodes(change.nodes())));
    }
    return rows;
  }
}
