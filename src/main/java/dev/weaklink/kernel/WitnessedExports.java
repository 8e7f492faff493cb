package dev.weaklink.kernel;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import java.util.Collection;

/**
 * Derives the exports of vmlinux from a kernel's own modules, for kernels without an available symvers file. A symbol
 * in a module's version table that no module exports is an export of vmlinux, with the CRC in that table. The modules
 * do not show whether an export is GPL-only or in a namespace, nor exports that no module uses.
 */
public final class WitnessedExports {
    private WitnessedExports() {}

    public static ExportTable of(Collection<KernelModule> modules) {
        ExportTableBuilder ofModules = new ExportTableBuilder(1 << 14);
        int nobody = ofModules.owner("");
        for (KernelModule module : modules) {
            SymbolNames names = module.exports().names();
            for (int i = 0; i < names.size(); i++) {
                add(ofModules, names, i, 0, nobody);
            }
        }
        ExportTable exportedByModules = ofModules.build();
        ExportTableBuilder witnessed = new ExportTableBuilder(1 << 14);
        int vmlinux = witnessed.owner(Symvers.VMLINUX);
        for (KernelModule module : modules) {
            VersionTable versions = module.versions();
            for (int i = 0; versions != null && i < versions.names().size(); i++) {
                if (exportedByModules.find(versions.names(), i) < 0) {
                    add(witnessed, versions.names(), i, (int) versions.crcs()[i], vmlinux);
                }
            }
        }
        return withoutRepetitions(witnessed.build());
    }

    private static ExportTable withoutRepetitions(ExportTable all) {
        ExportTableBuilder once = new ExportTableBuilder(1 << 14);
        int vmlinux = once.owner(Symvers.VMLINUX);
        for (int row = 0; row < all.size(); row++) {
            if (all.find(all.names(), row) == row) {
                add(once, all.names(), row, all.crc(row), vmlinux);
            }
        }
        return once.build();
    }

    private static void add(ExportTableBuilder rows, SymbolNames names, int index, int crc, int owner) {
        rows.add(
                names.bytes(),
                names.offset(index),
                names.length(index),
                crc,
                ExportTable.HAS_CRC | ExportTable.GPL_UNKNOWN | ExportTable.NAMESPACE_UNKNOWN,
                owner,
                -1);
    }
}
