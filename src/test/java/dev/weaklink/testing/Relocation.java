package dev.weaklink.testing;

/**
 * A relocation entry.
 *
 * @param offset the offset in the target section
 * @param type the machine's type number
 * @param symbol the symbol to which the relocation refers
 * @param addend the explicit addend; not written on machines that keep addends in place
 */
public record Relocation(long offset, int type, ElfSymbol symbol, long addend) {

    /** The kinds of relocation in a module's tables. */
    public enum Kind {
        /** An absolute relocation of a pointer's width. */
        WORD,
        /** An absolute relocation of 32 bits. */
        ABSOLUTE_32,
        /** A relocation of 32 bits relative to its own address. */
        RELATIVE_32
    }
}
