package dev.weaklink.module;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The exports of a module, in table order ({@code __ksymtab} before {@code __ksymtab_gpl}).
 *
 * @param crcs CRCs; meaningless where {@code hasCrc} is clear
 * @param hasCrc bit i set: export i has an entry in a {@code __kcrctab} section, so that its CRC is valid
 * @param gplOnly bit i set: export i is GPL-only
 * @param namespaces namespace of export i, null for none
 * @param plain the number of exports in {@code __ksymtab}; they come first
 * @param current number of exports in {@code __ksymtab} and {@code __ksymtab_gpl}; kernels from 5.12 on read only these
 *     two tables, kernels from 7.1 on only {@code __ksymtab}
 * @param flagged the same as {@code plain} if the module has {@code __kflagstab}, else 0
 * @param known the part of these facts that is known
 */
public record Exports(
        SymbolNames names,
        int[] crcs,
        BitSet hasCrc,
        BitSet gplOnly,
        @Nullable String[] namespaces,
        int plain,
        int current,
        int flagged,
        KnownExports known) {
    public static final Exports NONE =
            new Exports(SymbolNames.NONE, new int[0], new BitSet(), new BitSet(), new String[0], 0, 0, 0);

    public static final Exports UNKNOWN = new Exports(
            SymbolNames.NONE, new int[0], new BitSet(), new BitSet(), new String[0], 0, 0, 0, KnownExports.NOTHING);

    public enum KnownExports {
        ALL,
        /** Only names and CRCs are known; GPL-only flags and namespaces are not. */
        NAMES_AND_CRCS,
        NOTHING
    }

    public Exports(
            SymbolNames names,
            int[] crcs,
            BitSet hasCrc,
            BitSet gplOnly,
            @Nullable String[] namespaces,
            int plain,
            int current,
            int flagged) {
        this(names, crcs, hasCrc, gplOnly, namespaces, plain, current, flagged, KnownExports.ALL);
    }

    /**
     * Returns exports of which only names and CRCs are known. All exports count as flagged, so that no check reports
     * missing flags.
     */
    public static Exports ofNames(SymbolNames names, int[] crcs) {
        BitSet hasCrc = new BitSet();
        hasCrc.set(0, crcs.length);
        String[] namespaces = new String[crcs.length];
        int all = crcs.length;
        return new Exports(names, crcs, hasCrc, new BitSet(), namespaces, all, all, all, KnownExports.NAMES_AND_CRCS);
    }

    public boolean lackFlags() {
        return flagged == 0 && plain > 0;
    }
}
