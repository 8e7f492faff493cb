package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.SymbolTable.NameReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the export tables of a module: {@code __ksymtab*} (struct kernel_symbol) and the parallel {@code __kcrctab*}.
 * In a relocatable file, most fields of these tables are relocations. The reader therefore recognises the layouts by
 * relocations and sizes, and not by the kernel's version:
 *
 * <ul>
 *   <li>two or three pointers (value, name, namespace), or two or three 32-bit place-relative fields (x86 and arm64
 *       from 4.19, namespace from 5.4);
 *   <li>CRCs as plain u32 (5.19+), as relocations against absolute symbols (unsigned long up to 4.9, u32 from 4.10), or
 *       relative to a u32 in another section (MODULE_REL_CRCS, 4.10 to 5.18);
 *   <li>GPL-only by the table a symbol is in, or by its byte in {@code __kflagstab}.
 * </ul>
 */
final class ExportReader {
    private static final int PREL32_FIELD = 4;

    /** A table of exports and its table of CRCs. The order is the kernel's search order. */
    private enum ExportSectionPair {
        PLAIN("", false),
        GPL("_gpl", true),
        GPL_FUTURE("_gpl_future", false),
        UNUSED("_unused", false),
        UNUSED_GPL("_unused_gpl", true);

        final byte[] symbols;
        final byte[] crcs;
        final boolean gplOnly;

        ExportSectionPair(String suffix, boolean gplOnly) {
            symbols = NamedSections.wanted("__ksymtab" + suffix);
            crcs = NamedSections.wanted("__kcrctab" + suffix);
            this.gplOnly = gplOnly;
        }
    }

    private static final ExportSectionPair[] TABLES = ExportSectionPair.values();

    /** The section with a flag byte for each entry of {@code __ksymtab}, which is the only export table from 7.1 on. */
    private static final byte[] FLAGS = NamedSections.wanted("__kflagstab");

    /** KSYM_FLAG_GPL_ONLY of include/linux/module_symbol.h. */
    private static final int GPL_ONLY_FLAG = 1;

    private final ElfImage image;
    private final SymbolTable symbols;
    private final NameReader nameReader;
    private final SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(16);
    private final List<@Nullable String> namespaces = new ArrayList<>();
    private final BitSet gplOnly = new BitSet();
    private final BitSet hasCrc = new BitSet();
    private int[] crcs = new int[16];
    private int plain;
    private int current;
    private int flagged;

    private ExportReader(ElfImage image, SymbolTable symbols, NameReader nameReader) {
        this.image = image;
        this.symbols = symbols;
        this.nameReader = nameReader;
    }

    static Exports read(ElfImage image, NamedSections named, SymbolTable symbols, NameReader nameReader) {
        ExportReader reader = null;
        for (ExportSectionPair table : TABLES) {
            int section = named.findAllocated(table.symbols);
            if (section > 0 && image.hasContents(section) && image.sections().size(section) > 0) {
                reader = reader == null ? new ExportReader(image, symbols, nameReader) : reader;
                reader.readTable(section, named.findAllocated(table.crcs), table.gplOnly);
                if (table == ExportSectionPair.PLAIN) {
                    reader.plain = reader.names.size();
                    reader.readFlags(named.findAllocated(FLAGS));
                }
                if (table == ExportSectionPair.PLAIN || table == ExportSectionPair.GPL) {
                    reader.current = reader.names.size();
                }
            }
        }
        return reader == null ? Exports.NONE : reader.build();
    }

    private void readFlags(int section) {
        if (section > 0 && image.hasContents(section)) {
            flagged = names.size();
            int start = (int) image.sections().offset(section);
            int count = (int) Math.min(image.sections().size(section), names.size());
            for (int i = 0; i < count; i++) {
                gplOnly.set(i, (image.data()[start + i] & GPL_ONLY_FLAG) != 0);
            }
        }
    }

    private Exports build() {
        return new Exports(
                names.build(),
                Arrays.copyOf(crcs, names.size()),
                hasCrc,
                gplOnly,
                namespaces.toArray(new String[0]),
                plain,
                current,
                flagged);
    }

    private void readTable(int section, int crcSection, boolean gpl) {
        int fieldSize = fieldSize(section);
        RelocationTable relocations = RelocationTable.of(image, section, fieldSize);
        int fields = fieldsPerEntry(relocations);
        int count = relocations.slots() / fields;
        int first = names.size();
        for (int i = 0; i < count; i++) {
            addName(relocations, i * fields + 1);
            namespaces.add(fields == 3 ? string(relocations, i * fields + 2) : null);
        }
        if (gpl) {
            gplOnly.set(first, names.size());
        }
        if (crcs.length < names.size()) {
            crcs = Arrays.copyOf(crcs, names.size() * 2);
        }
        if (crcSection > 0 && image.hasContents(crcSection)) {
            readCrcs(crcSection, first, count);
        }
    }

    /**
     * Returns the size of a field in bytes. Fields are pointers or, on x86-64 and arm64, 32-bit place-relative fields.
     * Place-relative fields have a relocation every four bytes.
     */
    private int fieldSize(int section) {
        int word = image.identity().wordSize();
        if (word == PREL32_FIELD) {
            return word;
        }
        int machine = image.identity().machine();
        if (machine != ElfIdentity.EM_X86_64 && machine != ElfIdentity.EM_AARCH64) {
            return word;
        }
        RelocationTable asPrel = RelocationTable.of(image, section, PREL32_FIELD);
        return asPrel.slots() > 1 && asPrel.symbol(1) != RelocationTable.NONE ? PREL32_FIELD : word;
    }

    /**
     * Returns the number of fields of an entry: two (value, name) or three (value, name, namespace). If the table's
     * size fits both, the third slot decides. The third slot is a namespace if it is empty, or if it refers to the same
     * section as the first name.
     */
    private int fieldsPerEntry(RelocationTable relocations) {
        int slots = relocations.slots();
        if (slots % 3 != 0 || slots < 3) {
            return 2;
        }
        if (slots % 2 != 0) {
            return 3;
        }
        int third = relocations.symbol(2);
        return third == RelocationTable.NONE || section(third) == section(relocations.symbol(1)) ? 3 : 2;
    }

    private int section(int symbol) {
        return symbol > 0 && symbol < symbols.count() ? symbols.section(symbol) : -1;
    }

    private void addName(RelocationTable relocations, int slot) {
        int at = place(relocations, slot);
        int length = at < 0 ? -1 : nameReader.length(at, placeEnd(relocations, slot));
        if (length < 0) {
            names.add("");
        } else {
            names.add(image.data(), at, length);
        }
    }

    private @Nullable String string(RelocationTable relocations, int slot) {
        int at = place(relocations, slot);
        int length = at < 0 ? -1 : nameReader.length(at, placeEnd(relocations, slot));
        return length <= 0 ? null : new String(image.data(), at, length, StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns the file offset that the relocation in a slot points to (symbol + addend); -1 if the address is not in
     * the file.
     */
    private int place(RelocationTable relocations, int slot) {
        int symbol = relocations.symbol(slot);
        int section = section(symbol);
        if (section <= 0 || section >= image.sections().count() || !image.hasContents(section)) {
            return -1;
        }
        long inSection = symbols.value(symbol) + relocations.addend(slot);
        SectionTable sections = image.sections();
        return inSection >= 0 && inSection < sections.size(section) ? (int) (sections.offset(section) + inSection) : -1;
    }

    private int placeEnd(RelocationTable relocations, int slot) {
        int section = section(relocations.symbol(slot));
        return (int) (image.sections().offset(section) + image.sections().size(section));
    }

    private void readCrcs(int section, int first, int count) {
        SectionTable sections = image.sections();
        int width = crcWidth(sections.size(section), count);
        if (width == 0) {
            return;
        }
        RelocationTable relocations = RelocationTable.of(image, section, width);
        int start = (int) sections.offset(section);
        for (int i = 0; i < count; i++) {
            hasCrc.set(first + i);
            crcs[first + i] = relocations.symbol(i) == RelocationTable.NONE
                    ? image.i32(lowHalf(start + i * width, width))
                    : relocatedCrc(relocations, i);
        }
    }

    private int crcWidth(long size, int count) {
        if (count > 0 && size == (long) count * Integer.BYTES) {
            return Integer.BYTES;
        }
        return count > 0 && size == (long) count * Long.BYTES ? Long.BYTES : 0;
    }

    private int lowHalf(int at, int width) {
        return width == Long.BYTES && !image.identity().littleEndian() ? at + Integer.BYTES : at;
    }

    /**
     * Returns the CRC to which the relocation in a slot refers: the value of an absolute symbol, or the u32 at the
     * symbol's address. Returns 0 if the address is not in the file.
     */
    private int relocatedCrc(RelocationTable relocations, int slot) {
        int symbol = relocations.symbol(slot);
        int section = section(symbol);
        if (section == SymbolTable.SHN_ABS) {
            return (int) (symbols.value(symbol) + relocations.addend(slot));
        }
        int at = place(relocations, slot);
        return at >= 0 && at <= image.length() - Integer.BYTES ? image.i32(at) : 0;
    }
}
