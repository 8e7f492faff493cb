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
 * Explains many refused modules by few causes: repeatedly chooses the cause that explains the most remaining modules
 * (greedy set cover).
 */
public final class FewestCauses {
    private final List<Verdict> modules;
    private final List<CandidateCause> candidates = new ArrayList<>();
    private final List<List<CandidateCause>> byModule = new ArrayList<>();

    private FewestCauses(List<Verdict> modules) {
        this.modules = modules;
        RootCauses roots = new RootCauses(modules);
        Map<RefusalCause, CandidateCause> byCause = new HashMap<>();
        for (int i = 0; i < modules.size(); i++) {
            List<CandidateCause> own = new ArrayList<>();
            for (RefusalCause cause : roots.of(modules.get(i))) {
                CandidateCause candidate = byCause.get(cause);
                if (candidate == null) {
                    candidate = new CandidateCause(cause);
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

    public static List<Explanation> of(List<Verdict> refusedModules) {
        return new FewestCauses(refusedModules).explain();
    }

    private List<Explanation> explain() {
        List<Explanation> explanations = new ArrayList<>();
        boolean[] explained = new boolean[modules.size()];
        for (CandidateCause best = best(); best != null; best = best()) {
            List<Verdict> accounted = new ArrayList<>();
            for (int module : best.modules) {
                if (!explained[module]) {
                    explained[module] = true;
                    accounted.add(modules.get(module));
                    for (CandidateCause candidate : byModule.get(module)) {
                        candidate.left--;
                    }
                }
            }
            explanations.add(new Explanation(best.cause, accounted, best.modules.size()));
        }
        return explanations;
    }

    private @Nullable CandidateCause best() {
        CandidateCause best = null;
        for (CandidateCause candidate : candidates) {
            if (candidate.left > 0 && (best == null || candidate.isBetterThan(best))) {
                best = candidate;
            }
        }
        return best;
    }

    private static final class CandidateCause {
        private final RefusalCause cause;
        private final List<Integer> modules = new ArrayList<>();
        private int left;

        private CandidateCause(RefusalCause cause) {
            this.cause = cause;
        }

        private boolean isBetterThan(CandidateCause other) {
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
     * The causes of each refused module. If a module is refused only because it needs a refused module, its causes are
     * the causes of the needed module.
     */
    private static final class RootCauses {
        private final Map<String, Verdict> refused = new HashMap<>();
        private final Map<String, Set<RefusalCause>> known = new HashMap<>();

        RootCauses(List<Verdict> refusedModules) {
            for (Verdict verdict : refusedModules) {
                refused.putIfAbsent(verdict.module().name(), verdict);
            }
        }

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

        /**
         * Returns the causes of a module; empty if the module is not refused or its causes are already being computed.
         */
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
     * A cause and the refused modules it explains.
     *
     * @param modules the modules that no earlier cause explains, in report order
     * @param hits the number of all refused modules with this cause
     */
    public record Explanation(RefusalCause cause, List<Verdict> modules, int hits) {
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
            return worst == null
                    ? clause
                    : clause + "; worst of the other possible causes: " + Escape.bytes(worst.clause());
        }
    }
}
