package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/** The symbol table of a module. Symbols are read from the file's bytes on demand, except for the imports. */
final class SymbolTable {
    static final int SHN_UNDEF = 0;
    private static final int SHN_LIVEPATCH = 0xff20;
    static final int SHN_ABS = 0xfff1;
    private static final int SHN_COMMON = 0xfff2;
    private static final int STB_WEAK = 2;
    static final int STT_OBJECT = 1;
    static final int STT_FUNC = 2;
    private static final int ENTRY_SIZE_64 = 24;
    private static final int ENTRY_SIZE_32 = 16;

    private final ElfImage image;
    private final int start;
    private final int count;
    private final int stringsStart;
    private final int stringsEnd;
    private final boolean is64;
    private final NameReader nameReader;
    private Imports imports = Imports.NONE;

    private SymbolTable(ElfImage image, NameReader nameReader, int start, int count, int stringsStart, int stringsEnd) {
        this.image = image;
        this.nameReader = nameReader;
        this.start = start;
        this.count = count;
        this.stringsStart = stringsStart;
        this.stringsEnd = stringsEnd;
        this.is64 = image.identity().is64();
    }

    /**
     * Reads the symbol table in section {@code symtab}. The result is empty if {@code symtab} is -1, or if the table or
     * its string table is not in the file.
     */
    static SymbolTable read(ElfImage image, int symtab, NameReader nameReader, ElfValidity validity) {
        SectionTable sections = image.sections();
        int strings = symtab > 0 ? sections.link(symtab) : 0;
        if (strings <= 0 || strings >= sections.count()) {
            return new SymbolTable(image, nameReader, 0, 0, 0, 0);
        }
        if (sections.type(strings) != SectionTable.SHT_STRTAB) {
            validity.add(ElfDefect.of(ElfDefectKind.STRING_TABLE_TYPE, sections.type(strings), 0));
        }
        if (!image.hasContents(symtab) || !image.hasContents(strings)) {
            return new SymbolTable(image, nameReader, 0, 0, 0, 0);
        }
        int stringsStart = (int) sections.offset(strings);
        SymbolTable table = new SymbolTable(
                image,
                nameReader,
                (int) sections.offset(symtab),
                (int) (sections.size(symtab) / entrySize(image)),
                stringsStart,
                (int) (stringsStart + sections.size(strings)));
        table.checkStrings(validity);
        table.readImports(validity);
        return table;
    }

    /** Returns the first symbol table that is in the file, without its imports; empty if there is none. */
    static SymbolTable bare(ElfImage image) {
        SectionTable sections = image.sections();
        NameReader names = new NameReader(image, new ElfValidity());
        for (int i = 1; i < sections.count(); i++) {
            if (sections.type(i) == SectionTable.SHT_SYMTAB && image.hasContents(i)) {
                int entries = (int) (sections.size(i) / entrySize(image));
                int strings = sections.link(i);
                boolean named = strings > 0 && strings < sections.count() && image.hasContents(strings);
                int from = named ? (int) sections.offset(strings) : 0;
                int to = named ? (int) (from + sections.size(strings)) : 0;
                return new SymbolTable(image, names, (int) sections.offset(i), entries, from, to);
            }
        }
        return new SymbolTable(image, names, 0, 0, 0, 0);
    }

    private static int entrySize(ElfImage image) {
        return image.identity().is64() ? ENTRY_SIZE_64 : ENTRY_SIZE_32;
    }

    private void checkStrings(ElfValidity validity) {
        if (stringsEnd > stringsStart && (image.u8(stringsStart) != 0 || image.u8(stringsEnd - 1) != 0)) {
            validity.add(ElfDefect.of(ElfDefectKind.STRING_TABLE_UNTERMINATED));
        }
    }

    Imports imports() {
        return imports;
    }

    /** Returns the number of symbols, including the null symbol. */
    int count() {
        return count;
    }

    int section(int index) {
        return image.u16(is64 ? start + index * ENTRY_SIZE_64 + 6 : start + index * ENTRY_SIZE_32 + 14);
    }

    /** Returns st_value of symbol {@code index}, unsigned. */
    long value(int index) {
        return is64 ? image.u64(start + index * ENTRY_SIZE_64 + 8) : image.u32(start + index * ENTRY_SIZE_32 + 4);
    }

    long size(int index) {
        return image.u64(start + index * ENTRY_SIZE_64 + 16);
    }

    int type(int index) {
        return info(index) & 0xf;
    }

    private int info(int index) {
        return image.u8(is64 ? start + index * ENTRY_SIZE_64 + 4 : start + index * ENTRY_SIZE_32 + 12);
    }

    private int nameStart(int index) {
        long offset = image.u32(start + index * (is64 ? ENTRY_SIZE_64 : ENTRY_SIZE_32));
        return offset < stringsEnd - stringsStart ? (int) (stringsStart + offset) : -1;
    }

    /** Returns whether symbol {@code index} has this name, which must be ASCII. */
    boolean hasName(int index, String name) {
        int at = nameStart(index);
        if (at < 0 || name.length() >= stringsEnd - at || image.u8(at + name.length()) != 0) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (image.u8(at + i) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    boolean isWeak(int index) {
        return info(index) >> 4 == STB_WEAK;
    }

    private void readImports(ElfValidity validity) {
        SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(64);
        BitSet weak = new BitSet();
        int sectionCount = image.sections().count();
        boolean outside = count > 0 && nameStart(0) < 0;
        for (int i = 1; i < count; i++) {
            int section = section(i);
            outside |= section != SHN_UNDEF && nameStart(i) < 0;
            if (section == SHN_UNDEF) {
                addImport(i, names, weak, validity);
            } else if (section == SHN_COMMON) {
                addCommon(i, names.size(), validity);
            } else if (section >= sectionCount && section != SHN_ABS && section != SHN_LIVEPATCH) {
                long place = (long) names.size() << 16 | section;
                validity.add(new ElfDefect(ElfDefectKind.BAD_SYMBOL_SECTION, place, sectionCount - 1L, name(i)));
            }
        }
        if (outside) {
            validity.add(ElfDefect.of(ElfDefectKind.SYMBOL_NAME_OUTSIDE));
        }
        imports = new Imports(names.build(), weak);
    }

    private void addImport(int index, SymbolNames.SymbolNamesBuilder names, BitSet weak, ElfValidity validity) {
        int at = nameStart(index);
        int length = at < 0 ? -1 : nameReader.length(at, stringsEnd);
        if (length < 0) {
            if (!nameReader.hasStopped()) {
                validity.add(ElfDefect.of(ElfDefectKind.SYMBOL_NAME_OUTSIDE));
            }
            return;
        }
        if (image.identity().machine() == ElfIdentity.EM_PPC64 && length > 0 && image.data()[at] == '.') {
            // arch/powerpc/kernel/module_64.c:dedotify; the loader itself fills in ".TOC."
            at++;
            length--;
            if (length == 4 && new String(image.data(), at, 4, StandardCharsets.US_ASCII).equals("TOC.")) {
                return;
            }
        }
        if (isWeak(index)) {
            weak.set(names.size());
        }
        names.add(image.data(), at, length);
    }

    private void addCommon(int index, int importsBefore, ElfValidity validity) {
        String name = name(index);
        if (!name.startsWith("__gnu_lto")) {
            validity.add(new ElfDefect(ElfDefectKind.COMMON_SYMBOL, importsBefore, 0, name));
        }
    }

    /** Returns the symbol's name, or an empty string if the name cannot be read. */
    String name(int index) {
        int at = nameStart(index);
        int length = at < 0 ? -1 : nameReader.length(at, stringsEnd);
        return length < 0 ? "" : new String(image.data(), at, length, StandardCharsets.ISO_8859_1);
    }

    /**
     * Measures the NUL-terminated names of one file. The total length of all names is limited to the file's size. Only
     * a crafted file exceeds this limit: its names overlap far more than any linker allows.
     */
    static final class NameReader {
        private static final int NONE = -1;

        private final ElfImage image;
        private final ElfValidity validity;
        private int left;
        private boolean stopped;

        NameReader(ElfImage image, ElfValidity validity) {
            this.image = image;
            this.validity = validity;
            this.left = image.length();
        }

        /**
         * Returns the length of the name at {@code offset}; -1 if the name does not end before {@code limit}, or if all
         * names together exceed the file's size.
         */
        int length(int offset, int limit) {
            if (stopped) {
                return NONE;
            }
            int affordable = limit - offset > left ? offset + left : limit;
            int length = image.stringLength(offset, affordable);
            if (length >= 0) {
                left -= length;
            } else if (affordable < limit) {
                stopped = true;
                validity.add(ElfDefect.of(ElfDefectKind.NAMES_OVERLAP));
            }
            return length;
        }

        boolean hasStopped() {
            return stopped;
        }
    }
}
