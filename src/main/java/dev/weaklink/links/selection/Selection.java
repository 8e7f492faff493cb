package dev.weaklink.links.selection;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of {@link MaximalSubset}.
 *
 * @param decisions the decisions on the candidates, in order
 */
public record Selection(List<LinkDecision> decisions) {
    public Selection {
        decisions = List.copyOf(decisions);
    }

    /**
     * A decision on one candidate.
     *
     * @param verdict the verdict if all chosen candidates are linked; for a candidate that was not chosen, the verdict
     *     if the candidate and its group were linked, too
     * @param status the decision and its reason
     */
    public record LinkDecision(Candidate candidate, Verdict verdict, TrialOutcome status) {
        public boolean chosen() {
            return status instanceof TrialOutcome.Chosen;
        }

        public boolean isRefused() {
            return status instanceof TrialOutcome.Refused && verdict.outcome() == Outcome.INCOMPATIBLE;
        }
    }

    public List<Candidate> chosen() {
        List<Candidate> chosen = new ArrayList<>();
        for (LinkDecision decision : decisions) {
            if (decision.chosen()) {
                chosen.add(decision.candidate());
            }
        }
        return chosen;
    }

    /**
     * A decision of {@link MaximalSubset} on a candidate, with its reason. Other candidates are identified by their
     * index in {@link MaximalSubset.SubsetQuestion#candidates()}, in ascending order.
     *
     * <p>The reason for not choosing a candidate is the result of a trial. The trial adds the candidate, with its
     * group, to the chosen set and replaces other builds of the same names. If several reasons apply, the decision
     * contains only one.
     */
    public sealed interface TrialOutcome {
        record Chosen() implements TrialOutcome {}

        /**
         * The loader would refuse the candidate, or the verdict is undetermined and
         * {@link Candidate#acceptUndetermined} is false.
         */
        record Refused() implements TrialOutcome {}

        /**
         * The candidate and some chosen candidates exclude each other: the candidate would not load together with them,
         * or they would not load together with the candidate.
         *
         * @param with the chosen candidates that exclude the candidate
         */
        record Conflicts(List<Integer> with) implements TrialOutcome {}

        /**
         * Modules of the target that load today would stop loading if the candidate were linked.
         *
         * @param own the names of these modules
         */
        record Breaks(List<String> own) implements TrialOutcome {}

        /**
         * Other members of the candidate's group cannot be linked.
         *
         * @param because the members that fail, or that would break other modules
         */
        record GroupFails(List<Integer> because) implements TrialOutcome {}

        /**
         * Another build of the candidate's module, or of a module in the candidate's group, was chosen.
         *
         * @param chosen the chosen builds, with their groups
         */
        record Outrivalled(List<Integer> chosen) implements TrialOutcome {}

        /**
         * The candidate could be added to the chosen set. This outcome occurs only during the search, never in a
         * {@link Selection}.
         */
        record Fits() implements TrialOutcome {}
    }
}
