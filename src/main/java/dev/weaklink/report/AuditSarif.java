package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.NodeDefect;
import dev.weaklink.intake.NodeInventory.Module;
import dev.weaklink.load.Outcome;
import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An audit as SARIF 2.1.0 (OASIS): a result for each module that a kernel refuses or that is not
 * known to load, and for each thing that is wrong today. Rules are the kinds of findings and of
 * defects.
 */
public final class AuditSarif {
  /** What stands for a kernel with libraries, which are of none. */
  private static final String LIBRARIES = "userspace";

  private final AuditReport report;
  private final AuditNames names;
  private final Sarif sarif;

  private AuditSarif(AuditReport report, OutputStream out) throws IOException {
    this.report = report;
    this.names = new AuditNames(report);
    this.sarif = new Sarif(rules(), report.nodes() > 0, warnings(), out);
  }

  /** Writes the log; {@code out} is left open. */
  public static void write(AuditReport report, OutputStream out) throws IOException {
    AuditSarif audit = new AuditSarif(report, out);
    audit.results();
    audit.sarif.end();
  }

  private SortedMap<String, String> rules() {
    SortedMap<String, String> rules = new TreeMap<>();
    for (SetVerdict verdict : report.verdicts()) {
      for (ModuleVerdict module : verdict.modules()) {
        rules.put(rule(module), Sarif.ruleOf(rule(module)));
      }
    }
    for (Group group : report.groups()) {
      for (Defect defect : group.defects()) {
        rules.put(defect.kind().id(), defect.kind().meaning());
      }
    }
    for (NodeDefect one : report.nodeDefects()) {
      rules.put(one.defect().kind().id(), one.defect().kind().meaning());
    }
    return rules;
  }

  private static String rule(ModuleVerdict module) {
    if (module.findings().isEmpty()) {
      return Sarif.UNDETERMINED;
    }
    Finding first = module.findings().get(0);
    return first.id() == null ? first.layer() : first.id();
  }

  private List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (!report.incomplete().isEmpty()) {
      warnings.add("could not read all there is on " + AuditNames.nodes(report.incomplete()));
    }
    for (AuditReport.Missing missing : report.missing()) {
      warnings.add(
          "no answer ("
              + Escape.text(missing.reason())
              + "): "
              + AuditNames.nodes(missing.nodes()));
    }
    for (AuditReport.Target target : report.targets()) {
      String kernel = names.kernel(target.id());
      target.notes().forEach(note -> warnings.add(kernel + ": " + Escape.text(note)));
    }
    if (report.problems() > 0) {
      warnings.add(AuditNames.leftAside(report.problems()));
    }
    return warnings;
  }

  private void results() throws IOException {
    for (SetVerdict verdict : report.verdicts()) {
      for (ModuleVerdict module : verdict.modules()) {
        result(verdict, module);
      }
    }
    for (Group group : report.groups()) {
      for (Defect defect : group.defects()) {
        String digest = names.set(group.set()).digest();
        defect(new NodeDefect(group.kernel(), defect, group.nodes()), digest);
      }
    }
    for (NodeDefect one : report.nodeDefects()) {
      defect(one, one.kernel().isEmpty() ? LIBRARIES : "running");
    }
  }

  private void result(SetVerdict verdict, ModuleVerdict module) throws IOException {
    boolean refused = module.outcome() == Outcome.INCOMPATIBLE;
    String name = Escape.text(module.module());
    String kernel = names.kernel(verdict.target());
    StringBuilder words = new StringBuilder(name);
    words.append(refused ? " would be refused by " : " is not known to load on ").append(kernel);
    words.append(module.errno() == null ? "" : " (" + module.errno() + ")");
    for (Finding finding : module.findings()) {
      words.append("; ").append(Escape.text(finding.text()));
    }
    words.append(module.more() > 0 ? "; and " + module.more() + " more" : "");
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("fate", verdict.fate().id());
    properties.put("kernel", kernel);
    properties.put("modules", names.title(verdict.set()));
    if (!verdict.causes().isEmpty()) {
      properties.put("causes", AuditNames.causes(verdict.causes()));
    }
    properties.put("nodes", names.nodes(verdict.set()));
    sarif.result(
        new Sarif.Result(
            rule(module),
            refused ? "error" : "warning",
            words.toString(),
            path(verdict.set(), module.module()),
            name,
            kernel,
            names.digest(verdict.set()) + "/" + kernel + "/" + name,
            properties));
  }

  private void defect(NodeDefect one, String where) throws IOException {
    Defect defect = one.defect();
    boolean library = one.kernel().isEmpty();
    String id = defect.kind().id();
    String kernel = library ? LIBRARIES : Escape.text(one.kernel());
    String subject = Escape.text(defect.subject());
    String path = library ? defect.subject() : defect.detail();
    String nodes = one.nodes().folded();
    Map<String, String> properties = new LinkedHashMap<>();
    if (!library) {
      properties.put("kernel", kernel);
    }
    properties.put("nodes", nodes);
    sarif.result(
        new Sarif.Result(
            id,
            defect.kind().isFailure() ? "error" : "warning",
            AuditNames.words(defect) + " on " + nodes,
            path.startsWith("/") ? path : null,
            subject,
            kernel,
            String.join("/", where, library ? id : kernel, subject, Escape.text(defect.detail())),
            properties));
  }

  private @Nullable String path(int set, String name) {
    for (Module module : names.set(set).modules()) {
      if (module.name().equals(name)) {
        return module.path();
      }
    }
    return null;
  }
}
