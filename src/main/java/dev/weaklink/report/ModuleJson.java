package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.Signer;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Utf8;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All facts of a module as one JSON object ({@code weaklink.module/1}) on a line of its own. */
public final class ModuleJson {
  private ModuleJson() {}

  /** Writes the line. */
  public static void write(KernelModule module, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.module/1");
      json.writeStringField("module", text(module.name()));
      json.writeStringField("file", module.origin().file());
      JsonOutput.optional(json, "member", module.origin().member());
      identity(json, module);
      versions(json, "versions", module.versions());
      versions(json, "extendedVersions", module.extendedVersions());
      imports(json, module);
      exports(json, module.exports());
      signature(json, module.signature());
      JsonOutput.optional(json, "buildId", module.buildId());
      json.writeStringField("btf", btf(module.btf()));
      relocations(json, module.relocations());
      defects(json, module.defects());
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void identity(JsonGenerator json, KernelModule module) throws IOException {
    ElfIdentity elf = module.elf();
    if (elf != null) {
      json.writeObjectFieldStart("elf");
      json.writeStringField("machine", elf.machineName());
      json.writeNumberField("bits", elf.is64() ? 64 : 32);
      json.writeStringField("byteOrder", elf.littleEndian() ? "little" : "big");
      json.writeNumberField("flags", elf.flags() & 0xffffffffL);
      json.writeEndObject();
    }
    JsonOutput.optional(json, "structName", textOrNull(module.structName()));
    if (module.structSize() >= 0) {
      json.writeNumberField("structSize", module.structSize());
    }
    ModInfo info = module.modInfo();
    JsonOutput.optional(json, "vermagic", textOrNull(info.first("vermagic")));
    JsonOutput.optional(json, "license", textOrNull(info.first("license")));
    JsonOutput.strings(json, "depends", ModuleFacts.depends(info));
    JsonOutput.strings(json, "importedNamespaces", texts(info.all("import_ns")));
    if (info.present()) {
      json.writeObjectFieldStart("modinfo");
      json.writeBooleanField("allocated", info.allocated());
      JsonOutput.strings(json, "entries", texts(info.entries()));
      json.writeEndObject();
    }
  }

  private static void versions(JsonGenerator json, String key, @Nullable VersionTable table)
      throws IOException {
    if (table == null) {
      return;
    }
    json.writeObjectFieldStart(key);
    json.writeStringField("layout", ModuleFacts.layout(table));
    json.writeArrayFieldStart("entries");
    for (int i = 0; i < table.names().size(); i++) {
      json.writeStartObject();
      json.writeStringField("symbol", table.names().name(i));
      json.writeStringField("crc", Numbers.crc(table.crcs()[i]));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void imports(JsonGenerator json, KernelModule module) throws IOException {
    Imports imports = module.imports();
    VersionIndex versions = new VersionIndex(module.versions());
    VersionIndex extended = new VersionIndex(module.extendedVersions());
    json.writeArrayFieldStart("imports");
    for (int i = 0; i < imports.names().size(); i++) {
      String symbol = imports.names().name(i);
      json.writeStartObject();
      json.writeStringField("symbol", symbol);
      json.writeBooleanField("weak", imports.weak().get(i));
      JsonOutput.optional(json, "crc", versions.crc(symbol));
      JsonOutput.optional(json, "extendedCrc", extended.crc(symbol));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void exports(JsonGenerator json, Exports exports) throws IOException {
    json.writeArrayFieldStart("exports");
    for (int i = 0; i < exports.names().size(); i++) {
      json.writeStartObject();
      json.writeStringField("symbol", exports.names().name(i));
      if (exports.hasCrc().get(i)) {
        json.writeStringField("crc", Numbers.crc(exports.crcs()[i] & 0xffffffffL));
      }
      json.writeBooleanField("gplOnly", exports.gplOnly().get(i));
      JsonOutput.optional(json, "namespace", exports.namespaces()[i]);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void signature(JsonGenerator json, ModuleSignature signature) throws IOException {
    json.writeObjectFieldStart("signature");
    json.writeStringField("kind", ModuleFacts.id(signature.kind()));
    if (signature.problem() != ModuleSignature.Problem.NONE) {
      json.writeStringField("problem", ModuleFacts.id(signature.problem()));
    }
    json.writeNumberField("length", signature.length());
    Signer signer = signature.signer();
    if (signer != null) {
      JsonOutput.optional(json, "digest", signer.digest());
      JsonOutput.optional(json, "algorithm", signer.algorithm());
      JsonOutput.optional(json, "signer", textOrNull(signer.name()));
      JsonOutput.optional(json, signer.keyId() == null ? "serial" : "keyId", signer.id());
    }
    json.writeEndObject();
  }

  private static String btf(KernelModule.Btf btf) {
    if (!btf.present()) {
      return "absent";
    }
    return btf.base() ? "relocatable" : "present";
  }

  private static void relocations(JsonGenerator json, Relocations relocations) throws IOException {
    if (!relocations.examined()) {
      return;
    }
    json.writeObjectFieldStart("relocations");
    json.writeArrayFieldStart("types");
    for (int type : ModuleFacts.relocationTypes(relocations)) {
      json.writeNumber(type);
    }
    json.writeEndArray();
    if (relocations.firstNonZeroTarget() >= 0) {
      json.writeNumberField("nonZeroTarget", relocations.firstNonZeroTarget());
    }
    json.writeEndObject();
  }

  private static void defects(JsonGenerator json, List<ElfDefect> defects) throws IOException {
    json.writeArrayFieldStart("defects");
    for (ElfDefect defect : defects) {
      json.writeStartObject();
      json.writeStringField("kind", ModuleFacts.id(defect.kind()));
      json.writeNumberField("first", defect.first());
      json.writeNumberField("second", defect.second());
      json.writeStringField("text", text(defect.text()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Bytes as the text they are in UTF-8, else one character a byte. */
  private static String text(String bytes) {
    String decoded = Utf8.decode(bytes);
    return decoded != null ? decoded : bytes;
  }

  private static @Nullable String textOrNull(@Nullable String bytes) {
    return bytes == null ? null : text(bytes);
  }

  private static List<String> texts(List<String> values) {
    List<String> texts = new ArrayList<>();
    for (String value : values) {
      texts.add(text(value));
    }
    return texts;
  }
}
