package dev.weaklink.links.selection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.links.selection.Selection.LinkDecision;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.loader.ExportRowCache;
import java.util.HashMap;
import java.util.HashSet;
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

/** Random questions: the chosen set keeps the invariants, and no candidate can be added to it. */
class MaximalSubsetProperties {
    /** A question whose seed jqwik prints if a property fails. */
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
    void leavesNoCandidateThatCouldBeAdded(@ForAll("small") Asked asked) {
        SubsetQuestion question = asked.question();
        ExportRowCache rows = new ExportRowCache(question.target().exports());
        SubsetWorld before = new SubsetWorld(question, Set.of(), rows);
        Set<Integer> chosen = chosen(choose(question));

        assertThat(loadsAndBreaksNothing(question, chosen, before, rows)).isTrue();
        for (int c = 0; c < question.candidates().size(); c++) {
            Set<Integer> more = new TreeSet<>(chosen);
            more.addAll(unit(question, c));
            assertThat(more.equals(chosen) || !loadsAndBreaksNothing(question, more, before, rows))
                    .as("candidate %d", c)
                    .isTrue();
        }
    }

    private static boolean loadsAndBreaksNothing(
            SubsetQuestion question, Set<Integer> set, SubsetWorld before, ExportRowCache rows) {
        if (!isSet(question, set)) {
            return false;
        }
        SubsetWorld environment = new SubsetWorld(question, set, rows);
        return environment.refused().isEmpty() && environment.broken(before).isEmpty();
    }

    /** The modules of this question form a dependency cycle through a weak import. */
    @Test
    void excludesOnlyTheCycle() {
        leavesNoCandidateThatCouldBeAdded(Asked.of(235045, 5, 8));
    }

    @Property(tries = 500)
    void givesTrueReasons(@ForAll("small") Asked asked) {
        SubsetQuestion question = asked.question();
        ExportRowCache rows = new ExportRowCache(question.target().exports());
        Selection selection = choose(question);
        Set<Integer> chosen = chosen(selection);
        SubsetWorld before = new SubsetWorld(question, Set.of(), rows);

        for (int c = 0; c < question.candidates().size(); c++) {
            LinkDecision decision = selection.decisions().get(c);
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
    void judgesUsersOfACycleAfterTheCycle() {
        givesTrueReasons(Asked.of(754, 5, 8));
        givesTrueReasons(Asked.of(10448, 5, 8));
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
    void choosesModulesThatLoadAndBreakNothing(@ForAll("large") Asked asked) {
        SubsetQuestion question = asked.question();
        ExportRowCache rows = new ExportRowCache(question.target().exports());
        Selection selection = choose(question);
        Set<Integer> chosen = chosen(selection);

        SubsetWorld environment = new SubsetWorld(question, chosen, rows);
        assertThat(environment.refused()).isEmpty();
        assertThat(environment.broken(new SubsetWorld(question, Set.of(), rows)))
                .isEmpty();
        assertThat(isSet(question, chosen)).isTrue();
        assertThat(selection.decisions())
                .extracting(LinkDecision::status)
                .doesNotHaveAnyElementsOfTypes(TrialOutcome.Fits.class);
    }

    private static Selection choose(SubsetQuestion question) {
        return MaximalSubset.choose(
                question, new ExportRowCache(question.target().exports()), 1);
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

    /** Returns whether a set contains at most one build of each name, and only whole groups. */
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

    /**
     * Returns the chosen candidates and this candidate with its group; the new candidates replace chosen builds of the
     * same names.
     */
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
