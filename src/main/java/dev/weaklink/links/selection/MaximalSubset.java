package dev.weaklink.links.selection;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.links.selection.Selection.LinkDecision;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Loader;
import dev.weaklink.loader.ModuleEnvironment;
import dev.weaklink.loader.StandaloneVerdict;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Chooses the {@link Candidate} builds to link, so that three conditions hold. The verdict on each chosen candidate is
 * acceptable. No in-tree module that loads today stops loading, except {@link SubsetQuestion#mayBreak}. No further
 * candidate, with its group, could be added.
 *
 * <p>For each module, the search starts with the preferred build among those that could load at all. Then it removes
 * candidates until the first two conditions hold. Last, it adds removed candidates that fit after all. The result need
 * not be the largest possible set.
 */
public final class MaximalSubset {
    private static final int WORTH_A_THREAD = 64;

    private final SubsetScene scene;
    private final NumberedModules builds;
    private final int threads;
    private final boolean[] hopeless;

    private MaximalSubset(SubsetQuestion question, ExportRowCache rows, int threads) {
        this.threads = threads;
        builds = new NumberedModules(question);
        rows.prepare(builds.modules(), threads);
        SymbolDependencies influence = new SymbolDependencies(builds, rows);
        ChosenEnvironment own = ChosenEnvironment.of(builds, NameChoice.none(builds), rows, threads);
        scene = new SubsetScene(builds, influence, new LoadInvariants(builds, own), rows);
        hopeless = hopeless(own);
    }

    /**
     * Chooses the candidates to link. Of several builds of one module, the first is preferred.
     *
     * @param rows cached export lookups, shared with other verdicts on these modules
     */
    public static Selection choose(SubsetQuestion question, ExportRowCache rows, int threads) {
        return new MaximalSubset(question, rows, threads).choose();
    }

    /** Returns the builds that can be chosen: all builds except those that are refused whatever else is linked. */
    public static List<KernelModule> possible(
            TargetKernel target, Collection<KernelModule> builds, ExportRowCache rows) {
        ModuleEnvironment vmlinux = new ModuleEnvironment(target, List.of(), Set.of(), rows);
        StandaloneVerdict nature = new StandaloneVerdict(target, rows);
        Loader loader = new Loader(vmlinux);
        List<KernelModule> possible = new ArrayList<>();
        for (KernelModule build : builds) {
            if (!nature.isHopeless(loader.verdict(build), true)) {
                possible.add(build);
            }
        }
        return possible;
    }

    private boolean[] hopeless(ChosenEnvironment own) {
        boolean[] found = new boolean[builds.question().candidates().size()];
        StandaloneVerdict nature = new StandaloneVerdict(builds.question().target(), scene.rows());
        Workers.start(found.length, found.length < WORTH_A_THREAD ? 1 : threads, () -> {
                    Loader loader = new Loader(own.environment());
                    return c -> {
                        boolean acceptUndetermined = builds.candidate(c).acceptUndetermined();
                        found[c] = nature.isHopeless(loader.verdict(builds.module(c)), acceptUndetermined);
                    };
                })
                .finish();
        return found;
    }

    private Selection choose() {
        NameChoice choice = withoutOffenders(mostPreferred());
        while (true) {
            List<LinkDecision> decisions = decisions(choice);
            NameChoice more = withFitting(choice, decisions);
            if (more == choice) {
                return new Selection(decisions);
            }
            choice = more;
        }
    }

    private NameChoice mostPreferred() {
        List<Integer> chosen = new ArrayList<>();
        BitSet names = new BitSet();
        for (int c = 0; c < hopeless.length; c++) {
            List<Integer> unit = builds.unit(c);
            if (unit.stream().noneMatch(member -> hopeless[member] || names.get(builds.nameOf(member)))) {
                unit.forEach(member -> names.set(builds.nameOf(member)));
                chosen.addAll(unit);
            }
        }
        return NameChoice.none(builds).with(chosen);
    }

    private NameChoice withoutOffenders(NameChoice start) {
        NameChoice choice = start;
        while (true) {
            // Only verdicts on in-tree modules that depend on a candidate can change.
            BitSet names = choice.replacedNames();
            names = scene.influence().cone(scene.influence().dependants(names, choice), choice);
            ChosenEnvironment environment = ChosenEnvironment.of(builds, choice, names, scene.rows(), threads);
            List<Integer> violators = scene.invariants().violators(environment, choice, names);
            if (violators.isEmpty()) {
                return choice;
            }
            choice = choice.without(new Offenders(scene, environment, choice).of(violators));
        }
    }

    private NameChoice withFitting(NameChoice start, List<LinkDecision> decisions) {
        NameChoice choice = start;
        for (int c = 0; c < decisions.size(); c++) {
            if (decisions.get(c).status() instanceof TrialOutcome.Fits && !choice.isReplaced(builds.nameOf(c))) {
                Substitution trial = Substitution.of(scene, choice, c);
                choice = trial.isGain() ? trial.choice() : choice;
            }
        }
        return choice;
    }

    private List<LinkDecision> decisions(NameChoice choice) {
        ChosenEnvironment environment = ChosenEnvironment.of(builds, choice, scene.rows(), threads);
        LinkDecision[] decisions = new LinkDecision[hopeless.length];
        Workers.start(decisions.length, decisions.length < WORTH_A_THREAD ? 1 : threads, () -> {
                    ExclusionReasons trials = new ExclusionReasons(scene, choice, environment);
                    return c -> decisions[c] = trials.decision(c);
                })
                .finish();
        return List.of(decisions);
    }

    private record Offenders(SubsetScene scene, ChosenEnvironment environment, NameChoice choice) {

        List<Integer> of(List<Integer> violators) {
            List<Integer> roots = roots(violators);
            BitSet offenders = new BitSet();
            roots.stream().filter(builds()::isCandidate).forEach(offenders::set);
            if (offenders.isEmpty()) {
                // An in-tree module violates an invariant because of the candidates that it imports symbols from.
                roots.forEach(own -> addChosen(scene.influence().sources(own), offenders));
            }
            if (offenders.isEmpty()) {
                addChosen(choice.replacedNames().stream().toArray(), offenders);
            }
            List<Integer> units = new ArrayList<>();
            offenders.stream().forEach(offender -> units.addAll(builds().unit(offender)));
            return units;
        }

        private NumberedModules builds() {
            return scene.builds();
        }

        private void addChosen(int[] names, BitSet chosen) {
            for (int name : names) {
                if (choice.isReplaced(name)) {
                    chosen.set(choice.candidate(name));
                }
            }
        }

        /**
         * Returns the modules that violate an invariant for reasons of their own. Leaves out a module that fails only
         * because of its dependencies, if one of these violates an invariant too. Returns all violators if none would
         * remain.
         */
        private List<Integer> roots(List<Integer> violators) {
            BitSet names = new BitSet();
            violators.forEach(violator -> names.set(builds().nameOf(violator)));
            List<Integer> roots = new ArrayList<>();
            for (int violator : violators) {
                if (!followsOthers(violator, names)) {
                    roots.add(violator);
                }
            }
            return roots.isEmpty() ? violators : roots;
        }

        private boolean followsOthers(int violator, BitSet names) {
            for (Finding finding : environment.verdict(violator).findings()) {
                if (finding.effect() != Finding.Effect.NOTE && finding.layer() != Layer.DEPENDENCY) {
                    return false;
                }
            }
            for (int source : scene.influence().sources(violator)) {
                if (names.get(source)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Determines why candidates were not chosen, if necessary by a trial that adds the candidate to the chosen set. */
    private static final class ExclusionReasons {
        private final SubsetScene scene;
        private final NumberedModules builds;
        private final SymbolDependencies influence;
        private final NameChoice chosen;
        private final ChosenEnvironment environment;
        private final Loader loader;

        ExclusionReasons(SubsetScene scene, NameChoice chosen, ChosenEnvironment environment) {
            this.scene = scene;
            this.builds = scene.builds();
            this.influence = scene.influence();
            this.chosen = chosen;
            this.environment = environment;
            this.loader = new Loader(environment.environment());
        }

        LinkDecision decision(int candidate) {
            Candidate subject = builds.candidate(candidate);
            if (chosen.isChosen(candidate)) {
                return new LinkDecision(subject, environment.verdict(candidate), new TrialOutcome.Chosen());
            }
            if (isEasilyJudged(candidate)) {
                Verdict verdict = loader.verdict(subject.module());
                if (!subject.accepts(verdict)
                        && chosenExporters(candidate, verdict, chosen).isEmpty()) {
                    return new LinkDecision(subject, verdict, new TrialOutcome.Refused());
                }
            }
            Substitution trial = Substitution.of(scene, chosen, candidate);
            Verdict verdict = trial.environment().verdict(candidate);
            return new LinkDecision(subject, verdict, status(candidate, trial, verdict));
        }

        private boolean isEasilyJudged(int candidate) {
            int name = builds.nameOf(candidate);
            if (builds.candidate(candidate).group() != null
                    || (chosen.isReplaced(name)
                            && builds.unit(chosen.candidate(name)).size() > 1)) {
                return false;
            }
            BitSet used = new BitSet();
            for (int source : influence.sources(candidate)) {
                used.set(source);
            }
            return !influence.cone(used, chosen).get(name);
        }

        private TrialOutcome status(int candidate, Substitution trial, Verdict verdict) {
            if (trial.violators().contains(candidate)) {
                List<Integer> with = keptOutBy(candidate, trial, verdict);
                return with.isEmpty() ? new TrialOutcome.Refused() : new TrialOutcome.Conflicts(with);
            }
            List<Integer> others = new ArrayList<>(trial.unit());
            others.retainAll(trial.violators());
            if (!others.isEmpty()) {
                return new TrialOutcome.GroupFails(others);
            }
            if (trial.violators().isEmpty()) {
                return trial.isGain() ? new TrialOutcome.Fits() : new TrialOutcome.Outrivalled(trial.displaced());
            }
            return consequences(candidate, trial);
        }

        private TrialOutcome consequences(int candidate, Substitution trial) {
            BitSet mine = dependants(candidate, trial.choice());
            List<String> broken = new ArrayList<>();
            List<Integer> conflicts = new ArrayList<>();
            for (int violator : trial.violators()) {
                if (mine.get(builds.nameOf(violator))) {
                    if (builds.isCandidate(violator)) {
                        conflicts.add(violator);
                    } else {
                        broken.add(builds.module(violator).name());
                    }
                }
            }
            if (!conflicts.isEmpty()) {
                return new TrialOutcome.Conflicts(conflicts);
            }
            if (!broken.isEmpty()) {
                return new TrialOutcome.Breaks(broken);
            }
            List<Integer> because = blamed(trial);
            return because.isEmpty()
                    ? new TrialOutcome.Outrivalled(trial.displaced())
                    : new TrialOutcome.GroupFails(because);
        }

        private List<Integer> blamed(Substitution trial) {
            List<Integer> because = new ArrayList<>();
            for (int build : trial.unit()) {
                BitSet dependants = dependants(build, trial.choice());
                for (int violator : trial.violators()) {
                    if (dependants.get(builds.nameOf(violator)) && !because.contains(build)) {
                        because.add(build);
                    }
                }
            }
            return because;
        }

        private BitSet dependants(int build, NameChoice choice) {
            BitSet name = new BitSet();
            name.set(builds.nameOf(build));
            return influence.dependants(name, choice);
        }

        private List<Integer> keptOutBy(int candidate, Substitution trial, Verdict verdict) {
            List<Integer> with = chosenExporters(candidate, verdict, trial.choice());
            if (with.isEmpty()) {
                return with;
            }
            Substitution second = Substitution.of(scene, trial.choice().without(with), List.of(candidate), with);
            return second.violators().contains(candidate) ? List.of() : with;
        }

        private List<Integer> chosenExporters(int candidate, Verdict verdict, NameChoice choice) {
            List<Integer> exporters = new ArrayList<>();
            for (Finding finding : verdict.findings()) {
                int name = finding.exporter() == null ? -1 : builds.number(finding.exporter());
                if (finding.effect() == Finding.Effect.REFUSES && name >= 0 && choice.isReplaced(name)) {
                    int exporter = choice.candidate(name);
                    if (!exporters.contains(exporter)) {
                        exporters.add(exporter);
                    }
                }
            }
            exporters.removeAll(builds.unit(candidate));
            exporters.sort(null);
            return exporters;
        }
    }

    /**
     * A trial that adds a candidate, with its group, to a chosen set.
     *
     * @param unit the candidate and its group
     * @param displaced the chosen candidates that the trial removes, such as other builds of the unit's modules
     * @param choice the chosen candidates after the trial
     * @param environment the verdicts that the change can affect
     * @param violators the modules that violate the invariants after the trial
     */
    private record Substitution(
            List<Integer> unit,
            List<Integer> displaced,
            NameChoice choice,
            ChosenEnvironment environment,
            List<Integer> violators) {

        static Substitution of(SubsetScene scene, NameChoice chosen, int candidate) {
            List<Integer> unit = scene.builds().unit(candidate);
            List<Integer> displaced = displaced(scene.builds(), chosen, unit);
            return of(scene, chosen.without(displaced).with(unit), unit, displaced);
        }

        /**
         * Judges a set of candidates that is made from a valid set by adding and removing some candidates. Only modules
         * that this change can affect are judged.
         */
        static Substitution of(SubsetScene scene, NameChoice choice, List<Integer> added, List<Integer> removed) {
            BitSet changed = new BitSet();
            added.forEach(build -> changed.set(scene.builds().nameOf(build)));
            removed.forEach(build -> changed.set(scene.builds().nameOf(build)));
            SymbolDependencies influence = scene.influence();
            BitSet names = influence.cone(influence.dependants(changed, choice), choice);
            ChosenEnvironment environment = ChosenEnvironment.of(scene.builds(), choice, names, scene.rows(), 1);
            return new Substitution(
                    added, removed, choice, environment, scene.invariants().violators(environment, choice, names));
        }

        private static List<Integer> displaced(NumberedModules builds, NameChoice chosen, List<Integer> unit) {
            BitSet displaced = new BitSet();
            for (int build : unit) {
                int name = builds.nameOf(build);
                if (chosen.isReplaced(name)) {
                    builds.unit(chosen.candidate(name)).forEach(displaced::set);
                }
            }
            List<Integer> list = new ArrayList<>();
            displaced.stream().forEach(list::add);
            return list;
        }

        boolean isGain() {
            return displaced.isEmpty() && violators.isEmpty();
        }
    }

    record SubsetScene(
            NumberedModules builds, SymbolDependencies influence, LoadInvariants invariants, ExportRowCache rows) {}

    /**
     * The modules to choose from, and the kernel. Immutable.
     *
     * @param target the kernel to link the modules for
     * @param candidates the available builds; of several builds of one module, the first is preferred
     * @param inTreeModules the target's own modules to check: modules that candidates may need, all direct and indirect
     *     users of modules with a candidate's name, and modules that these users need
     * @param unreadable the names of modules that could not be read; a chosen candidate of such a name replaces the
     *     module
     * @param mayBreak the names of the target's own modules that may stop loading
     */
    public record SubsetQuestion(
            TargetKernel target,
            List<Candidate> candidates,
            List<KernelModule> inTreeModules,
            Set<String> unreadable,
            Set<String> mayBreak) {

        /**
         * Creates an immutable question.
         *
         * @throws IllegalArgumentException if a group contains two builds of one name
         */
        public SubsetQuestion {
            candidates = List.copyOf(candidates);
            inTreeModules = List.copyOf(inTreeModules);
            unreadable = Set.copyOf(unreadable);
            mayBreak = Set.copyOf(mayBreak);
            Set<List<String>> seen = new HashSet<>();
            for (Candidate candidate : candidates) {
                String group = candidate.group();
                if (group != null && !seen.add(List.of(group, candidate.name()))) {
                    throw new IllegalArgumentException("group " + group + " holds two builds of " + candidate.name());
                }
            }
        }
    }
}
