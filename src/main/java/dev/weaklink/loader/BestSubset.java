package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.ComponentSearch.Components;
import dev.weaklink.loader.Selection.Decision;
import dev.weaklink.loader.Selection.TrialOutcome;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The question behind links: which candidates to put in the place of the target's modules, so that each of them loads
 * and no own module of the target that loads today stops loading. Pure.
 *
 * <p>The largest such set is no fixpoint: one candidate may need another, or need that it stays away, and so may the
 * target's own modules. What follows from imports, exports and CRCs makes a {@link ConstraintProblem}, whose best
 * solution is judged by the loader; what the loader objects to, and all that its objection can depend on, is one more
 * demand, and so on until it objects to nothing. As no demand ever excludes a set that obeys the invariants, the first
 * that passes is the best. If that takes too many rounds, candidates that still offend are given up: the invariants
 * hold nevertheless, but {@link Selection#largest()} is false.
 */
public final class BestSubset {
    /** Modules judged until candidates are given up. */
    private static final int JUDGEMENTS = 60_000;

    private static final int PASSES = 3;
    private static final int WORTH_A_THREAD = 64;
    private static final int FEWEST_ROUNDS = 12;
    private static final int ROUNDS_OF_GIVING_UP = 40;

    private final SubsetScene scene;
    private final Builds builds;
    private final int threads;
    private final ConstraintProblem problem;
    private final boolean[] hopeless;
    private boolean largest = true;

    private BestSubset(SubsetQuestion question, KernelRows rows, int threads) {
        this.threads = threads;
        builds = new Builds(question);
        rows.prepare(builds.modules(), threads);
        SymbolDependencies influence = new SymbolDependencies(builds, rows);
        ChosenEnvironment own = ChosenEnvironment.of(builds, Choice.none(builds), rows, threads);
        scene = new SubsetScene(builds, influence, new LoadInvariants(builds, own), rows);
        problem = new ConstraintProblem(builds);
        hopeless = hopeless(own);
        demand(own);
    }

    /**
     * Chooses. Of several largest sets it is the one with the most preferred builds (the lowest sum of their ranks
     * among the builds of their names), and of several of these the one that has the first name, in alphabetical order,
     * that not all of them have.
     *
     * @param rows lookups to share with others that judge these modules
     * @param threads how many threads judge
     */
    public static Selection choose(SubsetQuestion question, KernelRows rows, int threads) {
        return new BestSubset(question, rows, threads).choose();
    }

    /** Those of these builds that vmlinux alone does not refuse; no others are ever chosen. */
    public static List<KernelModule> possible(TargetKernel target, Collection<KernelModule> builds, KernelRows rows) {
        ModuleEnvironment vmlinux = new ModuleEnvironment(target, List.of(), Set.of(), rows);
        StandaloneVerdict nature = new StandaloneVerdict(target, rows);
        Loader loader = new Loader(vmlinux);
        List<KernelModule> possible = new ArrayList<>();
        for (KernelModule build : builds) {
            Verdict verdict = loader.judge(build, build.name()).verdict();
            if (!nature.isHopeless(new Candidate(build, null, true), verdict)) {
                possible.add(build);
            }
        }
        return possible;
    }

    private void demand(ChosenEnvironment own) {
        Constraints demands = new Constraints(builds, scene.influence(), problem);
        for (int b = 0; b < builds.size(); b++) {
            if (!builds.isCandidate(b)) {
                if (scene.invariants().isProtected(b)) {
                    demands.of(b, own.verdict(b).outcome() == Outcome.COMPATIBLE);
                }
            } else if (hopeless[b]) {
                problem.demand(new BitSet(), b);
            } else {
                demands.of(b, !builds.candidate(b).acceptUndetermined());
                demands.ofRivals(b);
            }
        }
    }

    /** Which candidates are refused whatever else is linked. */
    private boolean[] hopeless(ChosenEnvironment own) {
        boolean[] found = new boolean[builds.question().candidates().size()];
        StandaloneVerdict nature = new StandaloneVerdict(builds.question().target(), scene.rows());
        Workers.start(found.length, found.length < WORTH_A_THREAD ? 1 : threads, () -> {
                    Loader loader = new Loader(own.environment());
                    return c -> {
                        KernelModule module = builds.module(c);
                        Verdict verdict = loader.judge(module, module.name()).verdict();
                        found[c] = nature.isHopeless(builds.candidate(c), verdict);
                    };
                })
                .finish();
        return found;
    }

    private Selection choose() {
        BitSet all = new BitSet();
        all.set(0, builds.names());
        int rounds = Math.max(FEWEST_ROUNDS, JUDGEMENTS / Math.max(1, builds.size()));
        WorkLimit limit = new WorkLimit();
        for (int round = 0; round < rounds + ROUNDS_OF_GIVING_UP; round++) {
            ConstraintSolver solver = new ConstraintSolver(problem, limit);
            Choice choice = problem.choice(solver.solve());
            ChosenEnvironment environment = ChosenEnvironment.of(builds, choice, scene.rows(), threads);
            List<Integer> violators = scene.invariants().violators(environment, choice, all);
            largest &= solver.isComplete();
            if (violators.isEmpty()) {
                return largest ? explained(choice, environment) : explained(filled(choice));
            }
            Conflicts objections = new Conflicts(scene, problem, environment, choice);
            if (round < rounds && limit.left() > 0) {
                objections.learn(violators);
            } else {
                largest = false;
                objections.giveUp(violators);
            }
        }
        return explained(filled(Choice.none(builds)));
    }

    /** A choice with all that can be added one by one. */
    private Choice filled(Choice choice) {
        Choice filled = choice;
        for (int pass = 0; pass < PASSES; pass++) {
            Choice before = filled;
            for (int c = 0; c < builds.question().candidates().size(); c++) {
                if (!filled.isReplaced(builds.nameOf(c)) && !hopeless[c]) {
                    Substitution trial = Substitution.of(scene, filled, c);
                    filled = trial.isGain() ? trial.choice() : filled;
                }
            }
            if (filled == before) {
                break;
            }
        }
        return filled;
    }

    private Selection explained(Choice choice) {
        return explained(choice, ChosenEnvironment.of(builds, choice, scene.rows(), threads));
    }

    private Selection explained(Choice choice, ChosenEnvironment environment) {
        Decision[] decisions = new Decision[builds.question().candidates().size()];
        Workers.start(decisions.length, decisions.length < WORTH_A_THREAD ? 1 : threads, () -> {
                    ExclusionReasons trials = new ExclusionReasons(scene, choice, environment);
                    return c -> decisions[c] = trials.decision(c);
                })
                .finish();
        return new Selection(List.of(decisions), largest);
    }

    /**
     * Finds the best solution of a {@link ConstraintProblem}: most candidates, then the lowest ranks of preference in
     * sum, then the first names. Variables that no open demand connects are solved apart ({@link ComponentSearch}); the
     * search of each ends early after a fixed amount of work, with the best that was found until then, which satisfies
     * all demands but may not be the best.
     */
    private static final class ConstraintSolver {
        /** What part of the work that is left one part of the problem may take. */
        private static final int SHARE = 2;

        private final ConstraintProblem problem;
        private final CandidateDomains domains;
        private final WorkLimit limit;
        private boolean complete = true;

        ConstraintSolver(ConstraintProblem problem, WorkLimit limit) {
            this.limit = limit;
            this.problem = problem;
            this.domains = new CandidateDomains(problem);
        }

        /**
         * A value for each variable.
         *
         * @throws IllegalStateException if there is no solution, which cannot be: to choose nothing is one
         */
        int[] solve() {
            if (!domains.start()) {
                throw new IllegalStateException("to choose nothing has to be possible");
            }
            for (int[] component : components()) {
                long before = domains.work();
                complete &= new ComponentSearch(domains, component, before + limit.left() / SHARE).solve();
                limit.use(domains.work() - before);
            }
            int[] solution = new int[problem.variables()];
            for (int v = 0; v < solution.length; v++) {
                solution[v] = domains.best(v);
            }
            return solution;
        }

        /** Whether the solution is known to be the best. */
        boolean isComplete() {
            return complete;
        }

        /** Undecided variables that open demands connect. */
        private List<int[]> components() {
            int[] open = IntStream.range(0, problem.variables())
                    .filter(v -> !domains.isDecided(v))
                    .toArray();
            List<int[]> demands = new ArrayList<>();
            for (int[] demand : problem.demands()) {
                if (!domains.isMet(demand)) {
                    demands.add(demand);
                }
            }
            return Components.of(domains, open, demands);
        }
    }

    /** Why candidates were not chosen: each is put into the chosen set, to see what happens. */
    private static final class ExclusionReasons {
        private final SubsetScene scene;
        private final Builds builds;
        private final SymbolDependencies influence;
        private final Choice chosen;
        private final ChosenEnvironment environment;
        private final Loader loader;

        ExclusionReasons(SubsetScene scene, Choice chosen, ChosenEnvironment environment) {
            this.scene = scene;
            this.builds = scene.builds();
            this.influence = scene.influence();
            this.chosen = chosen;
            this.environment = environment;
            this.loader = new Loader(environment.environment());
        }

        /** What was decided about a candidate. */
        Decision decision(int candidate) {
            Candidate subject = builds.candidate(candidate);
            if (chosen.isChosen(candidate)) {
                return new Decision(subject, environment.verdict(candidate), new TrialOutcome.Chosen());
            }
            if (isEasilyJudged(candidate)) {
                Verdict verdict = loader.judge(subject.module(), subject.name()).verdict();
                if (!subject.accepts(verdict)
                        && chosenExporters(candidate, verdict, chosen).isEmpty()) {
                    return new Decision(subject, verdict, new TrialOutcome.Refused());
                }
            }
            Substitution trial = Substitution.of(scene, chosen, candidate);
            Verdict verdict = trial.environment().verdict(candidate);
            return new Decision(subject, verdict, status(candidate, trial, verdict));
        }

        /** Whether it changes nothing that its own verdict depends on. */
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
                return trial.isGain() ? new TrialOutcome.NotTried() : new TrialOutcome.Outrivalled(trial.displaced());
            }
            return consequences(candidate, trial);
        }

        /** What its presence does to others. */
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

        /** The members of a group that violators depend on. */
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

        private BitSet dependants(int build, Choice choice) {
            BitSet name = new BitSet();
            name.set(builds.nameOf(build));
            return influence.dependants(name, choice);
        }

        /** Chosen candidates without which a refused one would load. */
        private List<Integer> keptOutBy(int candidate, Substitution trial, Verdict verdict) {
            List<Integer> with = chosenExporters(candidate, verdict, trial.choice());
            if (with.isEmpty()) {
                return with;
            }
            Substitution second = Substitution.of(scene, trial.choice().without(with), List.of(candidate), with);
            return second.violators().contains(candidate) ? List.of() : with;
        }

        /** Chosen candidates whose symbols are refused, but for its own group. */
        private List<Integer> chosenExporters(int candidate, Verdict verdict, Choice choice) {
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
     * What would happen if a candidate, with its group, were put into a chosen set.
     *
     * @param unit the candidate and its group
     * @param displaced chosen candidates that have to go: other builds of these names, and their groups
     * @param choice the set that would be
     * @param environment as much of its environment as can differ
     * @param violators who breaks the invariants in it
     */
    private record Substitution(
            List<Integer> unit,
            List<Integer> displaced,
            Choice choice,
            ChosenEnvironment environment,
            List<Integer> violators) {

        /** Puts a candidate into a set that obeys the invariants. */
        static Substitution of(SubsetScene scene, Choice chosen, int candidate) {
            List<Integer> unit = scene.builds().unit(candidate);
            List<Integer> displaced = displaced(scene.builds(), chosen, unit);
            return of(scene, chosen.without(displaced).with(unit), unit, displaced);
        }

        /** Judges a set that differs in these from one that obeys the invariants, as far as it matters. */
        static Substitution of(SubsetScene scene, Choice choice, List<Integer> added, List<Integer> removed) {
            BitSet changed = new BitSet();
            added.forEach(build -> changed.set(scene.builds().nameOf(build)));
            removed.forEach(build -> changed.set(scene.builds().nameOf(build)));
            SymbolDependencies influence = scene.influence();
            BitSet names = influence.cone(influence.dependants(changed, choice), choice);
            ChosenEnvironment environment = ChosenEnvironment.of(scene.builds(), choice, names, scene.rows(), 1);
            return new Substitution(
                    added, removed, choice, environment, scene.invariants().violators(environment, choice, names));
        }

        private static List<Integer> displaced(Builds builds, Choice chosen, List<Integer> unit) {
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

        /** Whether the set would only grow, and obey the invariants. */
        boolean isGain() {
            return displaced.isEmpty() && violators.isEmpty();
        }
    }

    /**
     * How much work a search may do, in units that do not depend on the machine: so that the same question always has
     * the same answer.
     */
    private static final class WorkLimit {
        private static final long ALL = 60_000_000;

        private long left = ALL;

        void use(long amount) {
            left -= amount;
        }

        long left() {
            return Math.max(left, 0);
        }
    }

    /** What does not change while {@link BestSubset} searches. */
    record SubsetScene(Builds builds, SymbolDependencies influence, LoadInvariants invariants, KernelRows rows) {}

    /**
     * What {@link BestSubset} is to choose from. Immutable.
     *
     * @param target where they are to be linked
     * @param candidates the builds at hand; of several with one module name the earlier is preferred
     * @param natives own modules of the target: those the candidates may need, and those that take symbols from a
     *     module whose name a candidate has or that a candidate exports, directly or through others (all whose line in
     *     {@code modules.dep} names one); each with all it needs. Those left out are not protected
     * @param unreadable names of own modules of the target of which nothing could be read; a chosen candidate of such a
     *     name takes its place
     * @param mayBreak names of own modules that need not go on loading
     */
    public record SubsetQuestion(
            TargetKernel target,
            List<Candidate> candidates,
            List<KernelModule> natives,
            Set<String> unreadable,
            Set<String> mayBreak) {

        /**
         * Copies what it is given.
         *
         * @throws IllegalArgumentException if a group holds two builds of one name
         */
        public SubsetQuestion {
            candidates = List.copyOf(candidates);
            natives = List.copyOf(natives);
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
