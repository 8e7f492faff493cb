package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Marks verdicts on a kernel whose own modules are not available, for example if only its headers are known. A module
 * that replaces an in-tree module may break its importers, but weaklink cannot see the importers.
 */
final class UnseenImporters {
    private static final String VMLINUX = "vmlinux";

    private final ExportTable exports;

    private final Map<String, String> exporters = new HashMap<>();

    private UnseenImporters(ExportTable exports) {
        this.exports = exports;
        for (String owner : exports.owners()) {
            if (!owner.equals(VMLINUX)) {
                exporters.put(Origin.moduleName(owner), owner);
            }
        }
    }

    /**
     * Returns the verdicts, with the importers marked as unchecked for each module that may change exports of the
     * module that it replaces.
     */
    static List<Verdict> marked(CheckTarget target, List<Verdict> verdicts) {
        UnseenImporters unseen = null;
        List<Verdict> marked = new ArrayList<>(verdicts);
        for (int i = 0; i < marked.size(); i++) {
            Verdict verdict = marked.get(i);
            boolean loads = verdict.outcome() != Outcome.INCOMPATIBLE;
            if (loads && verdict.module().exports().names().size() > 0) {
                unseen = unseen == null ? new UnseenImporters(target.inbox()) : unseen;
                marked.set(i, unseen.mayBreak(verdict.module()) ? verdict.unchecking(Layer.IMPORTERS) : verdict);
            }
        }
        return marked;
    }

    private boolean mayBreak(KernelModule module) {
        String replaced = exporters.get(module.name());
        return replaced == null ? exporters.isEmpty() : !keepsExports(replaced, module.exports());
    }

    /**
     * Returns whether the module exports all symbols that the replaced module exports, with the same CRCs and
     * namespaces, and makes no further symbol GPL-only.
     */
    private boolean keepsExports(String replaced, Exports offered) {
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < offered.names().size(); i++) {
            places.putIfAbsent(offered.names().name(i), i);
        }
        for (int row = 0; row < exports.size(); row++) {
            if (exports.owner(row).equals(replaced)) {
                Integer at = places.get(exports.symbol(row));
                if (at == null
                        || !exports.hasCrc(row)
                        || !offered.hasCrc().get(at)
                        || exports.crc(row) != offered.crcs()[at]
                        || offered.gplOnly().get(at) && !exports.isGplOnly(row)
                        || !Objects.equals(offered.namespaces()[at], exports.namespace(row))) {
                    return false;
                }
            }
        }
        return true;
    }
}
