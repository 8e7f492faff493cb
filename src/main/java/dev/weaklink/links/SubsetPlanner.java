package dev.weaklink.links;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.links.CandidateFilter.Entry;
import dev.weaklink.links.CandidateFilter.LinkGroup;
import dev.weaklink.links.CandidateFilter.Withheld;
import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.Decision;
import dev.weaklink.links.plan.Decision.LinkBlocker;
import dev.weaklink.links.selection.Candidate;
import dev.weaklink.links.selection.Selection;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.ModulesDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Chooses the builds to link on a kernel, and records the reason for each decision. */
final class SubsetPlanner {
    private final LinkSimulation kernel;
    private final List<KernelModule> involved;
    private final Set<String> unreadable;
    private final Map<Offer, Decision> decisions = new IdentityHashMap<>();

    private SubsetPlanner(LinkSimulation kernel, List<KernelModule> involved, Set<String> unreadable) {
        this.kernel = kernel;
        this.involved = involved;
        this.unreadable = unreadable;
    }

    static SubsetPlanner make(
            InstalledTarget view, OutOfTreeBuilds all, CandidateFilter list, ModulesDirectory directory, int threads) {
        List<Offer> offers = new ArrayList<>();
        list.entries().forEach(entry -> offers.add(entry.offer()));
        list.withheld().forEach(out -> offers.add(out.offer()));
        List<KernelModule> builds = OutOfTreeBuilds.modules(offers);
        LinkSimulation kernel = new LinkSimulation(view, directory, threads);
        SubsetPlanner choice = new SubsetPlanner(kernel, kernel.involved(builds), all.unreadableOn(view));
        choice.decide(list, offers);
        return choice;
    }

    Decision decision(Offer offer) {
        Decision decision = decisions.get(offer);
        return decision != null
                ? decision
                : Decision.of(false, Outcome.UNDETERMINED, null, String.valueOf(offer.failure()));
    }

    /**
     * Chooses builds repeatedly until no rule objects to a chosen build. A rule may object because of a finding, an
     * undetermined verdict or a missing required module.
     */
    private void decide(CandidateFilter list, List<Offer> offers) {
        List<Entry> entries = new ArrayList<>(list.entries());
        List<Withheld> out = new ArrayList<>(list.withheld());
        Set<Entry> doubted = new HashSet<>();
        Set<String> mayBreak = CandidateFilter.mayBreak(entries);
        while (true) {
            Selection selection = select(entries, doubted, mayBreak);
            // A product's permission to break in-tree modules only counts if a module of this product is linked.
            if (mayBreak.retainAll(CandidateFilter.mayBreak(chosenEntries(entries, selection)))) {
                continue;
            }
            List<Withheld> raised = raised(entries, selection);
            out.addAll(raised);
            boolean changed = entries.removeIf(entry -> isAmong(entry.offer(), raised));
            if (changed || doubted.addAll(doubted(entries, selection))) {
                continue;
            }
            List<Withheld> unmet = list.unmet(entries, chosen(entries, selection));
            if (unmet.isEmpty()) {
                report(entries, selection);
                break;
            }
            out.addAll(unmet);
            entries.removeIf(entry -> isAmong(entry.offer(), unmet));
        }
        report(out, offers);
    }

    private static List<Withheld> raised(List<Entry> entries, Selection selection) {
        Map<LinkGroup, String> groups = new HashMap<>();
        List<Withheld> raised = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Selection.LinkDecision made = selection.decisions().get(i);
            Entry entry = entries.get(i);
            String why = made.chosen() ? entry.raised(made.verdict()) : null;
            if (why != null) {
                raised.add(new Withheld(entry.offer(), LinkBlocker.REBUILT, why));
                if (entry.group() != null) {
                    groups.putIfAbsent(entry.group(), entry.name() + ": " + why);
                }
            }
        }
        for (Entry entry : entries) {
            LinkGroup group = entry.group();
            String why = group == null ? null : groups.get(group);
            if (group != null && why != null && !isAmong(entry.offer(), raised)) {
                String reason = "other modules of this product cannot be linked: " + why;
                raised.add(new Withheld(entry.offer(), group.blocker(), reason));
            }
        }
        return raised;
    }

    private static List<Entry> doubted(List<Entry> entries, Selection selection) {
        List<Entry> doubted = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Selection.LinkDecision made = selection.decisions().get(i);
            if (made.chosen() && !entries.get(i).passes(made.verdict())) {
                doubted.add(entries.get(i));
            }
        }
        return doubted;
    }

    private Selection select(List<Entry> entries, Set<Entry> doubted, Set<String> mayBreak) {
        List<Candidate> candidates = new ArrayList<>();
        for (Entry entry : entries) {
            candidates.add(new Candidate(
                    entry.offer().module(),
                    entry.group() == null ? null : entry.group().name(),
                    entry.acceptUndetermined() || entry.passesSome() && !doubted.contains(entry)));
        }
        return kernel.choose(candidates, involved, unreadable, mayBreak);
    }

    private static List<Entry> chosenEntries(List<Entry> entries, Selection selection) {
        List<Entry> chosen = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            if (selection.decisions().get(i).chosen()) {
                chosen.add(entries.get(i));
            }
        }
        return chosen;
    }

    private static Set<String> chosen(List<Entry> entries, Selection selection) {
        Set<String> names = new HashSet<>();
        chosenEntries(entries, selection).forEach(entry -> names.add(entry.name()));
        return names;
    }

    private static boolean isAmong(Offer offer, List<Withheld> some) {
        return some.stream().anyMatch(one -> one.offer() == offer);
    }

    private void report(List<Entry> entries, Selection selection) {
        for (int i = 0; i < entries.size(); i++) {
            Selection.LinkDecision made = selection.decisions().get(i);
            Verdict verdict = made.verdict();
            String reason = reason(made, entries);
            Decision decision = Decision.of(made.chosen(), verdict.outcome(), verdict, reason);
            if (made.status() instanceof TrialOutcome.GroupFails fails) {
                decision = decision.blockedBy(blocker(entries.get(i), fails, selection), reason);
            } else if (made.status() instanceof TrialOutcome.Breaks) {
                decision = decision.blockedBy(LinkBlocker.BREAKING, reason);
            }
            decisions.put(entries.get(i).offer(), decision.noting(entries.get(i).note()));
        }
    }

    /**
     * Returns the blocker of a build whose group cannot be linked. If the group consists of builds that depend on one
     * another, a rebuild helps only if the loader refuses another build of the group.
     */
    private static LinkBlocker blocker(Entry entry, TrialOutcome.GroupFails fails, Selection selection) {
        LinkGroup group = entry.group();
        if (group == null || group.blocker() != LinkBlocker.PARTIAL) {
            return LinkBlocker.INCOMPLETE;
        }
        for (int other : fails.because()) {
            if (selection.decisions().get(other).verdict().outcome() == Outcome.INCOMPATIBLE) {
                return LinkBlocker.PARTIAL;
            }
        }
        return LinkBlocker.WITHHELD;
    }

    /**
     * Judges the withheld builds, each together with the other builds made for the same kernel. Of several builds of a
     * module for one kernel, only the first is judged. A refusal by the loader is reported instead of the reason for
     * withholding the build.
     */
    private void report(List<Withheld> out, List<Offer> offers) {
        Map<String, Map<String, Offer>> together = new LinkedHashMap<>();
        for (Withheld one : out) {
            together.put(one.offer().build().release(), new LinkedHashMap<>());
        }
        for (Offer offer : offers) {
            Map<String, Offer> named = together.get(offer.build().release());
            if (named != null) {
                named.putIfAbsent(offer.build().name(), offer);
            }
        }
        Map<KernelModule, Verdict> verdicts = new IdentityHashMap<>();
        for (Map<String, Offer> named : together.values()) {
            judge(named.values(), verdicts);
        }
        for (Withheld one : out) {
            Verdict verdict = verdicts.get(one.offer().module());
            Outcome outcome = verdict == null ? Outcome.UNDETERMINED : verdict.outcome();
            if (verdict != null && outcome == Outcome.INCOMPATIBLE) {
                // the loader's refusal takes precedence over a rule's
                decisions.put(one.offer(), Decision.of(false, outcome, verdict, VerdictReason.of(verdict)));
                continue;
            }
            decisions.put(
                    one.offer(),
                    Decision.of(false, outcome, verdict, one.reason()).blockedBy(one.blocker(), one.reason()));
        }
    }

    private void judge(Collection<Offer> offers, Map<KernelModule, Verdict> verdicts) {
        List<KernelModule> given = OutOfTreeBuilds.modules(offers);
        List<Verdict> found = kernel.sideBySide(given, involved, unreadable);
        for (int i = 0; i < given.size(); i++) {
            verdicts.put(given.get(i), found.get(i));
        }
    }

    private static String reason(Selection.LinkDecision decision, List<Entry> entries) {
        TrialOutcome status = decision.status();
        if (status instanceof TrialOutcome.Breaks breaks) {
            return "would load, but these in-tree modules would no longer load: " + String.join(", ", breaks.own());
        }
        if (status instanceof TrialOutcome.Conflicts conflicts) {
            return "conflicts with " + files(conflicts.with(), entries);
        }
        if (status instanceof TrialOutcome.GroupFails fails) {
            return "other modules of this product cannot be linked: " + files(fails.because(), entries);
        }
        if (status instanceof TrialOutcome.Outrivalled outrivalled) {
            return "another build is preferred: " + files(outrivalled.chosen(), entries);
        }
        return VerdictReason.of(decision.verdict());
    }

    private static String files(List<Integer> indexes, List<Entry> entries) {
        List<String> files = indexes.stream()
                .map(index -> entries.get(index).offer().build().inside())
                .toList();
        return String.join(", ", files);
    }
}
