package dev.weaklink.check;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Adds notes about missing symbols that a module requests at run time ({@code symbol_get}). If a module is refused
 * because of missing symbols, also adds notes about missing modules in its {@code depends}.
 */
final class MissingNotes {
    private final ModuleFacts modules;
    private final Set<String> names = new HashSet<>();
    private final Set<String> exported = new HashSet<>();

    MissingNotes(ModuleFacts modules) {
        this.modules = modules;
        boolean looksUp = false;
        for (int i = 0; i < modules.size(); i++) {
            looksUp |= !modules.runtime(i).symbols().isEmpty();
        }
        for (int i = 0; i < modules.size(); i++) {
            KernelModule module = modules.module(i);
            if (module != null && module.elf() != null) {
                names.add(module.name());
            }
            for (int e = 0;
                    looksUp && module != null && e < module.exports().names().size();
                    e++) {
                exported.add(module.exports().names().name(e));
            }
        }
    }

    List<Verdict> addedTo(List<Verdict> verdicts, CheckTarget target) {
        List<Verdict> noted = new ArrayList<>();
        for (int i = 0; i < verdicts.size(); i++) {
            List<Finding> notes = symbols(i, target);
            notes.addAll(dependencies(verdicts.get(i), target));
            noted.add(notes.isEmpty() ? verdicts.get(i) : verdicts.get(i).with(notes));
        }
        return noted;
    }

    private List<Finding> symbols(int index, CheckTarget target) {
        List<Finding> notes = new ArrayList<>();
        if (target.kernel().exportsComplete()) {
            for (String symbol : modules.runtime(index).symbols()) {
                if (!exported.contains(symbol) && !isExported(symbol, target)) {
                    notes.add(missing(symbol));
                }
            }
        }
        return notes;
    }

    private List<Finding> dependencies(Verdict verdict, CheckTarget target) {
        InTreeModules inTreeModules = target.inTreeModules();
        List<Finding> notes = new ArrayList<>();
        if (inTreeModules == null || !inTreeModules.hasInTree()) {
            return notes;
        }
        for (String depends : depends(verdict)) {
            String name = Origin.moduleName(depends);
            boolean exists = inTreeModules.has(name) || names.contains(name);
            if (!exists && !target.kernel().image().isTaken(name)) {
                notes.add(absent(name));
            }
        }
        return notes;
    }

    private static boolean isExported(String symbol, CheckTarget target) {
        if (target.kernel().exports().find(symbol) >= 0) {
            return true;
        }
        InTreeModules own = target.inTreeModules();
        if (own == null) {
            return false;
        }
        for (KernelModule module : target.exportersListed() ? own.outOfTree() : own.all()) {
            if (module.exports().names().indexOf(symbol) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static Finding missing(String symbol) {
        return Finding.note(
                FindingKind.SYMBOL_GET,
                symbol,
                null,
                "the module requests the symbol at run time (symbol_get), but neither the kernel nor a known"
                        + " module exports the symbol");
    }

    private static List<String> depends(Verdict verdict) {
        if (verdict.outcome() == Outcome.INCOMPATIBLE) {
            for (Finding finding : verdict.findings()) {
                if (finding.kind() == FindingKind.SYMBOL_MISSING) {
                    boolean known = verdict.module().modInfo().knows("depends");
                    return known ? verdict.module().modInfo().depends() : List.of();
                }
            }
        }
        return List.of();
    }

    private static Finding absent(String name) {
        String detail = "depends on the module " + name + ", which the kernel does not have";
        return Finding.note(FindingKind.DEPENDENCY_ABSENT, null, name, detail + "; check both modules together");
    }
}
