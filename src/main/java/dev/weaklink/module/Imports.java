package dev.weaklink.module;

import java.util.BitSet;

/**
 * The undefined symbols of a module in symtab order.
 *
 * @param names the symbol names; on ppc64 without one leading dot, which the loader removes, too
 * @param weak bit i set: symbol i has binding STB_WEAK
 */
public record Imports(SymbolNames names, BitSet weak) {
    public static final Imports NONE = new Imports(SymbolNames.NONE, new BitSet());
}
