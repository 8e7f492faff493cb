package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.NodeDefect;
import dev.weaklink.audit.SetStatus;
import dev.weaklink.report.Junit.Case;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * An audit as JUnit XML, for pipelines: a suite for what is there today and one for each kernel, in
 * which every set of modules is a test. What is refused fails, what is not known is an error.
 */
public final class AuditJunit {
  private static final int SHOWN_DIGITS = 12;

  private final AuditReport report;
  private final AuditNames names;

  private AuditJunit(AuditReport report) {
    this.report = report;
    this.names = new AuditNames(report);
  }

  /** Writes the document; {@code out} is left open. */
  public static void write(AuditReport report, OutputStream out) throws IOException {
    new AuditJunit(report).write(new Junit("weaklink audit", out));
  }

  private void write(Junit junit) throws IOException {
    junit.suite("today", today());
    for (Target target : report.targets()) {
      List<Case> cases =
          report.verdicts().stream()
              .filter(verdict -> verdict.target() == target.id())
              .map(verdict -> verdict(verdict))
              .toList();
      junit.suite("kernel " + names.kernel(target.id()), cases);
    }
    junit.end();
  }

  private List<Case> today() {
    List<Case> cases = new ArrayList<>();
    for (Group group : report.groups()) {
      StringBuilder text = new StringBuilder();
      for (Defect defect : group.defects()) {
        text.append(AuditNames.words(defect)).append('\n');
      }
      String name = setName(group.set());
      String nodes = AuditNames.nodes(group.nodes()) + "\n";
      cases.add(
          text.length() == 0
              ? Case.passed(name)
              : Case.failure(name, "wrong-today", "files are out of order", nodes + text));
    }
    for (AuditReport.Missing missing : report.missing()) {
      String nodes = AuditNames.nodes(missing.nodes()) + "\n";
      String reason = Escape.text(missing.reason());
      cases.add(Case.error("no answer: " + reason, "missing", reason, nodes));
    }
    for (NodeDefect one : report.nodeFailures()) {
      Defect defect = one.defect();
      String where =
          one.kernel().isEmpty() ? "RDMA libraries" : "running " + Escape.text(one.kernel());
      String name = where + ": " + Escape.text(defect.subject());
      String text = AuditNames.nodes(one.nodes()) + "\n" + AuditNames.words(defect) + "\n";
      cases.add(Case.failure(name, defect.kind().id(), defect.kind().meaning(), text));
    }
    return cases;
  }

  private Case verdict(SetVerdict verdict) {
    SetStatus fate = verdict.fate();
    String name = setName(verdict.set());
    if (fate.loads()) {
      return Case.passed(name);
    }
    int count = names.count(verdict.set());
    StringBuilder text = new StringBuilder();
    text.append(Numbers.of(count, "node")).append(": ").append(names.nodes(verdict.set()));
    text.append('\n');
    for (ModuleVerdict module : verdict.modules()) {
      add(module, text);
    }
    String reason = Escape.text(verdict.reason());
    return fate.isRefusal()
        ? Case.failure(name, fate.id(), reason, text.toString())
        : Case.error(name, fate.id(), reason, text.toString());
  }

  private static void add(ModuleVerdict module, StringBuilder text) {
    for (Finding finding : module.findings()) {
      text.append(Escape.text(module.module())).append(": ").append(finding.layer());
      text.append(": ").append(Escape.text(finding.text())).append('\n');
    }
    if (module.more() > 0) {
      text.append(Escape.text(module.module())).append(": and ").append(module.more());
      text.append(" more\n");
    }
  }

  /** Product, kernel and the beginning of the digest: the same from audit to audit. */
  private String setName(int set) {
    return names.title(set)
        + " for "
        + Escape.text(names.set(set).kernel())
        + " ("
        + names.digest(set).substring(0, SHOWN_DIGITS)
        + AuditNames.policy(names.set(set))
        + ")";
  }
}
