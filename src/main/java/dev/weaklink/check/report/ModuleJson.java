package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.module.Signer;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.Escape.Utf8;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Renders the facts of a module as one JSON object ({@code weaklink.module/1}) on its own line. */
public final class ModuleJson {
    private ModuleJson() {}

    public static void write(KernelModule module, RuntimeNames names, OutputStream out) throws IOException {
        ModInfo info = module.modInfo();
        JsonOutput.writeLine(
                object(
                        "schema", "weaklink.module/1",
                        "module", Utf8.text(module.name()),
                        "file", module.origin().file(),
                        "member", module.origin().member(),
                        "elf", elf(module.elf()),
                        "structName", textOrNull(module.structName()),
                        "structSize", module.structSize() < 0 ? null : module.structSize(),
                        "vermagic", textOrNull(info.first("vermagic")),
                        "license", textOrNull(info.first("license")),
                        "depends", info.depends(),
                        "importedNamespaces", list(info.all("import_ns"), Utf8::text),
                        "modinfo", modInfo(info),
                        "versions", versions(module.versions()),
                        "extendedVersions", versions(module.extendedVersions()),
                        "imports", imports(module),
                        "exports", exports(module.exports()),
                        "runtimeSymbols", names.symbols(),
                        "signature", signature(module.signature()),
                        "buildId", module.buildId(),
                        "btf", btf(module.btf()),
                        "relocations", relocations(module.relocations()),
                        "defects", list(ofFile(module.defects()), ModuleJson::defect)),
                out);
    }

    private static @Nullable Object elf(@Nullable ElfIdentity elf) {
        return elf == null
                ? null
                : object(
                        "machine",
                        elf.machineName(),
                        "bits",
                        elf.is64() ? 64 : 32,
                        "byteOrder",
                        elf.littleEndian() ? "little" : "big",
                        "flags",
                        elf.flags() & 0xffffffffL);
    }

    private static @Nullable Object modInfo(ModInfo info) {
        return info.present()
                ? object("allocated", info.allocated(), "entries", list(info.entries(), Utf8::text))
                : null;
    }

    private static @Nullable Object versions(@Nullable VersionTable table) {
        if (table == null) {
            return null;
        }
        List<Object> entries = new ArrayList<>();
        for (int i = 0; i < table.names().size(); i++) {
            entries.add(object("symbol", table.names().name(i), "crc", Numbers.crc(table.crcs()[i])));
        }
        return object("layout", table.layout().id(), "entries", entries);
    }

    private static List<Object> imports(KernelModule module) {
        Imports imports = module.imports();
        VersionIndex versions = new VersionIndex(module.versions());
        VersionIndex extended = new VersionIndex(module.extendedVersions());
        List<Object> json = new ArrayList<>();
        for (int i = 0; i < imports.names().size(); i++) {
            String symbol = imports.names().name(i);
            json.add(object(
                    "symbol", symbol,
                    "weak", imports.weak().get(i),
                    "crc", versions.crc(symbol),
                    "extendedCrc", extended.crc(symbol)));
        }
        return json;
    }

    private static List<Object> exports(Exports exports) {
        List<Object> json = new ArrayList<>();
        for (int i = 0; i < exports.names().size(); i++) {
            boolean hasCrc = exports.hasCrc().get(i);
            json.add(object(
                    "symbol",
                    exports.names().name(i),
                    "crc",
                    hasCrc ? Numbers.crc(exports.crcs()[i] & 0xffffffffL) : null,
                    "gplOnly",
                    exports.gplOnly().get(i),
                    "namespace",
                    exports.namespaces()[i]));
        }
        return json;
    }

    private static Object signature(ModuleSignature signature) {
        boolean sound = signature.problem() == ModuleSignature.SignatureProblem.NONE;
        Map<String, Object> json = object(
                "kind", signature.kind().id(),
                "problem", sound ? null : signature.problem().id(),
                "length", signature.length());
        Signer signer = signature.signer();
        if (signer != null) {
            json.putAll(object(
                    "digest",
                    signer.digest(),
                    "algorithm",
                    signer.algorithm(),
                    "signer",
                    textOrNull(signer.name()),
                    signer.keyId() == null ? "serial" : "keyId",
                    signer.id()));
        }
        return json;
    }

    private static String btf(KernelModule.ModuleBtf btf) {
        if (!btf.present()) {
            return "absent";
        }
        return btf.base() ? "relocatable" : "present";
    }

    private static @Nullable Object relocations(Relocations relocations) {
        int nonZero = relocations.firstNonZeroTarget();
        return relocations.examined()
                ? object(
                        "types",
                        relocations.types().stream().boxed().toList(),
                        "nonZeroTarget",
                        nonZero < 0 ? null : nonZero)
                : null;
    }

    private static List<ElfDefect> ofFile(List<ElfDefect> defects) {
        return defects.stream().filter(ElfDefect::isOfFile).toList();
    }

    private static Object defect(ElfDefect defect) {
        return object(
                "kind", defect.kind().id(),
                "first", defect.first(),
                "second", defect.second(),
                "text", Utf8.text(defect.text()));
    }

    private static @Nullable String textOrNull(@Nullable String bytes) {
        return bytes == null ? null : Utf8.text(bytes);
    }

    /** An index of a module's version table by symbol. The first entry of a name counts, as in the loader. */
    static final class VersionIndex {
        private final Map<String, Long> crcs = new HashMap<>();

        VersionIndex(@Nullable VersionTable table) {
            if (table != null) {
                SymbolNames names = table.names();
                for (int i = 0; i < names.size(); i++) {
                    crcs.putIfAbsent(names.name(i), table.crcs()[i]);
                }
            }
        }

        @Nullable
        String crc(String symbol) {
            Long crc = crcs.get(symbol);
            return crc == null ? null : Numbers.crc(crc);
        }
    }
}
