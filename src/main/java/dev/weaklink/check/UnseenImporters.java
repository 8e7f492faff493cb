package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Marks verdicts on a kernel whose own modules are not available, for example if only its headers are known. A module
 * that replaces an in-tree module may break the in-tree module's importers, which weaklink cannot see.
 */
final class UnseenImporters {
    private final ExportTable exports;

    private UnseenImporters(ExportTable exports) {
        this.exports = exports;
    }

    /**
     * Marks the check {@link Layer#IMPORTERS} as not made for a module that replaces an in-tree module and may change
     * its exports. If the exporting in-tree modules are not known, any module with exports may do so. Refused modules
     * stay unmarked.
     *
     * <p>If a replacing module may change exports or is refused, also marks the modules that need another in-tree
     * module, because the needed module may import the changed symbols.
     */
    static List<Verdict> marked(CheckTarget target, List<Verdict> verdicts) {
        UnseenImporters unseen = null;
        boolean changesExports = false;
        List<Verdict> marked = new ArrayList<>(verdicts);
        for (int i = 0; i < marked.size(); i++) {
            Verdict verdict = marked.get(i);
            if (verdict.module().exports().names().size() > 0) {
                unseen = unseen == null ? new UnseenImporters(target.inbox()) : unseen;
                boolean breaks = unseen.mayBreak(verdict.module());
                boolean loads = verdict.outcome() != Outcome.INCOMPATIBLE;
                changesExports |= unseen.replaces(verdict.module()) && (breaks || !loads);
                marked.set(i, breaks && loads ? verdict.unchecking(Layer.IMPORTERS) : verdict);
            }
        }
        return changesExports ? markedUsers(marked) : marked;
    }

    private static List<Verdict> markedUsers(List<Verdict> verdicts) {
        Map<String, Verdict> byName = new HashMap<>();
        verdicts.forEach(verdict -> byName.putIfAbsent(verdict.module().name(), verdict));
        return verdicts.stream()
                .map(verdict -> needsInTree(verdict, byName) ? verdict.unchecking(Layer.IMPORTERS) : verdict)
                .toList();
    }

    private static boolean needsInTree(Verdict verdict, Map<String, Verdict> byName) {
        if (verdict.outcome() == Outcome.INCOMPATIBLE) {
            return false;
        }
        Set<String> seen = new HashSet<>();
        Deque<Verdict> left = new ArrayDeque<>(List.of(verdict));
        while (!left.isEmpty()) {
            for (Finding.Provider provider : left.remove().providers()) {
                Verdict given = byName.get(provider.name());
                if (!provider.given() || given == null) {
                    return true;
                }
                if (seen.add(provider.name())) {
                    left.add(given);
                }
            }
        }
        return false;
    }

    private boolean replaces(KernelModule module) {
        return exports.exporterOf(module.name()) >= 0;
    }

    private boolean mayBreak(KernelModule module) {
        int replaced = exports.exporterOf(module.name());
        return replaced < 0 ? !exports.hasModuleRows() : !keepsExports(replaced, module.exports());
    }

    /**
     * Returns whether the module exports all symbols that the replaced module exports, with the same CRCs and
     * namespaces, and makes none of them GPL-only. A symbol without a CRC counts as changed.
     */
    private boolean keepsExports(int replaced, Exports offered) {
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < offered.names().size(); i++) {
            places.putIfAbsent(offered.names().name(i), i);
        }
        for (int row : exports.rowsOf(replaced)) {
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
        return true;
    }
}
