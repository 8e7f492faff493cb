package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.loader.BestSubset.SubsetQuestion;
import dev.weaklink.loader.Selection.Decision;
import dev.weaklink.loader.Selection.TrialOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The chosen set against all sets there are, and its invariants where these are too many. */
class BestSubsetProperties {
    /** A question that a report can name. */
    record Asked(long seed, SubsetQuestion question) {
        static Asked of(long seed, int mostNames, int mostCandidates) {
            return new Asked(seed, SubsetCase.random(new Random(seed), mostNames, mostCandidates));
        }

        @Override
        public String toString() {
            return "seed " + seed;
        }
    }

    @Provide
    Arbitrary<Asked> small() {
        return Arbitraries.longs().map(seed -> Asked.of(seed, 5, 8));
    }

    @Provide
    Arbitrary<Asked> large() {
        return Arbitraries.longs().map(seed -> Asked.of(seed, 150, 400));
    }

    @Property(tries = 1500)
    void noOtherSetIsBetter(@ForAll("small") Asked asked) {
        SubsetQuestion question = asked.question();
        KernelRows rows = new KernelRows(question.target().exports());
        Set<Integer> best = Set.of();
        SubsetWorld before = new SubsetWorld(question, Set.of(), rows);
        for (Set<Integer> set : sets(question)) {
            if (isBetter(question, set, best)) {
                SubsetWorld environment = new SubsetWorld(question, set, rows);
                if (environment.refused().isEmpty()
                        && environment.broken(before).isEmpty()) {
                    best = set;
                }
            }
        }

        Selection selection = choose(question);

        assertThat(chosen(selection)).isEqualTo(best);
        assertThat(selection.largest()).isTrue();
    }

    /** The circle went through a weak import, and was not what was excluded. */
    @Test
    void whatACircleKeepsOutIsLetInWithoutTheCircle() {
        noOtherSetIsBetter(Asked.of(235045, 5, 8));
    }

    @Property(tries = 500)
    void everyReasonIsTrue(@ForAll("small") Asked asked) {
        SubsetQuestion question = asked.question();
        KernelRows rows = new KernelRows(question.target().exports());
        Selection selection = choose(question);
        Set<Integer> chosen = chosen(selection);
        SubsetWorld before = new SubsetWorld(question, Set.of(), rows);

        for (int c = 0; c < question.candidates().size(); c++) {
            Decision decision = selection.decisions().get(c);
            Set<Integer> with = with(question, chosen, c);
            SubsetWorld environment = new SubsetWorld(question, with, rows);
            assertThat(decision.verdict().findings())
                    .isEqualTo(environment.verdict(c).findings());
            assertThat(decision.verdict().outcome())
                    .isEqualTo(environment.verdict(c).outcome());
            assertReason(question, c, decision.status(), chosen, environment.refused(), environment.broken(before));
        }
    }

    @Test
    void whoWaitsForACircleFindsItJudged() {
        everyReasonIsTrue(Asked.of(754, 5, 8));
        everyReasonIsTrue(Asked.of(10448, 5, 8));
    }

    private static void assertReason(
            SubsetQuestion question,
            int candidate,
            TrialOutcome status,
            Set<Integer> chosen,
            Set<Integer> refused,
            Set<String> broken) {
        if (status instanceof TrialOutcome.Refused) {
            assertThat(refused).contains(candidate);
        } else if (status instanceof TrialOutcome.Conflicts conflicts) {
            assertThat(chosen).containsAll(conflicts.with());
            assertThat(refused.contains(candidate) || refused.containsAll(conflicts.with()))
                    .isTrue();
        } else if (status instanceof TrialOutcome.Breaks breaks) {
            assertThat(broken).containsAll(breaks.own());
        } else if (status instanceof TrialOutcome.GroupFails fails) {
            assertThat(fails.because())
                    .isNotEmpty()
                    .doesNotContain(candidate)
                    .allSatisfy(other -> assertThat(
                                    question.candidates().get(other).group())
                            .isEqualTo(question.candidates().get(candidate).group()));
            assertThat(refused.isEmpty() && broken.isEmpty()).isFalse();
        } else if (status instanceof TrialOutcome.Outrivalled outrivalled) {
            assertThat(chosen).containsAll(outrivalled.chosen());
            assertThat(refused).doesNotContain(candidate);
        } else {
            assertThat(status).isEqualTo(new TrialOutcome.Chosen());
            assertThat(chosen).contains(candidate);
        }
    }

    @Property(tries = 60)
    void whatIsChosenOfManyLoadsAndBreaksNothing(@ForAll("large") Asked asked) {
        SubsetQuestion question = asked.question();
        KernelRows rows = new KernelRows(question.target().exports());
        Selection selection = choose(question);
        Set<Integer> chosen = chosen(selection);

        SubsetWorld environment = new SubsetWorld(question, chosen, rows);
        assertThat(environment.refused()).isEmpty();
        assertThat(environment.broken(new SubsetWorld(question, Set.of(), rows)))
                .isEmpty();
        assertThat(isSet(question, chosen)).isTrue();
        if (selection.largest()) {
            assertThat(selection.decisions())
                    .extracting(Decision::status)
                    .doesNotHaveAnyElementsOfTypes(TrialOutcome.NotTried.class);
        }
    }

    /** The search for this one is cut short, and another build of a chosen module would do better. */
    @Test
    void whatIsNotTriedIsNotCalledTheLargest() {
        Selection selection = choose(Asked.of(2_288_075_443L, 150, 400).question());

        assertThat(selection.largest()).isFalse();
        assertThat(selection.decisions())
                .extracting(Decision::status)
                .hasAtLeastOneElementOfType(TrialOutcome.NotTried.class);
    }

    private static Selection choose(SubsetQuestion question) {
        return BestSubset.choose(question, new KernelRows(question.target().exports()), 1);
    }

    private static Set<Integer> chosen(Selection selection) {
        Set<Integer> chosen = new TreeSet<>();
        for (int c = 0; c < selection.decisions().size(); c++) {
            if (selection.decisions().get(c).chosen()) {
                chosen.add(c);
            }
        }
        return chosen;
    }

    /** All sets with one build of a name at most, and with whole groups. */
    private static List<Set<Integer>> sets(SubsetQuestion question) {
        List<Set<Integer>> sets = new ArrayList<>();
        for (int bits = 0; bits < 1 << question.candidates().size(); bits++) {
            Set<Integer> set = new TreeSet<>();
            for (int c = 0; c < question.candidates().size(); c++) {
                if ((bits & 1 << c) != 0) {
                    set.add(c);
                }
            }
            if (isSet(question, set)) {
                sets.add(set);
            }
        }
        return sets;
    }

    private static boolean isSet(SubsetQuestion question, Set<Integer> set) {
        Set<String> names = new HashSet<>();
        Map<String, Boolean> groups = new HashMap<>();
        for (int c = 0; c < question.candidates().size(); c++) {
            Candidate candidate = question.candidates().get(c);
            boolean in = set.contains(c);
            if (in && !names.add(candidate.name())) {
                return false;
            }
            Boolean others = candidate.group() == null ? null : groups.put(candidate.group(), in);
            if (others != null && others != in) {
                return false;
            }
        }
        return true;
    }

    /** More modules, then lower ranks, then the first name, then its preferred build. */
    private static boolean isBetter(SubsetQuestion question, Set<Integer> one, Set<Integer> other) {
        if (one.size() != other.size()) {
            return one.size() > other.size();
        }
        Map<String, Integer> ranks = ranks(question, one);
        Map<String, Integer> otherRanks = ranks(question, other);
        int sum = ranks.values().stream().mapToInt(rank -> rank).sum();
        int otherSum = otherRanks.values().stream().mapToInt(rank -> rank).sum();
        if (sum != otherSum) {
            return sum < otherSum;
        }
        Set<String> names = new TreeSet<>(ranks.keySet());
        names.addAll(otherRanks.keySet());
        for (String name : names) {
            int rank = ranks.getOrDefault(name, Integer.MAX_VALUE);
            int otherRank = otherRanks.getOrDefault(name, Integer.MAX_VALUE);
            if (rank != otherRank) {
                return rank < otherRank;
            }
        }
        return false;
    }

    /** Which of the builds of its name each is. */
    private static Map<String, Integer> ranks(SubsetQuestion question, Set<Integer> set) {
        Map<String, Integer> builds = new HashMap<>();
        Map<String, Integer> ranks = new HashMap<>();
        for (int c = 0; c < question.candidates().size(); c++) {
            String name = question.candidates().get(c).name();
            int rank = builds.merge(name, 1, Integer::sum);
            if (set.contains(c)) {
                ranks.put(name, rank);
            }
        }
        return ranks;
    }

    /** The chosen ones, and a candidate with its group in the place of others of these names. */
    private static Set<Integer> with(SubsetQuestion question, Set<Integer> chosen, int candidate) {
        Set<Integer> unit = unit(question, candidate);
        Set<Integer> with = new TreeSet<>(chosen);
        for (int member : unit) {
            for (int c : chosen) {
                if (question.candidates()
                        .get(c)
                        .name()
                        .equals(question.candidates().get(member).name())) {
                    with.removeAll(unit(question, c));
                }
            }
        }
        with.addAll(unit);
        return with;
    }

    private static Set<Integer> unit(SubsetQuestion question, int candidate) {
        String group = question.candidates().get(candidate).group();
        Set<Integer> unit = new TreeSet<>(Set.of(candidate));
        for (int c = 0; c < question.candidates().size(); c++) {
            if (group != null && group.equals(question.candidates().get(c).group())) {
                unit.add(c);
            }
        }
        return unit;
    }
}
