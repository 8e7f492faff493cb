package dev.weaklink.kernel;

import java.util.List;

/**
 * A Module.symvers file.
 *
 * @param exports its rows, in file order
 * @param layout which columns it has
 * @param problems lines that are not rows of such a file
 * @param hasNonZeroCrc whether any row has a CRC other than 0; if none has, the kernel was built without
 *     CONFIG_MODVERSIONS
 */
public record Symvers(ExportTable exports, Layout layout, List<Problem> problems, boolean hasNonZeroCrc) {
    /** What the kernel itself is called in the module column. */
    public static final String VMLINUX = "vmlinux";

    /** The column layouts modpost has written (scripts/mod/modpost.c:write_dump). */
    enum Layout {
        /** No rows to judge by. */
        UNKNOWN,
        /** CRC, symbol, module, export; 3.10 to 5.3, RHEL 7 and 8. Also without the last column. */
        WITHOUT_NAMESPACE,
        /** CRC, symbol, namespace, module, export; 5.4 and 5.5. */
        NAMESPACE_THIRD,
        /** CRC, symbol, module, export, namespace; 5.6+. */
        NAMESPACE_LAST
    }

    /**
     * A line that could not be used.
     *
     * @param line counted from 1
     * @param message what is wrong with it
     */
    public record Problem(int line, String message) {}

    /** Returns whether every line was a row, so that no export is missing. */
    public boolean isWhole() {
        return problems.isEmpty();
    }

    /** Whether rows of modules are there, not only those of the kernel itself. */
    public boolean hasModuleRows() {
        for (String owner : exports.owners()) {
            if (!owner.equals(VMLINUX)) {
                return true;
            }
        }
        return false;
    }
}
