package dev.weaklink.module;

import dev.weaklink.sys.StableId;

/**
 * A table of symbol versions as built into a module.
 *
 * @param layout the layout in which the table was stored
 * @param names symbols in table order; on ppc64 one leading dot is dropped
 * @param crcs the CRC slots, widened to 64 bits unsigned: a 64-bit classic slot may hold more than 32 bits, and the
 *     loader then compares all bits
 */
public record VersionTable(Layout layout, SymbolNames names, long[] crcs) {
    public enum Layout implements StableId {
        /** Records of 64 bytes: unsigned long crc, NUL-padded name. */
        CLASSIC,
        /** Ubuntu's layout: u32 next, u32 crc, name. */
        PACKED,
        /**
         * The layout of CONFIG_EXTENDED_MODVERSIONS (6.14 and later): parallel sections of u32 CRCs and NUL-terminated
         * names. The module may have a CLASSIC table, too.
         */
        EXTENDED
    }
}
