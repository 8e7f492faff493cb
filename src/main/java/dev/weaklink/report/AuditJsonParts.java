package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Action;
import dev.weaklink.audit.AuditReport.AuditedModule;
import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.Change;
import dev.weaklink.audit.AuditReport.Changes;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.Part;
import dev.weaklink.audit.AuditReport.RunningDefect;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.Nodes;
import dev.weaklink.intake.NodePolicy;
import dev.weaklink.json.JsonOutput;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the parts of an audit, each as a JSON object. */
record AuditJsonParts(JsonGenerator json) {
  void target(Target target) throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", target.id());
    json.writeStringField("label", target.label());
    JsonOutput.optional(json, "release", target.release());
    JsonOutput.optional(json, "vermagic", target.vermagic());
    json.writeStringField("source", target.source());
    JsonOutput.strings(json, "unchecked", target.unchecked());
    json.writeEndObject();
  }

  void set(AuditedSet set) throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", set.id());
    json.writeStringField("digest", set.digest());
    json.writeStringField("kernel", set.kernel());
    JsonOutput.optional(json, "product", set.product());
    NodePolicy policy = set.policy();
    JsonOutput.optional(json, "policy", policy == null ? null : policy.id());
    json.writeArrayFieldStart("modules");
    for (AuditedModule module : set.modules()) {
      module(module);
    }
    json.writeEndArray();
    optional("oldest", set.oldest());
    optional("newest", set.newest());
    json.writeEndObject();
  }

  private void module(AuditedModule module) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", module.name());
    json.writeStringField("path", module.path());
    JsonOutput.optional(json, "file", module.file());
    JsonOutput.optional(json, "version", module.version());
    JsonOutput.optional(json, "srcversion", module.srcversion());
    JsonOutput.optional(json, "vermagic", module.vermagic());
    json.writeEndObject();
  }

  void group(Group group) throws IOException {
    json.writeStartObject();
    json.writeNumberField("set", group.set());
    json.writeStringField("kernel", group.kernel());
    nodes(group.nodes());
    json.writeNumberField("running", group.running());
    json.writeArrayFieldStart("defects");
    for (Defect defect : group.defects()) {
      json.writeStartObject();
      defect(defect);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  void running(RunningDefect running) throws IOException {
    json.writeStartObject();
    json.writeStringField("kernel", running.kernel());
    defect(running.defect());
    nodes(running.nodes());
    json.writeEndObject();
  }

  private void defect(Defect defect) throws IOException {
    json.writeStringField("kind", defect.kind().id());
    json.writeStringField("meaning", defect.kind().meaning());
    json.writeStringField("subject", defect.subject());
    json.writeStringField("detail", defect.detail());
  }

  void verdict(SetVerdict verdict) throws IOException {
    json.writeStartObject();
    json.writeNumberField("set", verdict.set());
    json.writeNumberField("target", verdict.target());
    json.writeStringField("fate", verdict.fate().id());
    json.writeStringField("reason", verdict.reason());
    json.writeNumberField("loads", verdict.loads());
    json.writeNumberField("fails", verdict.fails());
    json.writeNumberField("undetermined", verdict.undetermined());
    json.writeArrayFieldStart("modules");
    for (ModuleVerdict module : verdict.modules()) {
      moduleVerdict(module);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void moduleVerdict(ModuleVerdict module) throws IOException {
    json.writeStartObject();
    json.writeStringField("module", module.module());
    json.writeStringField("outcome", module.outcome().name());
    JsonOutput.optional(json, "errno", module.errno());
    json.writeArrayFieldStart("findings");
    for (Finding finding : module.findings()) {
      json.writeStartObject();
      json.writeStringField("layer", finding.layer());
      JsonOutput.optional(json, "symbol", finding.symbol());
      JsonOutput.optional(json, "wanted", finding.wanted());
      JsonOutput.optional(json, "offered", finding.offered());
      json.writeStringField("message", finding.message());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (module.more() > 0) {
      json.writeNumberField("more", module.more());
    }
    json.writeEndObject();
  }

  void kernel(KernelSafety kernel) throws IOException {
    json.writeStartObject();
    json.writeNumberField("target", kernel.target());
    json.writeBooleanField("safe", kernel.safe());
    json.writeNumberField("nodes", kernel.nodes());
    json.writeStringField("unsafe", kernel.unsafe().folded());
    json.writeNumberField("unsafeCount", kernel.unsafe().count());
    json.writeStringField("unknown", kernel.unknown().folded());
    json.writeNumberField("unknownCount", kernel.unknown().count());
    json.writeEndObject();
  }

  void action(Action action) throws IOException {
    json.writeStartObject();
    json.writeStringField("fate", action.fate().id());
    json.writeNumberField("target", action.target());
    json.writeNumberField("set", action.set());
    JsonOutput.optional(json, "product", action.product());
    nodes(action.nodes());
    JsonOutput.optional(json, "command", action.command());
    json.writeEndObject();
  }

  void summary(AuditReport report) throws IOException {
    json.writeStartObject();
    json.writeNumberField("nodes", report.nodes());
    rest(report);
    json.writeEndObject();
  }

  /** What is not in lists. */
  void rest(AuditReport report) throws IOException {
    json.writeObjectFieldStart("incomplete");
    nodes(report.incomplete());
    json.writeEndObject();
    json.writeObjectFieldStart("input");
    json.writeNumberField("problems", report.problems());
    json.writeEndObject();
    Part part = report.part();
    if (part != null) {
      json.writeObjectFieldStart("part");
      json.writeNumberField("index", part.index());
      json.writeNumberField("of", part.of());
      json.writeEndObject();
    }
    Changes changes = report.changes();
    if (changes != null) {
      json.writeObjectFieldStart("baseline");
      changes("new", changes.appeared());
      changes("mended", changes.mended());
      json.writeNumberField("unchanged", changes.unchanged());
      json.writeEndObject();
    }
  }

  private void changes(String key, List<Change> changes) throws IOException {
    json.writeArrayFieldStart(key);
    for (Change change : changes) {
      json.writeStartObject();
      json.writeStringField("what", change.what());
      nodes(change.nodes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void nodes(Nodes nodes) throws IOException {
    json.writeStringField("nodes", nodes.folded());
    json.writeNumberField("count", nodes.count());
  }

  private void optional(String key, @Nullable Integer value) throws IOException {
    if (value != null) {
      json.writeNumberField(key, value);
    }
  }
}
