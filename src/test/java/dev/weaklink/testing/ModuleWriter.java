package dev.weaklink.testing;

import dev.weaklink.testing.ModuleSpec.Code;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.ModuleSpec.Import;
import dev.weaklink.testing.ModuleSpec.ModInfo;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.Table;
import dev.weaklink.testing.ModuleSpec.TextRelocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Writes the file of a described module. */
final class ModuleWriter {
    private static final int FUNCTION_SIZE = 16;

    private final ModuleSpec spec;
    private final ElfWriter elf;
    private final ElfSection text;

    private ModuleWriter(ModuleSpec spec) {
        this.spec = spec;
        elf = new ElfWriter(spec.machine());
        for (int i = 0; i < spec.oddities().emptySections(); i++) {
            elf.section(".empty", ElfSection.SHT_PROGBITS, 0, 1);
        }
        text = progbits(".text", ElfSection.SHF_ALLOC | ElfSection.SHF_EXECINSTR, FUNCTION_SIZE);
    }

    static byte[] write(ModuleSpec spec) {
        ModuleWriter writer = new ModuleWriter(spec);
        writer.writeSections();
        byte[] elf = writer.elf.toBytes();
        return new ElfBytes(spec.machine())
                .bytes(elf)
                .bytes(spec.trailer().toBytes())
                .toArray();
    }

    private void writeSections() {
        ElfSymbol init = function("init_module");
        ElfSymbol exit =
                new ElfSymbol("cleanup_module", ElfSymbol.STB_GLOBAL, ElfSymbol.STT_FUNC, text.index(), functionBody());
        List<ElfSymbol> imports = writeImports();
        elf.symbol(exit);
        Map<String, ElfSymbol> exported = new HashMap<>();
        for (Export export : spec.exports()) {
            exported.put(export.name(), function(export.name()));
        }
        spec.extraSymbols().forEach(this::writeExtraSymbol);
        writeTables(imports);
        writeTextRelocations(imports.isEmpty() ? init : imports.get(0));
        writeFacts();
        ExportSections.write(elf, spec, exported);
        ThisModuleSection.write(elf, spec.machine(), spec.thisModule(), init, exit);
        writeMachineSections();
        writeOddities(spec.oddities());
    }

    private void writeFacts() {
        writeModInfo(spec.modInfo());
        if (spec.versions() != null) {
            VersionSections.write(elf, spec.machine(), spec.versions());
        }
        if (spec.extendedVersions() != null) {
            VersionSections.writeExtended(elf, spec.extendedVersions());
        }
    }

    private ElfSection progbits(String name, long flags, int alignment) {
        return elf.section(name, ElfSection.SHT_PROGBITS, flags, alignment);
    }

    private ElfSymbol function(String name) {
        return elf.symbol(ElfSymbol.global(name, text, functionBody()));
    }

    private int functionBody() {
        int offset = text.content().size();
        text.content().zeros(FUNCTION_SIZE);
        return offset;
    }

    private List<ElfSymbol> writeImports() {
        List<ElfSymbol> symbols = new ArrayList<>();
        for (Import entry : spec.imports()) {
            symbols.add(elf.symbol(ElfSymbol.undefined(entry.name(), entry.weak())));
        }
        return symbols;
    }

    private void writeExtraSymbol(ExtraSymbol extra) {
        elf.symbol(
                switch (extra.kind()) {
                    case DEFINED -> ElfSymbol.global(extra.name(), text, functionBody());
                    case LOCAL -> ElfSymbol.local(extra.name(), text, functionBody());
                    case ABSOLUTE -> ElfSymbol.absolute(extra.name(), 1);
                    case COMMON ->
                        new ElfSymbol(
                                extra.name(),
                                ElfSymbol.STB_GLOBAL,
                                ElfSymbol.STT_OBJECT,
                                ElfSymbol.SHN_COMMON,
                                spec.machine().wordSize());
                });
    }

    private void writeTables(List<ElfSymbol> imports) {
        Map<String, ElfSymbol> targets = new HashMap<>();
        imports.forEach(symbol -> targets.put(symbol.name(), symbol));
        List<Code> functions = spec.functions();
        ElfSection code = functions.isEmpty() ? null : writeCode(targets);
        if (!spec.tables().isEmpty()) {
            writeTables(targets);
        }
        if (code != null) {
            relocateCode(code, targets);
        }
    }

    private void writeTables(Map<String, ElfSymbol> targets) {
        Map<String, ElfSection> sections = new HashMap<>();
        for (Table table : spec.tables()) {
            ElfSection data = sections.computeIfAbsent(
                    table.section(),
                    name -> progbits(
                            name,
                            ElfSection.SHF_ALLOC | ElfSection.SHF_WRITE,
                            spec.machine().wordSize()));
            int start = data.content().size();
            data.content().zeros(table.size());
            table.slots().forEach((offset, name) -> {
                ElfSymbol target = targets.computeIfAbsent(name, this::function);
                data.relocate(start + offset, Relocation.Kind.WORD, target, 0);
            });
            ElfSymbol symbol = new ElfSymbol(
                    table.name(), ElfSymbol.STB_LOCAL, ElfSymbol.STT_OBJECT, data.index(), start, table.size());
            targets.put(table.name(), elf.symbol(symbol));
        }
    }

    private ElfSection writeCode(Map<String, ElfSymbol> targets) {
        long flags = ElfSection.SHF_ALLOC | ElfSection.SHF_EXECINSTR;
        ElfSection code = progbits(".text.code", flags, 1);
        for (Code function : spec.functions()) {
            int start = code.content().size();
            int size = function.references().size() * spec.machine().wordSize();
            code.content().zeros(size);
            ElfSymbol symbol =
                    new ElfSymbol(function.name(), ElfSymbol.STB_LOCAL, ElfSymbol.STT_FUNC, code.index(), start, size);
            targets.put(function.name(), elf.symbol(symbol));
        }
        return code;
    }

    private void relocateCode(ElfSection code, Map<String, ElfSymbol> targets) {
        int at = 0;
        for (Code function : spec.functions()) {
            for (String name : function.references()) {
                code.relocate(at, Relocation.Kind.WORD, Objects.requireNonNull(targets.get(name), name), 0);
                at += spec.machine().wordSize();
            }
        }
    }

    private void writeTextRelocations(ElfSymbol symbol) {
        for (TextRelocation relocation : spec.textRelocations()) {
            int offset = text.content().size();
            text.content().u64(relocation.target());
            text.relocateRaw(offset, relocation.type(), symbol, 0);
        }
    }

    private void writeModInfo(ModInfo modInfo) {
        Presence presence = modInfo.presence();
        if (presence == Presence.ABSENT) {
            return;
        }
        long flags = presence == Presence.NOT_ALLOCATED ? 0 : ElfSection.SHF_ALLOC;
        int type = presence == Presence.NOBITS ? ElfSection.SHT_NOBITS : ElfSection.SHT_PROGBITS;
        for (int i = 0; i < (presence == Presence.TWICE ? 2 : 1); i++) {
            ElfSection section = elf.section(".modinfo", type, flags, 1);
            modInfo.entries().forEach(section.content()::string);
        }
    }

    /** Writes the sections that the linker script for modules adds (asm/module.lds.h), with one byte each. */
    private void writeMachineSections() {
        for (String name : spec.machine().moduleSections()) {
            if (!spec.oddities().missingSections().contains(name)
                    && !name.equals(spec.oddities().writableCode())) {
                progbits(name, ElfSection.SHF_ALLOC, 1).content().zeros(1);
            }
        }
    }

    /** Writes parameters (include/linux/moduleparam.h: struct kernel_param of 4.2 and later) with mode 0444. */
    private void writeParameters(List<String> names) {
        int word = spec.machine().wordSize();
        ElfSection strings = progbits(".rodata.str", ElfSection.SHF_ALLOC, 1);
        ElfSection entries = progbits("__param", ElfSection.SHF_ALLOC, word);
        for (String name : names) {
            ElfSymbol string = elf.symbol(
                    ElfSymbol.local("name_" + name, strings, strings.content().size()));
            strings.content().string(name);
            int start = entries.content().size();
            entries.content().zeros(3 * word).u16(0444).zeros(2 * word - 2);
            for (int i : new int[] {0, 1, 2, 4}) {
                entries.relocate(start + i * word, Relocation.Kind.WORD, string, 0);
            }
        }
    }

    private void writeOddities(Oddities oddities) {
        if (oddities.buildId() != null) {
            byte[] id = HexFormat.of().parseHex(oddities.buildId());
            ElfSection note = elf.section(".note.gnu.build-id", ElfSection.SHT_NOTE, ElfSection.SHF_ALLOC, 4);
            note.content().u32(4).u32(id.length).u32(3).string("GNU").bytes(id).align(4);
        }
        if (oddities.btf() != null) {
            progbits(".BTF", 0, 4).content().bytes(oddities.btf());
        }
        if (oddities.btfBase() != null) {
            progbits(".BTF.base", 0, 4).content().bytes(oddities.btfBase());
        }
        if (oddities.writableCode() != null) {
            long flags = ElfSection.SHF_ALLOC | ElfSection.SHF_WRITE | ElfSection.SHF_EXECINSTR;
            progbits(oddities.writableCode(), flags, FUNCTION_SIZE).content().zeros(FUNCTION_SIZE);
        }
        for (String name : oddities.addedSections()) {
            progbits(name, ElfSection.SHF_ALLOC, 1).content().zeros(1);
        }
        if (!oddities.parameters().isEmpty()) {
            writeParameters(oddities.parameters());
        }
        if (!oddities.symbolTable()) {
            elf.omitSymbolTable();
        }
        if (oddities.symbolTableLink() >= 0) {
            elf.symbolTableLink(oddities.symbolTableLink());
        }
    }
}
