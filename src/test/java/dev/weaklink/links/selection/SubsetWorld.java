package dev.weaklink.links.selection;

import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.loader.EnvironmentMember;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.ModuleEnvironment;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The verdicts on all modules if certain candidates are linked, computed without the optimizations of
 * {@link MaximalSubset}.
 */
final class SubsetWorld {
    private final SubsetQuestion question;
    private final Set<Integer> chosen;
    private final Map<KernelModule, Verdict> verdicts = new IdentityHashMap<>();
    private final Set<String> replaced = new HashSet<>();

    SubsetWorld(SubsetQuestion question, Set<Integer> chosen, ExportRowCache rows) {
        this.question = question;
        this.chosen = chosen;
        List<EnvironmentMember> members = new ArrayList<>();
        Set<String> unreadable = new HashSet<>(question.unreadable());
        for (int c : chosen) {
            KernelModule module = question.candidates().get(c).module();
            members.add(new EnvironmentMember(module, true));
            replaced.add(module.name());
            unreadable.remove(module.name());
        }
        for (KernelModule module : question.inTreeModules()) {
            if (!replaced.contains(module.name()) && !unreadable.contains(module.name())) {
                members.add(new EnvironmentMember(module, false));
            }
        }
        members.sort(Comparator.comparing(EnvironmentMember::given).reversed().thenComparing(EnvironmentMember::name));
        LoadSet.judgeRivals(new ModuleEnvironment(question.target(), members, unreadable, rows), 1);
        for (EnvironmentMember member : members) {
            verdicts.put(member.module(), member.verdictOrThrow());
        }
    }

    Verdict verdict(int candidate) {
        return verdictOf(question.candidates().get(candidate).module());
    }

    private Verdict verdictOf(KernelModule module) {
        Verdict verdict = verdicts.get(module);
        if (verdict == null) {
            throw new IllegalStateException("not there: " + module.name());
        }
        return verdict;
    }

    /** Returns the chosen candidates whose verdict is not acceptable. */
    Set<Integer> refused() {
        Set<Integer> refused = new TreeSet<>();
        for (int c : chosen) {
            if (!question.candidates().get(c).accepts(verdict(c))) {
                refused.add(c);
            }
        }
        return refused;
    }

    /** Returns the names of in-tree modules whose verdict is worse than {@code before}. */
    Set<String> broken(SubsetWorld before) {
        Set<String> broken = new TreeSet<>();
        for (KernelModule module : question.inTreeModules()) {
            if (!replaced.contains(module.name())
                    && verdicts.containsKey(module)
                    && !question.mayBreak().contains(module.name())
                    && isWorse(before.verdictOf(module), verdictOf(module))) {
                broken.add(module.name());
            }
        }
        return broken;
    }

    private boolean isWorse(Verdict before, Verdict after) {
        return switch (before.outcome()) {
            case INCOMPATIBLE -> false;
            case UNDETERMINED -> after.outcome() == Outcome.INCOMPATIBLE;
            case COMPATIBLE ->
                after.outcome() == Outcome.INCOMPATIBLE
                        || (after.outcome() == Outcome.UNDETERMINED && !isOpenByLeave(after));
        };
    }

    /** Returns whether the verdict is undetermined only because the module uses an undetermined module. */
    private boolean isOpenByLeave(Verdict verdict) {
        boolean onlyOthers = verdict.findings().stream()
                .filter(finding -> finding.effect() == Finding.Effect.UNPROVEN)
                .allMatch(finding -> finding.layer() == Layer.DEPENDENCY);
        Map<String, Verdict> byName = new HashMap<>();
        verdicts.forEach((module, other) -> byName.put(module.name(), other));
        return onlyOthers
                && verdict.providers().stream()
                        .map(provider -> byName.get(provider.name()))
                        .anyMatch(other -> other != null && other.outcome() == Outcome.UNDETERMINED);
    }
}
