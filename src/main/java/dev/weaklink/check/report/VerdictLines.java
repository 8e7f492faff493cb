package dev.weaklink.check.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.Provider;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.Workers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.IntConsumer;

/** Some verdicts, an object on a line of its own each, in memory that is used again. */
final class VerdictLines {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final FindingBytes findings = new FindingBytes();
  private List<Verdict> verdicts = List.of();

  /** Turns to other verdicts. */
  void take(List<Verdict> others) {
    verdicts = others;
    bytes.reset();
  }

  /** Has several put into words on several threads. */
  static void write(List<VerdictLines> parts, int threads) {
    IntConsumer writer =
        new IntConsumer() {
          @Override
          public void accept(int part) {
            parts.get(part).write();
          }
        };
    Workers.start(parts.size(), threads, Workers.all(writer)).finish();
  }

  private void write() {
    try (JsonGenerator json = JsonOutput.open(bytes)) {
      for (Verdict verdict : verdicts) {
        verdict(json, verdict, findings);
        json.writeRaw('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
  }

  void writeTo(OutputStream out) throws IOException {
    bytes.writeTo(out);
  }

  /** One verdict as an object ({@code weaklink.verdict/1}). */
  static void verdict(JsonGenerator json, Verdict verdict, FindingBytes findings)
      throws IOException {
    Origin origin = verdict.module().origin();
    json.writeStartObject();
    json.writeStringField("schema", "weaklink.verdict/1");
    json.writeStringField("module", verdict.module().name());
    json.writeStringField("file", origin.file());
    JsonOutput.optional(json, "member", origin.member());
    Origin.Owner owner = origin.owner();
    if (owner != null) {
      owner(json, owner);
    }
    json.writeStringField("target", verdict.target());
    json.writeStringField("verdict", verdict.outcome().name());
    JsonOutput.optional(json, "errno", verdict.errno());
    json.writeFieldName("findings");
    findings.write(json, verdict.findings());
    json.writeArrayFieldStart("providers");
    for (Provider provider : verdict.providers()) {
      provider(json, provider);
    }
    json.writeEndArray();
    JsonOutput.strings(json, "unchecked", verdict.unchecked());
    JsonOutput.strings(json, "assumed", verdict.assumed());
    json.writeEndObject();
  }

  private static void owner(JsonGenerator json, Origin.Owner owner) throws IOException {
    json.writeObjectFieldStart("package");
    json.writeStringField("kind", owner.kind());
    json.writeStringField("name", owner.name());
    json.writeStringField("version", owner.version());
    JsonOutput.optional(json, "product", owner.product());
    json.writeEndObject();
  }

  private static void provider(JsonGenerator json, Provider provider) throws IOException {
    json.writeStartObject();
    json.writeStringField("module", provider.name());
    json.writeStringField("file", provider.file());
    json.writeBooleanField("given", provider.given());
    json.writeEndObject();
  }
}
