package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.check.result.ExportCount;
import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.image.EntryLayout;
import dev.weaklink.image.KernelImage;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.sys.Utf8;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** What a kernel image tells as one JSON object ({@code weaklink.kernel/1}) on a line. */
public final class KernelJson {
  private KernelJson() {}

  /** Writes the line. */
  public static void write(String file, KernelImage image, LoaderRules rules, OutputStream out)
      throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.kernel/1");
      json.writeStringField("file", file);
      json.writeStringField("format", image.format().id());
      JsonOutput.optional(
          json, "compression", image.compression() == null ? null : image.compression().id());
      machine(json, image.machine());
      json.writeStringField("release", text(image.release()));
      json.writeStringField("banner", text(image.banner()));
      JsonOutput.optional(json, "vermagic", image.vermagic());
      json.writeBooleanField("config", image.config() != null);
      if (image.structModuleSize() >= 0) {
        json.writeNumberField("structModuleSize", image.structModuleSize());
      }
      exports(json, image);
      rules(json, rules);
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void machine(JsonGenerator json, @Nullable ElfIdentity machine)
      throws IOException {
    if (machine != null) {
      json.writeStringField("machine", machine.machineName());
    }
  }

  private static void exports(JsonGenerator json, KernelImage image) throws IOException {
    json.writeObjectFieldStart("exports");
    ExportTable exports = image.exports();
    EntryLayout layout = image.layout();
    if (exports != null && layout != null) {
      ExportCount count = ExportCount.of(exports);
      json.writeNumberField("symbols", exports.size());
      json.writeNumberField("gplOnly", count.gplOnly());
      json.writeNumberField("inNamespaces", count.inNamespaces());
      json.writeBooleanField("crcs", image.hasCrcs());
      json.writeStringField("layout", layout.words());
      json.writeStringField("foundBy", image.named() ? "section-names" : "contents");
    }
    JsonOutput.optional(json, "missing", image.missing());
    json.writeEndObject();
  }

  private static void rules(JsonGenerator json, LoaderRules rules) throws IOException {
    json.writeObjectFieldStart("rules");
    for (LoaderRule rule : LoaderRule.values()) {
      LoaderRules.Setting setting = rules.setting(rule);
      json.writeObjectFieldStart(rule.key());
      json.writeStringField("value", setting.value());
      json.writeBooleanField("assumed", setting.assumed());
      json.writeStringField("evidence", setting.evidence());
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  /** Bytes as the text they are in UTF-8, else one character a byte. */
  private static String text(String bytes) {
    String decoded = Utf8.decode(bytes);
    return decoded != null ? decoded : bytes;
  }
}
