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
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Marks verdicts on a kernel whose own modules are not available, for example if only its headers are known. A module
 * that replaces an in-tree module may break the in-tree module's importers, which weaklink cannot see.
 */
final class UnseenImporters {
    private final ExportTable exports;

    /** The judged modules that replace an in-tree module, by the index of the in-tree module's exports. */
    private final Map<Integer, List<Replacement>> replacements = new HashMap<>();

    private UnseenImporters(ExportTable exports) {
        this.exports = exports;
    }

    private static final class Replacement {
        private final Exports offered;
        private final Map<String, Integer> places = new HashMap<>();
        private boolean changesExports;

        Replacement(Exports offered) {
            this.offered = offered;
            for (int i = 0; i < offered.names().size(); i++) {
                places.putIfAbsent(offered.names().name(i), i);
            }
        }

        /**
         * Returns whether the module exports the symbol of a row with the same CRC and namespace, and does not make it
         * GPL-only. A symbol without a CRC counts as changed.
         */
        boolean keeps(ExportTable exports, int row) {
            Integer at = places.get(exports.symbol(row));
            return at != null
                    && exports.hasCrc(row)
                    && offered.hasCrc().get(at)
                    && exports.crc(row) == offered.crcs()[at]
                    && (!offered.gplOnly().get(at) || exports.isGplOnly(row))
                    && Objects.equals(offered.namespaces()[at], exports.namespace(row));
        }
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
        UnseenImporters unseen = new UnseenImporters(target.inbox());
        @Nullable Replacement[] replacing = new Replacement[verdicts.size()];
        for (int i = 0; i < replacing.length; i++) {
            replacing[i] = unseen.replacement(verdicts.get(i).module());
        }
        unseen.compare();
        boolean knowsExporters = target.inbox().hasModuleRows();
        boolean changesExports = false;
        List<Verdict> marked = new ArrayList<>(verdicts);
        for (int i = 0; i < replacing.length; i++) {
            Verdict verdict = marked.get(i);
            Replacement one = replacing[i];
            boolean breaks = one != null
                    ? one.changesExports
                    : !knowsExporters && verdict.module().exports().names().size() > 0;
            boolean loads = verdict.outcome() != Outcome.INCOMPATIBLE;
            changesExports |= one != null && (breaks || !loads);
            marked.set(i, breaks && loads ? verdict.unchecking(Layer.IMPORTERS) : verdict);
        }
        return changesExports ? markedUsers(marked) : marked;
    }

    /** Returns null if the module exports nothing, or replaces no module that exports symbols. */
    private @Nullable Replacement replacement(KernelModule module) {
        int replaced = module.exports().names().size() == 0 ? -1 : exports.exporterOf(module.name());
        if (replaced < 0) {
            return null;
        }
        Replacement replacement = new Replacement(module.exports());
        replacements.computeIfAbsent(replaced, none -> new ArrayList<>()).add(replacement);
        return replacement;
    }

    private void compare() {
        BitSet replaced = new BitSet();
        replacements.keySet().forEach(replaced::set);
        int row = replaced.isEmpty() ? -1 : exports.nextRow(0, replaced);
        while (row >= 0) {
            for (Replacement one : replacements.getOrDefault(exports.exporter(row), List.of())) {
                one.changesExports |= !one.keeps(exports, row);
            }
            row = exports.nextRow(row + 1, replaced);
        }
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
}
