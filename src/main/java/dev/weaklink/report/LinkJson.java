package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.check.result.InputProblem;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.plan.AuditedLink;
import dev.weaklink.plan.LinkDefect;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Links as JSON; src/main/resources/schema/links.json says what it looks like. */
public final class LinkJson {
  private LinkJson() {}

  /** Writes one document and a line break. */
  public static void write(List<AuditedLink> links, List<InputProblem> problems, OutputStream out)
      throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.links/1");
      json.writeArrayFieldStart("links");
      for (AuditedLink link : links) {
        link(json, link);
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

  private static void link(JsonGenerator json, AuditedLink link) throws IOException {
    json.writeStartObject();
    json.writeStringField("kernel", link.kernel());
    json.writeStringField("path", link.path());
    json.writeStringField("target", link.target());
    json.writeStringField("module", link.module());
    json.writeArrayFieldStart("defects");
    for (LinkDefect defect : link.defects()) {
      json.writeString(defect.id());
    }
    json.writeEndArray();
    json.writeBooleanField("mayBeRemoved", link.mayBeRemoved());
    JsonOutput.optional(json, "reason", link.reason().isEmpty() ? null : link.reason());
    json.writeEndObject();
  }
}
