package dev.weaklink.explain;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/**
 * A change of an exported symbol, except a change of its CRC.
 *
 * @param symbol the symbol's name
 * @param kind the kind of change
 * @param before the old value, null if the symbol did not exist
 * @param after the new value, null if the symbol no longer exists
 * @param breaks whether the change can keep a module that imports the symbol from loading; a symbol without a namespace
 *     or a license restriction never does (kernel/module/main.c: verify_namespace_is_imported, find_symbol)
 */
public record ExportChange(
        String symbol,
        ExportChangeKind kind,
        @Nullable String before,
        @Nullable String after,
        boolean breaks) {
    public enum ExportChangeKind implements StableId {
        /** A new symbol; the value is its exporter. */
        ADDED,
        /** A removed symbol; the value is its former exporter. */
        REMOVED,
        /** A symbol with another exporter: another module, a module instead of vmlinux, or vice versa. */
        MOVED,
        /** A symbol that became, or no longer is, restricted to GPL-compatible modules. */
        LICENSE,
        NAMESPACE
    }
}
