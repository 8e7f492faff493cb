package dev.weaklink.testing;

/**
 * A symbol table entry. Two entries may be equal; the writer distinguishes them by identity.
 *
 * @param name the symbol's name; empty for a section symbol
 * @param binding STB_*
 * @param type STT_*
 * @param section st_shndx
 * @param value st_value
 * @param size st_size
 */
public record ElfSymbol(String name, int binding, int type, int section, long value, long size) {
    public static final int STB_LOCAL = 0;
    public static final int STB_GLOBAL = 1;
    public static final int STB_WEAK = 2;
    public static final int STT_NOTYPE = 0;
    public static final int STT_OBJECT = 1;
    public static final int STT_FUNC = 2;
    public static final int STT_SECTION = 3;
    public static final int SHN_UNDEF = 0;
    public static final int SHN_ABS = 0xfff1;
    public static final int SHN_COMMON = 0xfff2;

    public ElfSymbol(String name, int binding, int type, int section, long value) {
        this(name, binding, type, section, value, 0);
    }

    /** Returns a global function that is defined in a section. */
    public static ElfSymbol global(String name, ElfSection section, long value) {
        return new ElfSymbol(name, STB_GLOBAL, STT_FUNC, section.index(), value);
    }

    /** Returns a local label in a section. */
    public static ElfSymbol local(String name, ElfSection section, long value) {
        return new ElfSymbol(name, STB_LOCAL, STT_NOTYPE, section.index(), value);
    }

    /** Returns a global absolute symbol. */
    public static ElfSymbol absolute(String name, long value) {
        return new ElfSymbol(name, STB_GLOBAL, STT_NOTYPE, SHN_ABS, value);
    }

    /** Returns an undefined symbol. */
    public static ElfSymbol undefined(String name, boolean weak) {
        return new ElfSymbol(name, weak ? STB_WEAK : STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0);
    }
}
