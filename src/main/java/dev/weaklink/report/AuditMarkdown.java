package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;

import dev.weaklink.audit.Advice;
import dev.weaklink.audit.Advice.Step;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Change;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditedCause;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.NodeDefect;
import dev.weaklink.audit.Nodes;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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
    page.table(
        List.of("Kernel", "Safe", "Not safe for", "Not known for"),
        list(report.kernels(), this::kernel));
    section(
        "To do",
        List.of("Kernel", "Modules", "Action", "Command", "Nodes"),
        Advice.of(report).steps(),
        this::step);
    section(
        "Why", List.of("Kernel", "Cause", "Explains"), AuditedCause.shares(report), this::share);
    for (AuditReport.Target target : report.targets()) {
      for (String note : target.notes()) {
        page.paragraph(names.kernel(target.id()) + ": " + Escape.text(note));
      }
    }
    List<List<String>> defects = new ArrayList<>();
    for (Group group : report.groups()) {
      group.defects().forEach(one -> defects.add(row(group.kernel(), one, group.nodes())));
    }
    report.running().forEach(one -> defects.add(row(one.kernel(), one.defect(), one.nodes())));
    section("Wrong today", List.of("Kernel", "What", "Nodes"), defects, row -> row);
    section(
        "RDMA libraries",
        List.of("", "What", "To do", "Nodes"),
        report.libraries().problems(),
        AuditMarkdown::library);
    section(
        "No answer",
        List.of("Why", "Nodes"),
        report.missing(),
        missing -> row(missing.reason(), missing.nodes()));
    AuditReport.Changes changes = report.changes();
    if (changes != null) {
      changes("New", changes.appeared());
      changes("Fixed", changes.fixed());
    }
  }

  private <T> void section(
      String title, List<String> headings, List<T> items, Function<T, List<String>> row) {
    if (!items.isEmpty()) {
      page.heading(2, title);
      page.table(headings, list(items, row));
    }
  }

  private void changes(String title, List<Change> changes) {
    section(title, List.of("What", "Nodes"), changes, change -> row(change.what(), change.nodes()));
  }

  private List<String> kernel(KernelSafety kernel) {
    return List.of(
        names.kernel(kernel.target()),
        kernel.safe() ? "yes" : kernel.unsafe().isEmpty() ? "not known" : "no",
        kernel.unsafe().isEmpty() ? "" : AuditNames.nodes(kernel.unsafe()),
        kernel.unknown().isEmpty() ? "" : AuditNames.nodes(kernel.unknown()));
  }

  private List<String> step(Step step) {
    return List.of(
        names.kernel(step.target()),
        Escape.text(step.product()),
        step.fate().id(),
        step.command() == null ? "" : Escape.text(step.command()),
        AuditNames.nodes(step.nodes()));
  }

  private List<String> share(AuditedCause.Share share) {
    String cause = Escape.text(share.cause().clause());
    return List.of(names.kernel(share.target()), cause, share.words());
  }

  private static List<String> library(NodeDefect one) {
    return List.of(
        one.defect().kind().isFailure() ? "fails" : "warning",
        AuditNames.words(one.defect()),
        one.defect().kind().remedy(),
        AuditNames.nodes(one.nodes()));
  }

  private static List<String> row(String kernel, Defect defect, Nodes nodes) {
    return List.of(Escape.text(kernel), AuditNames.words(defect), AuditNames.nodes(nodes));
  }

  private static List<String> row(String words, Nodes nodes) {
    return List.of(Escape.text(words), AuditNames.nodes(nodes));
  }
}
