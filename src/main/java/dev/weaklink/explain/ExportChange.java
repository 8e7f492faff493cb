package dev.weaklink.explain;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/**
 * Another difference of an exported symbol than its CRC.
 *
 * @param symbol its name
 * @param kind what differs
 * @param before what it was, null if there was no such symbol
 * @param after what it is, null if there is none any more
 */
public record ExportChange(
        String symbol,
        Kind kind,
        @Nullable String before,
        @Nullable String after) {
    /** What differs; all but {@link #ADDED} can keep a module from loading. */
    public enum Kind implements StableId {
        /** New; its exporter. */
        ADDED,
        /** Gone; its exporter. */
        REMOVED,
        /** Exported by another module, or by vmlinux instead of a module. */
        MOVED,
        /** For GPL-compatible modules only, or no longer so. */
        LICENSE,
        /** In another namespace. */
        NAMESPACE
    }
}
