package dev.weaklink.testing;

import java.util.ArrayList;
import java.util.List;

/** A section being written: its header fields, its contents, and the relocations against it. */
public final class ElfSection {
    public static final int SHT_NULL = 0;
    public static final int SHT_PROGBITS = 1;
    public static final int SHT_SYMTAB = 2;
    public static final int SHT_STRTAB = 3;
    public static final int SHT_RELA = 4;
    public static final int SHT_NOTE = 7;
    public static final int SHT_NOBITS = 8;
    public static final int SHT_REL = 9;
    public static final long SHF_WRITE = 1;
    public static final long SHF_ALLOC = 2;
    public static final long SHF_EXECINSTR = 4;
    public static final long SHF_MERGE = 0x10;
    public static final long SHF_STRINGS = 0x20;
    public static final long SHF_INFO_LINK = 0x40;

    private final Machine machine;
    private final int index;
    private final String name;
    private final int type;
    private final long flags;
    private final int alignment;
    private final ElfBytes content;
    private final List<Relocation> relocations = new ArrayList<>();
    private long link;
    private long info;
    private long entrySize;

    ElfSection(Machine machine, int index, String name, int type, long flags, int alignment) {
        this.machine = machine;
        this.index = index;
        this.name = name;
        this.type = type;
        this.flags = flags;
        this.alignment = alignment;
        this.content = new ElfBytes(machine);
    }

    public int index() {
        return index;
    }

    /** Returns the contents; for SHT_NOBITS only their size is written. */
    public ElfBytes content() {
        return content;
    }

    /** Sets sh_link, sh_info and sh_entsize. */
    public ElfSection header(long newLink, long newInfo, long newEntrySize) {
        link = newLink;
        info = newInfo;
        entrySize = newEntrySize;
        return this;
    }

    /** Adds a relocation of this kind. On machines that keep addends in place, writes the addend into the contents. */
    public void relocate(int offset, Relocation.Kind kind, ElfSymbol symbol, long addend) {
        if (machine.addends() == Machine.Addends.IN_PLACE) {
            content.set(offset, addend, machine.relocationWidth(kind));
        }
        relocateRaw(offset, machine.relocationType(kind), symbol, addend);
    }

    /** Adds a relocation with any type number, without changing the contents. */
    public void relocateRaw(int offset, int relocationType, ElfSymbol symbol, long addend) {
        relocations.add(new Relocation(offset, relocationType, symbol, addend));
    }

    String name() {
        return name;
    }

    int type() {
        return type;
    }

    long flags() {
        return flags;
    }

    int alignment() {
        return alignment;
    }

    long link() {
        return link;
    }

    long info() {
        return info;
    }

    long entrySize() {
        return entrySize;
    }

    List<Relocation> relocations() {
        return relocations;
    }
}
