package dev.weaklink.testing;

import dev.weaklink.testing.ModuleSpec.Export;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code __ksymtab*}, {@code __kcrctab*} and {@code __ksymtab_strings}, and the symbols to which their
 * relocations refer.
 */
final class ExportSections {
    private final ElfWriter elf;
    private final Machine machine;
    private final ExportFormat format;
    private final ElfSection strings;
    private final ElfSymbol stringsSymbol;
    private final Map<String, Integer> stringOffsets = new HashMap<>();
    private final Map<Export.Table, ElfSection> crcTables = new EnumMap<>(Export.Table.class);
    private @Nullable ElfSection crcLabels;
    private @Nullable ElfSymbol crcLabelsSymbol;

    private ExportSections(ElfWriter elf, ModuleSpec spec) {
        this.elf = elf;
        machine = spec.machine();
        format = spec.exportFormat();
        long flags = ElfSection.SHF_ALLOC | ElfSection.SHF_MERGE | ElfSection.SHF_STRINGS;
        strings = elf.section("__ksymtab_strings", ElfSection.SHT_PROGBITS, flags, 1);
        strings.header(0, 0, 1);
        stringsSymbol = elf.sectionSymbol(strings);
    }

    /**
     * Adds the tables of the module's exports.
     *
     * @param values the symbol of each exported name
     */
    static void write(ElfWriter elf, ModuleSpec spec, Map<String, ElfSymbol> values) {
        if (spec.exports().isEmpty()) {
            return;
        }
        ExportSections sections = new ExportSections(elf, spec);
        if (spec.exportFormat().flagged()) {
            List<Export> all = spec.exportsInTableOrder();
            sections.writeTable(Export.Table.NORMAL, all, values);
            ElfBytes flags = sections.allocated("__kflagstab").content();
            all.forEach(export -> flags.bytes(new byte[] {(byte) (isGplOnly(export) ? 1 : 0)}));
            return;
        }
        for (Export.Table table : Export.Table.values()) {
            List<Export> exports = spec.exportsInTableOrder().stream()
                    .filter(export -> export.table() == table)
                    .toList();
            if (!exports.isEmpty()) {
                sections.writeTable(table, exports, values);
            }
        }
    }

    private static boolean isGplOnly(Export export) {
        return export.table() == Export.Table.GPL || export.table() == Export.Table.UNUSED_GPL;
    }

    private void writeTable(Export.Table table, List<Export> exports, Map<String, ElfSymbol> values) {
        ElfSection entries = allocated("__ksymtab" + table.suffix());
        for (Export export : exports) {
            field(entries, values.get(export.name()), 0);
            stringField(entries, "__kstrtab_" + export.name(), export.name());
            if (format.fields().count() == 3) {
                namespaceField(entries, export);
            } else if (export.namespace() != null) {
                throw new IllegalArgumentException("no room for a namespace in " + format.fields());
            }
        }
        if (format.crcs() != ExportFormat.Crcs.NONE) {
            crcTables.put(table, allocated("__kcrctab" + table.suffix()));
            exports.forEach(export -> writeCrc(export, crcTables.get(table)));
        }
    }

    private ElfSection allocated(String name) {
        return elf.section(name, ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC, machine.wordSize());
    }

    private void field(ElfSection entries, ElfSymbol symbol, long addend) {
        int offset = entries.content().size();
        Relocation.Kind kind = format.fields().relocationKind();
        entries.content().zeros(machine.relocationWidth(kind));
        entries.relocate(offset, kind, symbol, addend);
    }

    private void namespaceField(ElfSection entries, Export export) {
        String label = "__kstrtabns_" + export.name();
        if (export.namespace() != null) {
            stringField(entries, label, export.namespace());
        } else if (format.noNamespace() == ExportFormat.NoNamespace.EMPTY_STRING) {
            stringField(entries, label, "");
        } else {
            entries.content().zeros(machine.relocationWidth(format.fields().relocationKind()));
        }
    }

    private void stringField(ElfSection entries, String label, String text) {
        int offset = stringOffsets.computeIfAbsent(text, this::appendString);
        if (format.references() == ExportFormat.References.NAMED_SYMBOLS) {
            field(entries, elf.symbol(ElfSymbol.local(label, strings, offset)), 0);
        } else {
            field(entries, stringsSymbol, offset);
        }
    }

    private int appendString(String text) {
        int offset = strings.content().size();
        strings.content().string(text);
        return offset;
    }

    private void writeCrc(Export export, ElfSection table) {
        Integer crc = export.crc();
        Relocation.Kind kind = format.crcs().relocationKind();
        if (kind == null) {
            table.content().u32(crc == null ? 0 : crc);
            return;
        }
        int offset = table.content().size();
        table.content().zeros(machine.relocationWidth(kind));
        String label = "__crc_" + export.name();
        if (crc == null) {
            table.relocate(offset, kind, elf.symbol(ElfSymbol.undefined(label, true)), 0);
        } else if (format.crcs() == ExportFormat.Crcs.RELATIVE) {
            relocateToLabel(table, offset, label, crc);
        } else {
            long value = Integer.toUnsignedLong(crc);
            table.relocate(offset, kind, elf.symbol(ElfSymbol.absolute(label, value)), 0);
        }
    }

    private void relocateToLabel(ElfSection table, int offset, String label, int crc) {
        if (crcLabels == null || crcLabelsSymbol == null) {
            crcLabels = elf.section(".rodata", ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC, 8);
            crcLabels.content().zeros(8);
            crcLabelsSymbol = elf.sectionSymbol(crcLabels);
        }
        int place = crcLabels.content().size();
        crcLabels.content().u32(crc);
        if (format.references() == ExportFormat.References.NAMED_SYMBOLS) {
            ElfSymbol symbol = elf.symbol(ElfSymbol.global(label, crcLabels, place));
            table.relocate(offset, Relocation.Kind.RELATIVE_32, symbol, 0);
        } else {
            table.relocate(offset, Relocation.Kind.RELATIVE_32, crcLabelsSymbol, place);
        }
    }
}
