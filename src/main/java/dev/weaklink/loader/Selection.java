package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of {@link MaximalSubset}.
 *
 * @param decisions one for each candidate, in order
 */
public record Selection(List<Decision> decisions) {
    public Selection {
        decisions = List.copyOf(decisions);
    }

    /**
     * What was decided about one candidate.
     *
     * @param verdict of a chosen one: in the final environment; else if it were put into that environment with its
     *     group
     * @param status chosen, or why not
     */
    public record Decision(Candidate candidate, Verdict verdict, TrialOutcome status) {
        /** Whether it is to be linked. */
        public boolean chosen() {
            return status instanceof TrialOutcome.Chosen;
        }

        /** Whether the loader would refuse it for certain. */
        public boolean isRefused() {
            return status instanceof TrialOutcome.Refused && verdict.outcome() == Outcome.INCOMPATIBLE;
        }
    }

    /** The chosen candidates, in order. */
    public List<Candidate> chosen() {
        List<Candidate> chosen = new ArrayList<>();
        for (Decision decision : decisions) {
            if (decision.chosen()) {
                chosen.add(decision.candidate());
            }
        }
        return chosen;
    }

    /**
     * What {@link MaximalSubset} decided about a candidate, and why. Other candidates are named by their index in
     * {@link MaximalSubset.SubsetQuestion#candidates()}, in rising order.
     *
     * <p>Where a candidate is not chosen, the reason is what would happen if it (with its group) were put into the
     * chosen set after all, in the place of other builds of the same names; the first of the reasons below that holds
     * is given.
     */
    public sealed interface TrialOutcome {
        /** It is in the chosen set, and loads there. */
        record Chosen() implements TrialOutcome {}

        /** The loader would refuse it, or its verdict stays open where that is not accepted; the verdict says why. */
        record Refused() implements TrialOutcome {}

        /**
         * It conflicts with chosen candidates: it would load without them, or they would not load beside it.
         *
         * @param with the chosen ones
         */
        record Conflicts(List<Integer> with) implements TrialOutcome {}

        /**
         * Own modules of the target that load today would no longer load.
         *
         * @param own their names, sorted
         */
        record Breaks(List<String> own) implements TrialOutcome {}

        /**
         * Others of its group cannot be linked.
         *
         * @param because those of the group that fail, or whose linking would break something
         */
        record GroupFails(List<Integer> because) implements TrialOutcome {}

        /**
         * Another build of the same name was chosen, or others of the same names as the rest of its group has.
         *
         * @param chosen these builds
         */
        record Outrivalled(List<Integer> chosen) implements TrialOutcome {}

        /** It could be added to the chosen set. No candidate of a {@link Selection} has this outcome. */
        record Fits() implements TrialOutcome {}
    }
}
