package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.RunningDefect;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.RdmaLibraries;
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
    for (RunningDefect running : report.running()) {
      rules.put(running.defect().kind().id(), running.defect().kind().meaning());
    }
    for (RdmaLibraries.Problem problem : report.libraries().problems()) {
      rules.put(problem.kind().id(), problem.kind().meaning());
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
        defect(defect, group.kernel(), group.nodes().folded(), digest);
      }
    }
    for (RunningDefect running : report.running()) {
      defect(running.defect(), running.kernel(), running.nodes().folded(), "running");
    }
    for (RdmaLibraries.Problem problem : report.libraries().problems()) {
      library(problem);
    }
  }

  private void library(RdmaLibraries.Problem problem) throws IOException {
    String nodes = problem.nodes().folded();
    String subject = Escape.text(problem.subject());
    String detail = Escape.text(problem.detail());
    sarif.result(
        new Sarif.Result(
            problem.kind().id(),
            problem.kind().isFailure() ? "error" : "warning",
            Escape.text(problem.words()) + " on " + nodes,
            problem.subject().startsWith("/") ? problem.subject() : null,
            subject,
            "userspace",
            "userspace/" + problem.kind().id() + "/" + subject + "/" + detail,
            Map.of("nodes", nodes)));
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

  private void defect(Defect defect, String release, String nodes, String where)
      throws IOException {
    String kernel = Escape.text(release);
    String module = Escape.text(defect.subject());
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("kernel", kernel);
    properties.put("nodes", nodes);
    sarif.result(
        new Sarif.Result(
            defect.kind().id(),
            "error",
            AuditNames.words(defect) + " on " + nodes,
            defect.detail().startsWith("/") ? defect.detail() : null,
            module,
            kernel,
            where + "/" + kernel + "/" + module + "/" + Escape.text(defect.detail()),
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
