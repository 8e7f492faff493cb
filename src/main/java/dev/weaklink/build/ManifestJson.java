package dev.weaklink.build;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.PackageResult;
import dev.weaklink.rebuild.Step;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** What is kept of a rebuild, as JSON; src/main/resources/schema/rebuild.json describes it. */
public final class ManifestJson {
  private ManifestJson() {}

  /** One document and a line break. */
  public static byte[] bytes(Manifest manifest) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.rebuild/1");
      json.writeStringField("state", manifest.state().id());
      json.writeStringField("version", manifest.version());
      json.writeStringField("kernel", manifest.kernel());
      json.writeStringField("backend", manifest.backend());
      json.writeStringField("reason", manifest.reason());
      strings(json, "inputs", manifest.inputs());
      strings(json, "digests", manifest.digests());
      steps(json, manifest.steps());
      Integer status = manifest.status();
      if (status != null) {
        json.writeNumberField("status", status);
      }
      modules(json, "before", manifest.before());
      modules(json, "modules", manifest.modules());
      JsonOutput.strings(json, "results", manifest.results());
      JsonOutput.strings(json, "image", manifest.image());
      packages(json, manifest.packages());
      diagnosis(json, manifest);
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private static void strings(JsonGenerator json, String key, Map<String, String> values)
      throws IOException {
    json.writeObjectFieldStart(key);
    for (Map.Entry<String, String> value : values.entrySet()) {
      json.writeStringField(value.getKey(), value.getValue());
    }
    json.writeEndObject();
  }

  private static void steps(JsonGenerator json, List<Step> steps) throws IOException {
    json.writeArrayFieldStart("steps");
    for (Step step : steps) {
      json.writeStartObject();
      JsonOutput.strings(json, "words", step.words());
      strings(json, "environment", step.environment());
      JsonOutput.optional(json, "directory", step.directory());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void modules(JsonGenerator json, String key, List<BuiltModule> modules)
      throws IOException {
    json.writeArrayFieldStart(key);
    for (BuiltModule module : modules) {
      json.writeStartObject();
      json.writeStringField("module", module.name());
      json.writeStringField("file", module.file());
      json.writeStringField("vermagic", module.vermagic());
      json.writeStringField("srcversion", module.srcversion());
      json.writeBooleanField("signed", module.signed());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void packages(JsonGenerator json, List<PackageResult> packages)
      throws IOException {
    json.writeArrayFieldStart("packages");
    for (PackageResult one : packages) {
      json.writeStartObject();
      json.writeStringField("package", one.label());
      json.writeStringField("state", one.state().id());
      json.writeStringField("reason", one.reason());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void diagnosis(JsonGenerator json, Manifest manifest) throws IOException {
    Diagnosis diagnosis = manifest.diagnosis();
    if (diagnosis == null) {
      return;
    }
    json.writeObjectFieldStart("failure");
    json.writeStringField("cause", diagnosis.cause().id());
    json.writeStringField("line", diagnosis.line());
    json.writeStringField("file", diagnosis.file());
    json.writeStringField("next", diagnosis.next());
    json.writeEndObject();
  }
}
