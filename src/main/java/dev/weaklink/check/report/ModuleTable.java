package dev.weaklink.check.report;

import dev.weaklink.check.report.ModuleJson.VersionIndex;
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

public final class ModuleTable {
    private static final int LABEL_WIDTH = 16;
    private static final String NO_CRC = "-         ";

    private final Page page;

    public ModuleTable(TableOptions options) {
        page = new Page(options);
    }

    public String render(KernelModule module, RuntimeNames names) {
        page.line(page.styled(Style.HEADING, Escape.bytes(module.name()))
                + "  "
                + Escape.text(module.origin().toString()));
        head(module);
        exports(module.exports());
        imports(module);
        names("Requested at run time (symbol_get)", names.symbols());
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
        return table == null
                ? null
                : table.layout().id() + ", " + entries(table.names().size());
    }

    private static String entries(int count) {
        return Numbers.grouped(count) + (count == 1 ? " entry" : " entries");
    }

    private static String signature(ModuleSignature signature) {
        if (signature.kind() == ModuleSignature.SignatureKind.UNSIGNED
                && signature.problem() == ModuleSignature.SignatureProblem.NONE) {
            return "none";
        }
        String problem = signature.problem() == ModuleSignature.SignatureProblem.NONE
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

    private static String btf(KernelModule.ModuleBtf btf) {
        if (!btf.present()) {
            return "none";
        }
        return btf.base() ? "can be relocated to another kernel's BTF" : "only for one kernel's BTF";
    }

    private void exports(Exports exports) {
        page.gap();
        page.line(page.styled(Style.HEADING, "Exports (" + exports.names().size() + ")"));
        for (int i = 0; i < exports.names().size(); i++) {
            String crc = exports.hasCrc().get(i) ? Numbers.crc(exports.crcs()[i] & 0xffffffffL) : NO_CRC;
            String namespace = exports.namespaces()[i];
            page.line("  "
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

    public static final class DefectWords {
        private DefectWords() {}

        public static String of(ElfDefect defect) {
            String text = Escape.bytes(defect.text());
            long first = defect.first();
            return switch (defect.kind()) {
                case EMPTY_FILE -> "the file is empty";
                case SHORT_HEADER -> "too short for an ELF file: " + Numbers.of((int) first, "byte");
                case BAD_MAGIC -> "not an ELF file";
                case BAD_TYPE -> "an ELF file of type " + first + ", expected type 1 (relocatable)";
                case BAD_SHENTSIZE -> "section headers of the wrong size";
                case SECTION_TABLE_OUTSIDE -> "the section headers are not completely in the file";
                case BAD_SHSTRNDX ->
                    "the index of the section name table is invalid: " + first + " (number of sections: "
                            + defect.second() + ")";
                case NAME_TABLE_OUTSIDE -> "the section name table is not completely in the file";
                case SECTION_OUTSIDE -> "section " + first + " is not completely in the file";
                case EMPTY_NAME_TABLE -> "no section names";
                case NAME_TABLE_UNTERMINATED -> "the section name table does not end with NUL";
                case SECTION_ZERO_NOT_NULL -> "section 0 is not empty";
                case BAD_SYMTAB_LINK -> "section " + first + " cannot be the string table of the symbols";
                case SECTION_NAME_OUTSIDE -> "the name of section " + first + " is outside the section name table";
                case SEVERAL_MODINFO -> "more than one .modinfo";
                case NO_THIS_MODULE -> "no struct module: not a kernel module";
                case SEVERAL_THIS_MODULE -> "more than one struct module";
                case THIS_MODULE_NOBITS -> "a struct module without contents";
                case THIS_MODULE_NOT_ALLOCATED -> "the section of struct module is not loaded (no flag SHF_ALLOC)";
                case NO_SYMBOL_TABLE -> "no symbol table (stripped?)";
                case SEVERAL_SYMBOL_TABLES -> "more than one symbol table";
                case STRING_TABLE_UNTERMINATED -> "the symbol string table does not begin and end with NUL";
                case SYMBOL_NAME_OUTSIDE -> "a symbol's name is outside the string table";
                case NAMES_OVERLAP -> "symbol names overlap so much that weaklink did not read all of them";
                case EXTENDED_VERSIONS_HALF -> "only one of __version_ext_crcs and __version_ext_names exists";
                case EXTENDED_VERSIONS_NAMES -> "more extended versions than names";
                case WRITABLE_AND_EXECUTABLE -> "section " + text + " is writable and executable";
                case BAD_SYMBOL_SECTION ->
                    "symbol " + text + " is in section " + (first & 0xffff) + ", which does not exist";
                case NAME_TABLE_TYPE, STRING_TABLE_TYPE -> "a string table has type " + first;
                case MUCH_MEMORY ->
                    "the sections to load take " + (first >> 20)
                            + " MiB; a kernel may not have that much memory for modules";
                case ODD_ALIGNMENT -> "section " + text + " has an alignment that no linker produces";
                case MUCH_PER_CPU_MEMORY ->
                    first + " bytes of per-CPU variables; a kernel may not have that many for modules";
                case COMMON_SYMBOL -> "symbol " + text + " is common (built without -fno-common?)";
                case CTORS_AND_INIT_ARRAY -> "both .ctors and .init_array";
                case ARCH_SECTION_MISSING, TRAMPOLINE_MISSING -> "no section " + text;
                case BROKEN_PARAMETERS -> "parameters without name or operations";
                case STACK_PROTECTOR_LOCATION ->
                    "an entry of __stack_protector_loc points to no larl or lgrl instruction";
                case STATIC_CALL_KEY -> "an entry of .static_call_sites refers to no static call";
                case STRUCT_MODULE_BYTES -> "struct module has an unexpected value at byte " + first;
                case LIVE_PATCH_RELOCATIONS ->
                    "section " + text + " has live patch relocations; a kernel may refuse them";
                case SECTION_NAME_TWICE -> "several sections to load have the name " + text;
            };
        }
    }
}
