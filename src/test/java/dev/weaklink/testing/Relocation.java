package dev.weaklink.testing;

/**
 * One relocation entry.
 *
 * @param offset where in the target section
 * @param type type number of the machine
 * @param symbol what it refers to
 * @param addend explicit addend; not written on machines that keep it in place
 */
public record Relocation(long offset, int type, ElfSymbol symbol, long addend) {

    /** The kinds of relocation that the tables of a module need. */
    public enum Kind {
        /** A pointer's width, absolute. */
        WORD,
        /** 32 bits, absolute. */
        ABSOLUTE_32,
        /** 32 bits, relative to the place. */
        RELATIVE_32
    }
}
