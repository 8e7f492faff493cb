package dev.weaklink.loader;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.FindingKind.Errno;
import dev.weaklink.module.Exports;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * The checks of a module's own exports: flags (check_export_symbol_sections, 7.1+), CRCs
 * (check_export_symbol_versions), and names that the kernel or a loaded module exports already
 * (verify_exported_symbols).
 */
final class ExportStep {
    private ExportStep() {}

    /**
     * Returns the number of exports that the kernel reads; these exports come first in the list (find_module_sections).
     * The kernel reads all tables up to 5.11, __ksymtab and __ksymtab_gpl from 5.12 on, and __ksymtab alone from 7.1
     * on.
     */
    static int counted(Exports exports, LoaderBehavior rules) {
        if (rules.is(LoaderRule.EXPORT_FLAGS, "yes")) {
            return exports.plain();
        }
        return rules.version().atLeast(5, 12)
                ? exports.current()
                : exports.names().size();
    }

    /**
     * Refuses exports without flags on a kernel where flags mark GPL-only symbols (check_export_symbol_sections, 7.1+).
     * Such a kernel ignores __ksymtab_gpl.
     */
    static void flags(VerdictBuilder j) {
        Exports exports = j.module().exports();
        String name = j.module().name();
        if (exports.lackFlags()) {
            if (j.rule(LoaderRule.EXPORT_FLAGS, "yes")) {
                j.refuse(FindingKind.EXPORT_NO_FLAGS, name + ": no flags for exported symbols");
            }
        } else if (exports.plain() < exports.current() && j.rules().is(LoaderRule.EXPORT_FLAGS, "yes")) {
            j.note(
                    FindingKind.EXPORT_OLD_TABLE,
                    null,
                    name + ": ignoring obsolete section __ksymtab_gpl",
                    FindingKind.EXPORT_OLD_TABLE.meaning());
        }
    }

    /** Refuses exports without CRCs on a kernel with modversions, unless the kernel allows forced loading. */
    static void versions(VerdictBuilder j) {
        Exports exports = j.module().exports();
        int counted = counted(exports, j.rules());
        boolean complete = exports.hasCrc().nextClearBit(0) >= counted;
        if (complete || !j.rules().is(LoaderRule.MODVERSIONS, "yes")) {
            return;
        }
        if (j.rule(LoaderRule.FORCE_LOAD, "yes")) {
            j.note(
                    FindingKind.EXPORT_NO_CRC,
                    null,
                    null,
                    "exports symbols without CRCs; this kernel accepts that, and is tainted"
                            + " (CONFIG_MODULE_FORCE_LOAD)");
        } else {
            j.refuse(FindingKind.EXPORT_NO_CRC, null);
        }
    }

    /**
     * Refuses a module if one of its symbols is exported already. The other exporter is the kernel, a module that the
     * judged module needs, or a checked module that is assumed to be loaded first.
     */
    static void duplicates(VerdictBuilder j, ModuleEnvironment environment) {
        SymbolNames names = j.module().exports().names();
        ExportTable kernel = environment.target().exports();
        int counted = counted(j.module().exports(), j.rules());
        for (int i = 0; i < counted; i++) {
            int row = kernel.find(names, i);
            if (row >= 0 && kernel.isVmlinux(row)) {
                refuse(j, names.name(i), "kernel", "exports a symbol that the kernel exports already");
                return;
            }
            for (int offer = environment.offer(names, i);
                    offer != ModuleEnvironment.NONE;
                    offer = environment.nextOffer(offer)) {
                EnvironmentMember other = environment.member(offer);
                if (!other.name().equals(j.module().name()) && isLoadedBefore(j, environment, other)) {
                    refuse(
                            j,
                            names.name(i),
                            other.name(),
                            "exports a symbol that " + other.name() + " exports already");
                    return;
                }
            }
        }
        ModuleEnvironment.Rival rival = environment.rivalOf(j.module());
        if (rival != null) {
            refuse(
                    j,
                    rival.symbol(),
                    rival.owner(),
                    "exports a symbol that " + rival.owner()
                            + " also exports: the kernel refuses the module that is loaded second");
        }
    }

    private static void refuse(VerdictBuilder j, String symbol, String owner, String detail) {
        j.add(new Finding(
                FindingKind.EXPORT_DUPLICATE,
                Finding.Effect.REFUSES,
                Errno.ENOEXEC,
                symbol,
                null,
                null,
                owner,
                j.module().name() + ": exports duplicate symbol " + symbol + " (owned by " + owner + ")",
                detail));
    }

    private static boolean isLoadedBefore(VerdictBuilder j, ModuleEnvironment environment, EnvironmentMember other) {
        Set<String> seen = new HashSet<>();
        ArrayDeque<String> waiting = new ArrayDeque<>(j.providerNames());
        while (!waiting.isEmpty()) {
            String name = waiting.poll();
            if (!seen.add(name)) {
                continue;
            }
            for (EnvironmentMember member : environment.members()) {
                Verdict verdict = member.verdict();
                if (verdict != null && member.name().equals(name)) {
                    if (member == other) {
                        return true;
                    }
                    verdict.providers().forEach(provider -> waiting.add(provider.name()));
                }
            }
        }
        return false;
    }
}
