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
 */
public record ExportChange(
        String symbol,
        ExportChangeKind kind,
        @Nullable String before,
        @Nullable String after) {
    /** The kind of change. Each kind but {@link #ADDED} can keep a module that imports the symbol from loading. */
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
