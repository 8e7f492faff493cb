package dev.weaklink.testing;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes relocatable ELF files (ET_REL) of either class and byte order. Sections keep the order in which they were
 * added, starting at 1. After them come the relocation sections, {@code .symtab}, {@code .strtab} and
 * {@code .shstrtab}. Symbols keep their order, too, but local symbols come first, as ELF requires.
 */
public final class ElfWriter {
    private static final int ET_REL = 1;
    private static final int LARGEST_SECTION_COUNT = 0xff00;

    private final Machine machine;
    private final List<ElfSection> sections = new ArrayList<>();
    private final List<ElfSymbol> symbols = new ArrayList<>();
    private boolean symbolTable = true;
    private long symbolTableLink = -1;

    public ElfWriter(Machine machine) {
        this.machine = machine;
        sections.add(new ElfSection(machine, 0, "", ElfSection.SHT_NULL, 0, 0));
    }

    /** Adds an empty section and returns it. */
    public ElfSection section(String name, int type, long flags, int alignment) {
        ElfSection section = new ElfSection(machine, sections.size(), name, type, flags, alignment);
        sections.add(section);
        return section;
    }

    public ElfSymbol symbol(ElfSymbol symbol) {
        symbols.add(symbol);
        return symbol;
    }

    public ElfSymbol sectionSymbol(ElfSection section) {
        return symbol(new ElfSymbol("", ElfSymbol.STB_LOCAL, ElfSymbol.STT_SECTION, section.index(), 0));
    }

    /** Omits the symbol table, the symbol names and the relocations, like {@code strip} without options. */
    public void omitSymbolTable() {
        symbolTable = false;
    }

    /** Sets the symbol table's sh_link to this section instead of the string table. */
    public void symbolTableLink(long link) {
        symbolTableLink = link;
    }

    /**
     * Returns the file's bytes. Call this method only once.
     *
     * @throws IllegalArgumentException if there are more sections than e_shnum can count
     */
    public byte[] toBytes() {
        if (symbolTable) {
            writeSymbolTable();
        }
        ElfSection names = section(".shstrtab", ElfSection.SHT_STRTAB, 0, 1);
        if (sections.size() >= LARGEST_SECTION_COUNT) {
            throw new IllegalArgumentException(sections.size() + " sections are too many");
        }
        StringTable table = new StringTable(names.content());
        int[] nameOffsets = new int[sections.size()];
        for (ElfSection section : sections) {
            nameOffsets[section.index()] = table.add(section.name());
        }
        return assemble(nameOffsets, names.index());
    }

    private void writeSymbolTable() {
        List<ElfSymbol> ordered = localsFirst();
        Map<ElfSymbol, Integer> indexes = new IdentityHashMap<>();
        for (int i = 0; i < ordered.size(); i++) {
            indexes.put(ordered.get(i), i + 1);
        }
        int relocated =
                (int) sections.stream().filter(s -> !s.relocations().isEmpty()).count();
        int symtabIndex = sections.size() + relocated;
        for (ElfSection target : List.copyOf(sections)) {
            if (!target.relocations().isEmpty()) {
                writeRelocations(target, symtabIndex, indexes);
            }
        }
        int word = machine.wordSize();
        ElfSection symtab = section(".symtab", ElfSection.SHT_SYMTAB, 0, word);
        ElfSection strtab = section(".strtab", ElfSection.SHT_STRTAB, 0, 1);
        long link = symbolTableLink >= 0 ? symbolTableLink : strtab.index();
        int entrySize = machine.is64() ? 24 : 16;
        symtab.header(link, 1 + countLocals(), entrySize).content().zeros(entrySize);
        StringTable names = new StringTable(strtab.content());
        for (ElfSymbol symbol : ordered) {
            writeSymbol(symtab.content(), symbol, names.add(symbol.name()));
        }
    }

    private List<ElfSymbol> localsFirst() {
        List<ElfSymbol> ordered = new ArrayList<>();
        symbols.stream().filter(ElfWriter::isLocal).forEach(ordered::add);
        symbols.stream().filter(symbol -> !isLocal(symbol)).forEach(ordered::add);
        return ordered;
    }

    private long countLocals() {
        return symbols.stream().filter(ElfWriter::isLocal).count();
    }

    private static boolean isLocal(ElfSymbol symbol) {
        return symbol.binding() == ElfSymbol.STB_LOCAL;
    }

    private void writeSymbol(ElfBytes out, ElfSymbol symbol, int name) {
        int info = symbol.binding() << 4 | symbol.type();
        if (machine.is64()) {
            out.u32(name)
                    .u8(info)
                    .u8(0)
                    .u16(symbol.section())
                    .u64(symbol.value())
                    .u64(symbol.size());
        } else {
            out.u32(name).u32(symbol.value()).u32(symbol.size()).u8(info).u8(0).u16(symbol.section());
        }
    }

    private void writeRelocations(ElfSection target, int symtabIndex, Map<ElfSymbol, Integer> symbolIndexes) {
        boolean explicit = machine.addends() == Machine.Addends.EXPLICIT;
        ElfSection section = section(
                (explicit ? ".rela" : ".rel") + target.name(),
                explicit ? ElfSection.SHT_RELA : ElfSection.SHT_REL,
                ElfSection.SHF_INFO_LINK,
                machine.wordSize());
        section.header(symtabIndex, target.index(), (explicit ? 3L : 2L) * machine.wordSize());
        for (Relocation relocation : target.relocations()) {
            Integer symbol = symbolIndexes.get(relocation.symbol());
            if (symbol == null) {
                throw new IllegalStateException("no such symbol in this file: " + relocation.symbol());
            }
            section.content().word(relocation.offset());
            writeRelocationInfo(section.content(), symbol, relocation.type());
            if (explicit) {
                section.content().word(relocation.addend());
            }
        }
    }

    /** Writes r_info. 64-bit mips has its own layout: a 32-bit symbol, then a special symbol and three types. */
    private void writeRelocationInfo(ElfBytes out, int symbol, int type) {
        if (machine == Machine.MIPS64EL) {
            out.u32(symbol).u8(0).u8(0).u8(0).u8(type);
        } else if (machine.is64()) {
            out.u64((long) symbol << 32 | type);
        } else {
            out.u32((long) symbol << 8 | type);
        }
    }

    private byte[] assemble(int[] nameOffsets, int shstrndx) {
        ElfBytes out = new ElfBytes(machine).zeros(headerSize());
        long[] offsets = new long[sections.size()];
        for (ElfSection section : sections) {
            out.align(Math.max(section.alignment(), 1));
            offsets[section.index()] = section.index() == 0 ? 0 : out.size();
            if (section.type() != ElfSection.SHT_NOBITS) {
                out.bytes(section.content().toArray());
            }
        }
        out.align(machine.wordSize());
        int tableOffset = out.size();
        for (ElfSection section : sections) {
            writeSectionHeader(out, section, nameOffsets[section.index()], offsets[section.index()]);
        }
        byte[] file = out.toArray();
        byte[] header = header(tableOffset, shstrndx);
        System.arraycopy(header, 0, file, 0, header.length);
        return file;
    }

    private void writeSectionHeader(ElfBytes out, ElfSection section, int name, long offset) {
        out.u32(name).u32(section.type()).word(section.flags()).word(0);
        out.word(offset).word(section.content().size());
        out.u32(section.link()).u32(section.info());
        out.word(section.alignment()).word(section.entrySize());
    }

    private byte[] header(int tableOffset, int shstrndx) {
        ElfBytes out = new ElfBytes(machine);
        out.u8(0x7f).u8('E').u8('L').u8('F').u8(machine.is64() ? 2 : 1);
        out.u8(machine.order() == ByteOrder.LITTLE_ENDIAN ? 1 : 2).u8(1).zeros(9);
        out.u16(ET_REL).u16(machine.number()).u32(1).word(0).word(0).word(tableOffset);
        out.u32(machine.flags()).u16(headerSize()).u16(0).u16(0);
        return out.u16(machine.is64() ? 64 : 40)
                .u16(sections.size())
                .u16(shstrndx)
                .toArray();
    }

    private int headerSize() {
        return machine.is64() ? 64 : 52;
    }
}
