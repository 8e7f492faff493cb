package dev.weaklink.module;

import java.util.BitSet;

/**
 * The undefined symbols of a module in symtab order.
 *
 * @param names their names; on ppc64 one leading dot is dropped, as the loader does
 * @param weak bit i set: symbol i has binding STB_WEAK
 */
public record Imports(SymbolNames names, BitSet weak) {
    /** No imports. */
    public static final Imports NONE = new Imports(SymbolNames.NONE, new BitSet());
}
