package dev.weaklink.kernel.image;

import java.util.List;

/**
 * All export tables of a kernel.
 *
 * @param entries reads their entries
 * @param tables in the kernel's order of looking
 * @param crcWidth bytes of an entry in the tables of CRCs; 0 if there are none
 */
record Tables(Entries entries, List<Table> tables, int crcWidth) {
    /** Smaller than that of any kernel that loads modules. */
    private static final int MIN_EXPORTS = 20;

    /** What modules of every kind use, of which a kernel for some modules only has most. */
    private static final List<String> COMMON = List.of(
            "module_layout\0",
            "module_put\0",
            "kfree\0",
            "jiffies\0",
            "printk\0",
            "_printk\0",
            "memcpy\0",
            "memset\0",
            "snprintf\0",
            "strcmp\0",
            "schedule\0",
            "mutex_unlock\0",
            "wake_up_process\0");

    private static final int MIN_COMMON = 3;

    /**
     * Whether these are a kernel's exports, and no other bytes that look like some: names begin where others end, but
     * for those that the linker has found at the end of others, and a few are there that every kernel has.
     */
    boolean isPlausible() {
        ByteView image = entries.image();
        int whole = 0;
        int common = 0;
        for (Table table : tables) {
            int at = table.start();
            for (int i = 0; i < table.count(); i++, at += entries.layout().size()) {
                int name = entries.name(at);
                whole += name > 0 && image.data()[name - 1] == 0 ? 1 : 0;
                common += isCommon(image, name) ? 1 : 0;
            }
        }
        return size() >= MIN_EXPORTS && 2 * whole >= size() && common >= MIN_COMMON;
    }

    private static boolean isCommon(ByteView image, int name) {
        for (String known : COMMON) {
            if (name >= 0 && image.hasText(name, known)) {
                return true;
            }
        }
        return false;
    }

    /** Whether CRCs or flags were found where they should be. */
    boolean isBacked() {
        return crcWidth > 0 || tables.get(0).flags() >= 0;
    }

    /** Number of exports. */
    int size() {
        int size = 0;
        for (Table table : tables) {
            size += table.count();
        }
        return size;
    }

    /**
     * One export table.
     *
     * @param license who may use its symbols
     * @param start offset of its first entry
     * @param count number of entries
     * @param crcs where its CRCs start; -1 if there are none
     * @param flags where its flags start, a byte for each entry (__kflagstab, 7.1 and later); -1 if there are none.
     *     They say whose each symbol is, and {@code license} nothing
     */
    record Table(License license, int start, int count, int crcs, int flags) {
        /** Of a symbol's flags (include/linux/module_symbol.h, KSYM_FLAG_GPL_ONLY). */
        static final int GPL_ONLY_FLAG = 1;

        /** Who may use a table's symbols. */
        enum License {
            ANY,
            GPL_ONLY,
            UNKNOWN
        }

        /** The same table with its CRCs and flags. */
        Table with(int crcStart, int flagStart) {
            return new Table(license, start, count, crcStart, flagStart);
        }
    }
}
