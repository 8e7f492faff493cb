package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.AuditedModule;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.RunningDefect;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.Defect;
import dev.weaklink.load.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An audit as SARIF 2.1.0 (OASIS): a result for each module that a kernel refuses or that is not
 * known to load, and for each thing that is wrong today. Rules are the loader's steps and the kinds
 * of defects.
 */
public final class AuditSarif {
  private static final String VERSION = "2.1.0";
  private static final String SCHEMA =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

  /** Of a module without findings; one that is not known to load may have none. */
  private static final String UNDETERMINED = "undetermined";

  private final AuditReport report;
  private final AuditNames names;
  private final JsonGenerator json;
  private final Map<String, String> rules = new TreeMap<>();
  private final List<String> order;

  private AuditSarif(AuditReport report, JsonGenerator json) {
    this.report = report;
    this.names = new AuditNames(report);
    this.json = json;
    gatherRules();
    this.order = List.copyOf(rules.keySet());
  }

  /** Writes the log; {@code out} is left open. */
  public static void write(AuditReport report, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      new AuditSarif(report, json).write();
      json.writeRaw('\n');
    }
  }

  private void gatherRules() {
    for (SetVerdict verdict : report.verdicts()) {
      for (ModuleVerdict module : verdict.modules()) {
        String id = rule(module);
        rules.put(
            id,
            id.equals(UNDETERMINED)
                ? "something decisive could not be looked at"
                : "the kernel's module loader objects at the step " + id);
      }
    }
    for (Defect defect : defects()) {
      rules.put(defect.kind().id(), defect.kind().meaning());
    }
  }

  private List<Defect> defects() {
    List<Defect> defects = new ArrayList<>();
    for (Group group : report.groups()) {
      defects.addAll(group.defects());
    }
    for (RunningDefect running : report.running()) {
      defects.add(running.defect());
    }
    return defects;
  }

  private static String rule(ModuleVerdict module) {
    return module.findings().isEmpty() ? UNDETERMINED : module.findings().get(0).layer();
  }

  private void write() throws IOException {
    json.writeStartObject();
    json.writeStringField("$schema", SCHEMA);
    json.writeStringField("version", VERSION);
    json.writeArrayFieldStart("runs");
    json.writeStartObject();
    tool();
    invocation();
    json.writeStringField("columnKind", "utf16CodeUnits");
    results();
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
  }

  private void tool() throws IOException {
    json.writeObjectFieldStart("tool");
    json.writeObjectFieldStart("driver");
    json.writeStringField("name", "weaklink");
    json.writeArrayFieldStart("rules");
    for (String id : order) {
      json.writeStartObject();
      json.writeStringField("id", id);
      text("shortDescription", String.valueOf(rules.get(id)));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndObject();
  }

  private void invocation() throws IOException {
    json.writeArrayFieldStart("invocations");
    json.writeStartObject();
    json.writeBooleanField("executionSuccessful", report.nodes() > 0);
    json.writeArrayFieldStart("toolExecutionNotifications");
    if (!report.incomplete().isEmpty()) {
      notification("could not read all there is on " + AuditNames.nodes(report.incomplete()));
    }
    if (report.problems() > 0) {
      notification(AuditNames.leftAside(report.problems()));
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndArray();
  }

  private void notification(String words) throws IOException {
    json.writeStartObject();
    json.writeStringField("level", "warning");
    text("message", words);
    json.writeEndObject();
  }

  private void results() throws IOException {
    json.writeArrayFieldStart("results");
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
    json.writeEndArray();
  }

  private void result(SetVerdict verdict, ModuleVerdict module) throws IOException {
    boolean refused = module.outcome() == Outcome.INCOMPATIBLE;
    String kernel = names.kernel(verdict.target());
    StringBuilder words = new StringBuilder(Escape.text(module.module()));
    words.append(refused ? " would be refused by " : " is not known to load on ").append(kernel);
    words.append(module.errno() == null ? "" : " (" + module.errno() + ")");
    for (Finding finding : module.findings()) {
      words.append("; ").append(Escape.text(finding.message()));
    }
    words.append(module.more() > 0 ? "; and " + module.more() + " more" : "");
    String set = names.digest(verdict.set());
    start(rule(module), refused ? "error" : "warning", words.toString());
    location(path(verdict.set(), module.module()), module.module(), kernel);
    fingerprint(set + "/" + kernel + "/" + Escape.text(module.module()));
    json.writeObjectFieldStart("properties");
    json.writeStringField("fate", verdict.fate().id());
    json.writeStringField("kernel", kernel);
    json.writeStringField("modules", names.title(verdict.set()));
    json.writeStringField("nodes", names.nodes(verdict.set()));
    json.writeEndObject();
    json.writeEndObject();
  }

  private void defect(Defect defect, String kernel, String nodes, String where) throws IOException {
    start(defect.kind().id(), "error", AuditNames.words(defect) + " on " + nodes);
    boolean path = defect.detail().startsWith("/");
    location(path ? defect.detail() : null, defect.subject(), Escape.text(kernel));
    String detail = Escape.text(defect.subject()) + "/" + Escape.text(defect.detail());
    fingerprint(where + "/" + Escape.text(kernel) + "/" + detail);
    json.writeObjectFieldStart("properties");
    json.writeStringField("kernel", Escape.text(kernel));
    json.writeStringField("nodes", nodes);
    json.writeEndObject();
    json.writeEndObject();
  }

  private @Nullable String path(int set, String name) {
    for (AuditedModule module : names.set(set).modules()) {
      if (module.name().equals(name)) {
        return module.path();
      }
    }
    return null;
  }

  private void start(String rule, String level, String words) throws IOException {
    json.writeStartObject();
    json.writeStringField("ruleId", rule);
    json.writeNumberField("ruleIndex", order.indexOf(rule));
    json.writeStringField("level", level);
    text("message", words);
  }

  private void location(@Nullable String path, String module, String kernel) throws IOException {
    json.writeArrayFieldStart("locations");
    json.writeStartObject();
    if (path != null) {
      json.writeObjectFieldStart("physicalLocation");
      json.writeObjectFieldStart("artifactLocation");
      json.writeStringField("uri", FileUri.relative(path));
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeArrayFieldStart("logicalLocations");
    json.writeStartObject();
    json.writeStringField("name", Escape.text(module));
    json.writeStringField("fullyQualifiedName", kernel + "/" + Escape.text(module));
    json.writeStringField("kind", "module");
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndArray();
  }

  private void fingerprint(String identity) throws IOException {
    json.writeObjectFieldStart("partialFingerprints");
    json.writeStringField("weaklinkIdentity/v1", identity);
    json.writeEndObject();
  }

  /** A text in which nothing is a placeholder (3.11.5) and nothing a link (3.11.6). */
  private void text(String key, String words) throws IOException {
    json.writeObjectFieldStart(key);
    json.writeStringField("text", words.replace("{", "{{").replace("}", "}}").replace("](", "] ("));
    json.writeEndObject();
  }
}
