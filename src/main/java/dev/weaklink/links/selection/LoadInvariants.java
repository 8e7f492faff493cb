package dev.weaklink.links.selection;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The two invariants of linking: the verdict on each chosen {@link Candidate} is acceptable, and the verdict on none of
 * the target kernel's own modules gets worse. Modules in {@link MaximalSubset.SubsetQuestion#mayBreak} are exempt. A
 * kernel's own module may also become undetermined because of a module whose undetermined verdict is accepted.
 */
final class LoadInvariants {
    private final NumberedModules builds;
    private final Map<Integer, Outcome> before = new HashMap<>();

    LoadInvariants(NumberedModules builds, ChosenEnvironment own) {
        this.builds = builds;
        for (int b = builds.question().candidates().size(); b < builds.size(); b++) {
            Outcome outcome = own.verdict(b).outcome();
            boolean sacrificed =
                    builds.question().mayBreak().contains(builds.module(b).name());
            if (outcome != Outcome.INCOMPATIBLE && !sacrificed) {
                before.put(b, outcome);
            }
        }
    }

    List<Integer> violators(ChosenEnvironment environment, NameChoice choice, BitSet names) {
        List<Integer> violators = new ArrayList<>();
        Set<String> accepted = accepted(environment, choice, names);
        for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
            for (int build : choice.present(n)) {
                if (!obeys(build, environment.verdict(build), accepted)) {
                    violators.add(build);
                }
            }
        }
        violators.sort(null);
        return violators;
    }

    private Set<String> accepted(ChosenEnvironment environment, NameChoice choice, BitSet names) {
        Set<String> accepted = new HashSet<>();
        for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
            for (int build : choice.present(n)) {
                boolean open = environment.verdict(build).outcome() == Outcome.UNDETERMINED;
                if (open
                        && (!builds.isCandidate(build)
                                || builds.candidate(build).acceptUndetermined())) {
                    accepted.add(builds.name(n));
                }
            }
        }
        return accepted;
    }

    private boolean obeys(int build, Verdict verdict, Set<String> accepted) {
        if (builds.isCandidate(build)) {
            return builds.candidate(build).accepts(verdict);
        }
        Outcome wanted = before.get(build);
        if (wanted == null || verdict.outcome() == Outcome.COMPATIBLE) {
            return true;
        }
        return verdict.outcome() == Outcome.UNDETERMINED
                && (wanted == Outcome.UNDETERMINED || isOpenBy(accepted, verdict));
    }

    private static boolean isOpenBy(Set<String> accepted, Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Effect.UNPROVEN && finding.layer() != Layer.DEPENDENCY) {
                return false;
            }
        }
        for (Provider provider : verdict.providers()) {
            if (accepted.contains(provider.name())) {
                return true;
            }
        }
        return false;
    }
}
