package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.initramfs.CheckedImage;
import dev.weaklink.initramfs.CheckedModule;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.load.Verdict;
import java.io.IOException;
import java.io.OutputStream;

/** An initramfs that was looked at, as one JSON object ({@code weaklink.initramfs/1}) on a line. */
public final class InitramfsJson {
  private InitramfsJson() {}

  /** Writes the line. */
  public static void write(CheckedImage image, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.initramfs/1");
      json.writeStringField("image", image.path());
      json.writeStringField("kernel", image.kernel());
      JsonOutput.optional(json, "failure", image.failure());
      FindingBytes findings = new FindingBytes();
      json.writeArrayFieldStart("modules");
      for (CheckedModule module : image.modules()) {
        module(json, module, findings);
      }
      json.writeEndArray();
      json.writeBooleanField("toBeRenewed", image.isToBeRenewed());
      json.writeObjectFieldStart("renewal");
      JsonOutput.strings(json, "command", image.renewal().command());
      json.writeStringField("words", image.renewal().words());
      json.writeEndObject();
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void module(JsonGenerator json, CheckedModule module, FindingBytes findings)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("module", module.name());
    json.writeStringField("path", module.path());
    json.writeStringField("state", module.state().id());
    JsonOutput.optional(json, "selected", module.selected());
    JsonOutput.optional(json, "detail", module.detail());
    Verdict verdict = module.verdict();
    if (verdict != null) {
      json.writeStringField("verdict", verdict.outcome().name());
      JsonOutput.optional(json, "errno", verdict.errno());
      json.writeFieldName("findings");
      findings.write(json, verdict.findings());
    }
    json.writeEndObject();
  }
}
