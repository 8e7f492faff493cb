package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.AuditedFinding;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The results of a set's modules on a target.
 *
 * @param breaks the number of modules that would load but would keep other modules from loading
 * @param modules the modules that would not load, are undetermined, or keep other modules from loading, sorted by name
 * @param causes the causes of changed CRCs in the findings, starting with the cause that concerns the most modules
 * @param unchecked the ids of checks ({@code Layer}) that could not be made, sorted
 */
public record SetResult(
        int loads,
        int fails,
        int undetermined,
        int breaks,
        List<ModuleVerdict> modules,
        List<AuditedCause> causes,
        List<String> unchecked) {
    static final String INPUT = "input";

    static final SetResult NONE = new SetResult(0, 0, 0, 0, List.of(), List.of(), List.of());

    static final int SHOWN = 5;

    public static SetResult of(List<Verdict> verdicts, Map<String, String> unknown) {
        SortedSet<String> layers = new TreeSet<>();
        List<ModuleVerdict> modules = new ArrayList<>();
        int loads = 0;
        int fails = 0;
        int breaks = 0;
        for (Verdict verdict : verdicts) {
            layers.addAll(verdict.unchecked());
            boolean isLoaded = verdict.outcome() == Outcome.COMPATIBLE;
            loads += isLoaded ? 1 : 0;
            breaks += isLoaded && verdict.breaksOthers() ? 1 : 0;
            fails += verdict.outcome() == Outcome.INCOMPATIBLE ? 1 : 0;
            if (!isLoaded || verdict.breaksOthers()) {
                modules.add(module(verdict));
            }
        }
        unknown.forEach((name, why) -> modules.add(unknown(name, why)));
        modules.sort(Comparator.comparing(ModuleVerdict::module));
        return new SetResult(
                loads,
                fails,
                modules.size() - fails - breaks,
                breaks,
                Collections.unmodifiableList(modules),
                causes(verdicts),
                List.copyOf(layers));
    }

    private static ModuleVerdict module(Verdict verdict) {
        Effect decisive = switch (verdict.outcome()) {
            case INCOMPATIBLE -> Effect.REFUSES;
            case UNDETERMINED -> Effect.UNPROVEN;
            case COMPATIBLE -> Effect.BREAKS;
        };
        List<AuditedFinding> findings = new ArrayList<>();
        int more = 0;
        for (dev.weaklink.loader.Finding finding : verdict.findings()) {
            if (finding.effect() == decisive) {
                if (findings.size() < SHOWN) {
                    findings.add(finding(finding));
                } else {
                    more++;
                }
            }
        }
        return new ModuleVerdict(
                verdict.module().name(), verdict.outcome(), verdict.errno(), List.copyOf(findings), more);
    }

    private static AuditedFinding finding(dev.weaklink.loader.Finding finding) {
        String dmesg = finding.dmesg();
        String message = dmesg == null ? finding.detail() : dmesg;
        dev.weaklink.loader.Finding.Importer broken = finding.importer();
        String importer = broken == null ? null : broken.name();
        CrcCause cause = finding.cause();
        return new AuditedFinding(
                finding.layer().id(),
                finding.kind().id(),
                finding.symbol(),
                finding.wants(),
                finding.offers(),
                importer == null ? message : "keeps " + importer + " from loading: " + message,
                cause == null ? null : AuditedCause.of(cause.change(), cause.worst()));
    }

    private static List<AuditedCause> causes(List<Verdict> verdicts) {
        Map<TypeChange, Integer> modules = new LinkedHashMap<>();
        Map<TypeChange, TypeChange> worst = new HashMap<>();
        for (Verdict verdict : verdicts) {
            Set<TypeChange> own = new LinkedHashSet<>();
            for (dev.weaklink.loader.Finding finding : verdict.findings()) {
                CrcCause cause = finding.cause();
                if (cause != null) {
                    own.add(cause.change());
                    worst.merge(
                            cause.change(),
                            cause.worst(),
                            (one, other) -> one.change().compareTo(other.change()) <= 0 ? one : other);
                }
            }
            own.forEach(change -> modules.merge(change, 1, Integer::sum));
        }
        List<TypeChange> sorted = new ArrayList<>(modules.keySet());
        sorted.sort(Comparator.comparing(change -> -modules.getOrDefault(change, 0)));
        return sorted.stream()
                .map(change -> AuditedCause.of(change, worst.getOrDefault(change, change)))
                .toList();
    }

    private static ModuleVerdict unknown(String name, String why) {
        AuditedFinding finding =
                new AuditedFinding(INPUT, FindingKind.INPUT_UNREADABLE.id(), null, null, null, why, null);
        return new ModuleVerdict(name, Outcome.UNDETERMINED, null, List.of(finding), 0);
    }

    /**
     * Returns the modules that need another build: modules that are refused, or that keep other modules from loading.
     * Leaves out a module that is refused only because it uses a refused module: another build of the used module may
     * help both. If there are only such modules, returns them.
     */
    Set<String> refused() {
        Set<String> refused = new HashSet<>();
        Set<String> following = new HashSet<>();
        for (ModuleVerdict module : modules) {
            boolean follows = module.outcome() == Outcome.INCOMPATIBLE
                    && module.more() == 0
                    && module.findings().stream()
                            .allMatch(finding ->
                                    FindingKind.DEPENDENCY_REFUSED.id().equals(finding.id()));
            if (module.outcome() != Outcome.UNDETERMINED) {
                (follows ? following : refused).add(module.module());
            }
        }
        return refused.isEmpty() ? following : refused;
    }

    public String reason() {
        if (fails + undetermined + breaks == 0) {
            return "all load";
        }
        Outcome decisive = fails > 0 ? Outcome.INCOMPATIBLE : breaks > 0 ? Outcome.COMPATIBLE : Outcome.UNDETERMINED;
        ModuleVerdict first = null;
        int others = -1;
        for (ModuleVerdict module : modules) {
            if (module.outcome() == decisive) {
                first = first == null ? module : first;
                others++;
            }
        }
        if (first == null) {
            return "the reason is not known";
        }
        List<AuditedFinding> findings = first.findings();
        String message =
                findings.isEmpty() ? "the reason is not known" : findings.get(0).text();
        String name = first.module() + ": ";
        int broken = decisive == Outcome.COMPATIBLE ? findings.size() - 1 + first.more() : 0;
        return (message.startsWith(name) ? message : name + message)
                + (broken == 0 ? "" : "; also keeps " + Numbers.of(broken, "more module") + " from loading")
                + (others == 0 ? "" : "; and " + Numbers.of(others, "more module"));
    }
}
