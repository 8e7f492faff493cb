package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Explains many refused modules by few causes: again and again the cause that accounts for most of the modules that are
 * left (the greedy set cover).
 */
public final class FewestCauses {
    private final List<Verdict> modules;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<List<Candidate>> byModule = new ArrayList<>();

    private FewestCauses(List<Verdict> modules) {
        this.modules = modules;
        RootCauses roots = new RootCauses(modules);
        Map<RefusalCause, Candidate> byCause = new HashMap<>();
        for (int i = 0; i < modules.size(); i++) {
            List<Candidate> own = new ArrayList<>();
            for (RefusalCause cause : roots.of(modules.get(i))) {
                Candidate candidate = byCause.get(cause);
                if (candidate == null) {
                    candidate = new Candidate(cause);
                    byCause.put(cause, candidate);
                    candidates.add(candidate);
                }
                candidate.modules.add(i);
                candidate.left++;
                own.add(candidate);
            }
            byModule.add(own);
        }
    }

    /** Explains refused modules of one target; the most telling cause first. */
    public static List<Explanation> of(List<Verdict> refusedModules) {
        return new FewestCauses(refusedModules).explain();
    }

    private List<Explanation> explain() {
        List<Explanation> explanations = new ArrayList<>();
        boolean[] explained = new boolean[modules.size()];
        for (Candidate best = best(); best != null; best = best()) {
            List<Verdict> accounted = new ArrayList<>();
            for (int module : best.modules) {
                if (!explained[module]) {
                    explained[module] = true;
                    accounted.add(modules.get(module));
                    for (Candidate candidate : byModule.get(module)) {
                        candidate.left--;
                    }
                }
            }
            explanations.add(new Explanation(best.cause, accounted, best.modules.size()));
        }
        return explanations;
    }

    /** The candidate with most modules left, null when none has any. */
    private @Nullable Candidate best() {
        Candidate best = null;
        for (Candidate candidate : candidates) {
            if (candidate.left > 0 && (best == null || candidate.isBetterThan(best))) {
                best = candidate;
            }
        }
        return best;
    }

    /** A cause, the modules that have it (indices), and how many of these are not explained yet. */
    private static final class Candidate {
        private final RefusalCause cause;
        private final List<Integer> modules = new ArrayList<>();
        private int left;

        private Candidate(RefusalCause cause) {
            this.cause = cause;
        }

        private boolean isBetterThan(Candidate other) {
            if (left != other.left) {
                return left > other.left;
            }
            if (modules.size() != other.modules.size()) {
                return modules.size() > other.modules.size();
            }
            return RefusalCause.ORDER.compare(cause, other.cause) < 0;
        }
    }

    /**
     * The causes of each refused module. One that is refused only because a module it needs is refused has the causes
     * of that module.
     */
    private static final class RootCauses {
        private final Map<String, Verdict> refused = new HashMap<>();
        private final Map<String, Set<RefusalCause>> known = new HashMap<>();

        /** For refused modules of one target. */
        RootCauses(List<Verdict> refusedModules) {
            for (Verdict verdict : refusedModules) {
                refused.putIfAbsent(verdict.module().name(), verdict);
            }
        }

        /** Causes of a refused module in the order of its findings. */
        Set<RefusalCause> of(Verdict verdict) {
            Set<RefusalCause> own = new LinkedHashSet<>();
            for (Finding finding : verdict.findings()) {
                if (finding.effect() == Effect.REFUSES && finding.layer() != Layer.DEPENDENCY) {
                    own.add(RefusalCause.of(finding));
                }
            }
            return own.isEmpty() ? ofDependencies(verdict) : own;
        }

        private Set<RefusalCause> ofDependencies(Verdict verdict) {
            Set<RefusalCause> inherited = new LinkedHashSet<>();
            for (Finding finding : verdict.findings()) {
                if (finding.effect() == Effect.REFUSES) {
                    RefusalCause cause = RefusalCause.of(finding);
                    Set<RefusalCause> deeper = ofModule(cause.subject());
                    if (deeper.isEmpty()) {
                        inherited.add(cause);
                    } else {
                        inherited.addAll(deeper);
                    }
                }
            }
            return inherited;
        }

        /** Empty for a module that is not refused, and for one whose causes are being asked for. */
        private Set<RefusalCause> ofModule(String name) {
            Set<RefusalCause> before = known.putIfAbsent(name, Set.of());
            if (before != null) {
                return before;
            }
            Verdict verdict = refused.get(name);
            Set<RefusalCause> causes = verdict == null ? Set.of() : of(verdict);
            known.put(name, causes);
            return causes;
        }
    }

    /**
     * One cause and the refused modules it accounts for.
     *
     * @param cause what they have in common
     * @param modules refused modules not accounted for by an earlier explanation, in report order
     * @param hits all refused modules that have this cause, accounted for or not
     */
    public record Explanation(RefusalCause cause, List<Verdict> modules, int hits) {
        /** The cause as a clause, and what is worse and may matter to these modules; escaped. */
        public String clause() {
            TypeChange worst = null;
            for (Verdict verdict : modules) {
                for (Finding finding : verdict.findings()) {
                    TypeChange one =
                            finding.cause() == null ? null : finding.cause().worst();
                    if (one != null
                            && cause.isLessThan(one.change())
                            && (worst == null || one.change().compareTo(worst.change()) < 0)) {
                        worst = one;
                    }
                }
            }
            String clause = cause.clause();
            return worst == null ? clause : clause + "; within reach: " + Escape.bytes(worst.clause());
        }
    }
}
