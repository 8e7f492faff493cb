package dev.weaklink.check.report;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.module.Signer;
import dev.weaklink.module.VersionTable;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All facts of a module for people. */
public final class ModuleTable {
  private static final int LABEL_WIDTH = 16;
  private static final String NO_CRC = "-         ";

  private final Page page;

  public ModuleTable(TableOptions options) {
    page = new Page(options);
  }

  /** The whole text; to be used once. */
  public String render(KernelModule module, RuntimeNames names) {
    page.line(
        page.styled(Style.HEADING, Escape.bytes(module.name()))
            + "  "
            + Escape.text(module.origin().toString()));
    head(module);
    exports(module.exports());
    imports(module);
    names("Asked for when it runs (symbol_get)", names.symbols());
    return page.text();
  }

  private void head(KernelModule module) {
    ModInfo info = module.modInfo();
    fact("format", format(module.elf()));
    fact("vermagic", escaped(info.first("vermagic")));
    fact("license", escaped(info.first("license")));
    fact("version", escaped(info.first("version")));
    fact("source version", escaped(info.first("srcversion")));
    fact("depends", list(info.depends()));
    fact("namespaces", list(info.all("import_ns")));
    fact("struct module", module.structSize() < 0 ? null : module.structSize() + " bytes");
    fact("versions", versions(module.versions()));
    if (module.extendedVersions() != null) {
      fact("versions", versions(module.extendedVersions()));
    }
    fact("signature", signature(module.signature()));
    signer(module.signature().signer());
    fact("build id", escaped(module.buildId()));
    fact("BTF", btf(module.btf()));
    for (ElfDefect defect : module.defects()) {
      if (defect.isOfFile()) {
        fact("defect", DefectWords.of(defect));
      }
    }
  }

  private void fact(String label, @Nullable String value) {
    page.fact(LABEL_WIDTH, label, value);
  }

  private static String format(@Nullable ElfIdentity elf) {
    if (elf == null) {
      return "not an ELF file";
    }
    return elf.machineName()
        + (elf.is64() ? ", 64 bit, " : ", 32 bit, ")
        + (elf.littleEndian() ? "little endian" : "big endian");
  }

  private static @Nullable String escaped(@Nullable String bytes) {
    return bytes == null ? null : Escape.bytes(bytes);
  }

  private static @Nullable String list(List<String> values) {
    return values.isEmpty() ? null : Escape.bytes(String.join(", ", values));
  }

  private static @Nullable String versions(@Nullable VersionTable table) {
    return table == null ? null : table.layout().id() + ", " + entries(table.names().size());
  }

  private static String entries(int count) {
    return Numbers.grouped(count) + (count == 1 ? " entry" : " entries");
  }

  private static String signature(ModuleSignature signature) {
    if (signature.kind() == ModuleSignature.Kind.UNSIGNED
        && signature.problem() == ModuleSignature.Problem.NONE) {
      return "none";
    }
    String problem =
        signature.problem() == ModuleSignature.Problem.NONE
            ? ""
            : ", malformed: " + signature.problem().id();
    return signature.kind().id() + ", " + signature.length() + " bytes" + problem;
  }

  private void signer(@Nullable Signer signer) {
    if (signer == null) {
      return;
    }
    fact("signed with", orUnknown(signer.algorithm()) + ", " + orUnknown(signer.digest()));
    fact("signer", escaped(signer.name()));
    fact(signer.keyId() == null ? "serial number" : "key id", signer.id());
  }

  private static String orUnknown(@Nullable String word) {
    return word == null ? "unknown" : word;
  }

  private static String btf(KernelModule.Btf btf) {
    if (!btf.present()) {
      return "none";
    }
    return btf.base() ? "relocatable against another kernel's" : "against one kernel's only";
  }

  private void exports(Exports exports) {
    page.gap();
    page.line(page.styled(Style.HEADING, "Exports (" + exports.names().size() + ")"));
    for (int i = 0; i < exports.names().size(); i++) {
      String crc = exports.hasCrc().get(i) ? Numbers.crc(exports.crcs()[i] & 0xffffffffL) : NO_CRC;
      String namespace = exports.namespaces()[i];
      page.line(
          "  "
              + crc
              + "  "
              + Escape.bytes(exports.names().name(i))
              + (exports.gplOnly().get(i) ? "  GPL" : "")
              + (namespace == null ? "" : "  namespace " + Escape.bytes(namespace)));
    }
  }

  private void names(String heading, List<String> names) {
    if (!names.isEmpty()) {
      page.gap();
      page.line(page.styled(Style.HEADING, heading));
      names.forEach(name -> page.line("  " + Escape.bytes(name)));
    }
  }

  private void imports(KernelModule module) {
    Imports imports = module.imports();
    List<VersionIndex> tables = new ArrayList<>();
    tables.add(new VersionIndex(module.versions()));
    if (module.extendedVersions() != null) {
      tables.add(new VersionIndex(module.extendedVersions()));
    }
    page.gap();
    page.line(page.styled(Style.HEADING, "Imports (" + imports.names().size() + ")"));
    for (int i = 0; i < imports.names().size(); i++) {
      String symbol = imports.names().name(i);
      StringBuilder line = new StringBuilder("  ");
      for (VersionIndex table : tables) {
        String crc = table.crc(symbol);
        line.append(crc == null ? NO_CRC : crc).append("  ");
      }
      line.append(Escape.bytes(symbol)).append(imports.weak().get(i) ? "  weak" : "");
      page.line(line.toString());
    }
  }
}
