package dev.weaklink.kernel;

import java.util.List;

/**
 * The contents of a Module.symvers file.
 *
 * @param exports the exports, in file order
 * @param layout the layout of the columns
 * @param problems the malformed lines, at most 100
 * @param hasNonZeroCrc whether any row has a CRC other than 0; if no row has one, the kernel was built without
 *     CONFIG_MODVERSIONS
 */
public record Symvers(ExportTable exports, SymversLayout layout, List<SymversProblem> problems, boolean hasNonZeroCrc) {
    public static final String VMLINUX = "vmlinux";

    /** The column layouts that modpost has written (scripts/mod/modpost.c:write_dump). */
    enum SymversLayout {
        UNKNOWN,
        /** The columns CRC, symbol, module, export; 3.10 to 5.3, RHEL 7 and 8. The last column may be missing. */
        WITHOUT_NAMESPACE,
        /** The columns CRC, symbol, namespace, module, export; 5.4 and 5.5. */
        NAMESPACE_THIRD,
        /** The columns CRC, symbol, module, export, namespace; 5.6+. */
        NAMESPACE_LAST
    }

    /**
     * A malformed line.
     *
     * @param line the line number, from 1
     * @param message the reason why the line is not an export
     */
    public record SymversProblem(int line, String message) {}

    /** Returns whether no line is malformed, so that no export is missing. */
    public boolean isWhole() {
        return problems.isEmpty();
    }

    public boolean hasModuleRows() {
        return exports.hasModuleRows();
    }
}
