package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.check.result.InputProblem;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.load.Verdict;
import dev.weaklink.plan.Action;
import dev.weaklink.plan.KernelPlan;
import dev.weaklink.plan.LinkEdit;
import dev.weaklink.plan.ModulePlan;
import dev.weaklink.plan.Plan;
import dev.weaklink.plan.Unused;
import dev.weaklink.rebuild.RebuildGroup;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** A plan as JSON; src/main/resources/schema/plan.json says what it looks like. */
public final class PlanJson {
  private PlanJson() {}

  /** Writes one document and a line break. */
  public static void write(
      Plan plan, List<RebuildGroup> rebuilds, List<InputProblem> problems, OutputStream out)
      throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.plan/1");
      JsonOutput.optional(json, "next", plan.next());
      json.writeArrayFieldStart("kernels");
      FindingBytes findings = new FindingBytes();
      for (KernelPlan kernel : plan.kernels()) {
        kernel(json, kernel, findings);
      }
      json.writeEndArray();
      json.writeObjectFieldStart("counts");
      for (Action action : Action.values()) {
        json.writeNumberField(action.id(), plan.count(action));
      }
      json.writeEndObject();
      JsonOutput.strings(json, "overrides", plan.overrides());
      json.writeArrayFieldStart("rebuilds");
      for (RebuildGroup group : rebuilds) {
        rebuild(json, group);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("problems");
      for (InputProblem problem : problems) {
        CheckJson.problem(json, problem);
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void rebuild(JsonGenerator json, RebuildGroup group) throws IOException {
    json.writeStartObject();
    json.writeStringField("kernel", group.kernel());
    JsonOutput.strings(json, "units", group.units());
    JsonOutput.strings(json, "modules", group.modules());
    json.writeStringField("cause", group.cause());
    JsonOutput.optional(json, "backend", group.backend().isEmpty() ? null : group.backend());
    JsonOutput.optional(json, "product", group.product().isEmpty() ? null : group.product());
    json.writeStringField("reason", group.reason());
    json.writeEndObject();
  }

  private static void kernel(JsonGenerator json, KernelPlan kernel, FindingBytes findings)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("kernel", kernel.kernel());
    json.writeBooleanField("largest", kernel.largest());
    json.writeArrayFieldStart("modules");
    for (ModulePlan module : kernel.modules()) {
      module(json, module, findings);
    }
    json.writeEndArray();
    JsonOutput.strings(json, "needsDepmod", kernel.needsDepmod());
    json.writeEndObject();
  }

  private static void module(JsonGenerator json, ModulePlan module, FindingBytes findings)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("module", module.module());
    json.writeStringField("unit", module.unit().name());
    JsonOutput.optional(json, "product", module.unit().product());
    json.writeStringField("action", module.action().id());
    json.writeStringField("state", UnitState.of(module).id());
    json.writeStringField("build", module.build());
    json.writeStringField("verdict", module.outcome().name());
    json.writeStringField("reason", module.reason());
    JsonOutput.optional(json, "advice", module.advice());
    Unused unused = module.unused();
    if (unused != null) {
      json.writeObjectFieldStart("unused");
      json.writeStringField("chosen", unused.chosen());
      JsonOutput.optional(json, "override", unused.override());
      json.writeEndObject();
    }
    json.writeArrayFieldStart("links");
    for (LinkEdit edit : module.edits()) {
      json.writeStartObject();
      json.writeStringField("path", edit.path());
      JsonOutput.optional(json, "before", edit.before());
      JsonOutput.optional(json, "after", edit.after());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeFieldName("findings");
    Verdict verdict = module.verdict();
    findings.write(json, verdict == null ? List.of() : verdict.findings());
    json.writeEndObject();
  }
}
