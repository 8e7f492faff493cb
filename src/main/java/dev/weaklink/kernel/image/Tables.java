package dev.weaklink.kernel.image;

import java.util.List;

/**
 * The export tables of a kernel.
 *
 * @param entries the reader of the tables' entries
 * @param tables the tables in the order in which the kernel searches them
 * @param crcWidth the size in bytes of an entry in the tables of CRCs; 0 if no CRCs were found
 */
record Tables(Entries entries, List<ImageTable> tables, int crcWidth) {
    /** The smallest plausible number of exports; any kernel that loads modules has more. */
    private static final int MIN_EXPORTS = 20;

    /** The symbols that modules of every kind use; even a kernel for only a few modules exports most of them. */
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
     * Returns whether the tables are a kernel's exports and not bytes that merely look like exports. At least half of
     * the names must start right after a NUL byte: the linker seldom stores a name as the end of a longer string. At
     * least three of the symbols must be among the common ones.
     */
    boolean isPlausible() {
        ByteView image = entries.image();
        int whole = 0;
        int common = 0;
        for (ImageTable table : tables) {
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

    boolean isBacked() {
        return crcWidth > 0 || tables.get(0).flags() >= 0;
    }

    int size() {
        int size = 0;
        for (ImageTable table : tables) {
            size += table.count();
        }
        return size;
    }

    /**
     * An export table.
     *
     * @param license the license class of the table's symbols: for all modules, GPL-only, or unknown
     * @param start the offset of the first entry
     * @param count the number of entries
     * @param crcs the offset of the table of CRCs; -1 if there is none
     * @param flags the offset of the table of flags, a byte for each entry (__kflagstab, 7.1 and later); -1 if there is
     *     none. If there are flags, they decide who may use each symbol, and {@code license} does not count
     */
    record ImageTable(TableLicense license, int start, int count, int crcs, int flags) {
        /** The flag of a GPL-only symbol (include/linux/module_symbol.h, KSYM_FLAG_GPL_ONLY). */
        static final int GPL_ONLY_FLAG = 1;

        enum TableLicense {
            ANY,
            GPL_ONLY,
            UNKNOWN
        }

        ImageTable with(int crcStart, int flagStart) {
            return new ImageTable(license, start, count, crcStart, flagStart);
        }
    }
}
