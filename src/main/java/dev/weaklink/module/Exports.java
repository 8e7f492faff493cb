package dev.weaklink.module;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What a module exports, in table order ({@code __ksymtab} before {@code __ksymtab_gpl}).
 *
 * @param names symbol names
 * @param crcs CRCs; meaningless where {@code hasCrc} is clear
 * @param hasCrc bit i set: export i has an entry in a {@code __kcrctab} section
 * @param gplOnly bit i set: export i is GPL-only
 * @param namespaces namespace of export i, null for none
 * @param flagged how many of them, from the first on, have their flags in {@code __kflagstab}
 */
public record Exports(
    SymbolNames names,
    int[] crcs,
    BitSet hasCrc,
    BitSet gplOnly,
    @Nullable String[] namespaces,
    int flagged) {
  /** No exports. */
  public static final Exports NONE =
      new Exports(SymbolNames.NONE, new int[0], new BitSet(), new BitSet(), new String[0], 0);

  /** Whether some are in {@code __ksymtab}, but have no flags there. */
  public boolean lackFlags() {
    return flagged == 0 && names.size() > 0 && !gplOnly.get(0);
  }
}
