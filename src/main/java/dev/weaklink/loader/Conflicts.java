package dev.weaklink.loader;

import dev.weaklink.loader.BestSubset.SubsetScene;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What the loader's objections to a choice mean for the {@link ConstraintProblem}. */
final class Conflicts {
    private final SubsetScene scene;
    private final Builds builds;
    private final ConstraintProblem problem;
    private final ChosenEnvironment environment;
    private final Choice choice;

    Conflicts(SubsetScene scene, ConstraintProblem problem, ChosenEnvironment environment, Choice choice) {
        this.scene = scene;
        this.builds = scene.builds();
        this.problem = problem;
        this.environment = environment;
        this.choice = choice;
    }

    /**
     * Something has to be different among all that each offence depends on. Excludes nothing but choices in which one
     * of the violators offends again.
     */
    void learn(List<Integer> violators) {
        ConflictExplanation grounds = new ConflictExplanation(scene, environment, choice);
        for (int violator : roots(violators)) {
            BitSet satisfying = new BitSet();
            BitSet names = grounds.of(violator);
            for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
                if (builds.candidatesOf(n).length > 0) {
                    problem.addOthers(satisfying, n, current(n));
                }
            }
            problem.demand(satisfying);
        }
    }

    private int current(int name) {
        return choice.isReplaced(name) ? problem.value(choice.candidate(name)) : problem.ownValue(name);
    }

    /** Rules offending candidates out, and those whose presence makes own modules offend. */
    void giveUp(List<Integer> violators) {
        ConflictExplanation grounds = new ConflictExplanation(scene, environment, choice);
        for (int violator : roots(violators)) {
            if (builds.isCandidate(violator)) {
                problem.demand(new BitSet(), violator);
                continue;
            }
            BitSet names = grounds.of(violator);
            for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
                if (choice.isReplaced(n)) {
                    problem.demand(new BitSet(), choice.candidate(n));
                }
            }
        }
    }

    /** Those that do not just follow another one; all if they follow each other in circles. */
    private List<Integer> roots(List<Integer> violators) {
        BitSet names = new BitSet();
        violators.forEach(violator -> names.set(builds.nameOf(violator)));
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

    /**
     * What an offence rests on: names such that a module offends in every lawful environment that has the same builds
     * of these. All that a verdict can depend on is always an answer; often one symbol and its exporters are enough.
     */
    private static final class ConflictExplanation {
        private final SubsetScene scene;
        private final Builds builds;
        private final SymbolDependencies influence;
        private final ChosenEnvironment environment;
        private final Choice choice;
        private final StandaloneVerdict nature;

        ConflictExplanation(SubsetScene scene, ChosenEnvironment environment, Choice choice) {
            this.scene = scene;
            this.builds = scene.builds();
            this.influence = scene.influence();
            this.environment = environment;
            this.choice = choice;
            this.nature = new StandaloneVerdict(builds.question().target(), scene.rows());
        }

        /** The fewest that are found. */
        BitSet of(int violator) {
            boolean own = !builds.isCandidate(violator);
            if (own && environment.verdict(violator).outcome() == Outcome.UNDETERMINED) {
                // whether that is an offence depends on all it uses
                return cone(violator);
            }
            return of(violator, new BitSet());
        }

        /**
         * The fewest on which its verdict rests.
         *
         * @param passed builds that wait for this one, and so one for another
         */
        private BitSet of(int build, BitSet passed) {
            if (passed.get(build)) {
                return name(build);
            }
            passed.set(build);
            Verdict verdict = environment.verdict(build);
            Effect effect = verdict.outcome() == Outcome.INCOMPATIBLE ? Effect.REFUSES : Effect.UNPROVEN;
            BitSet fewest = cone(build);
            boolean waits = false;
            for (Finding finding : verdict.findings()) {
                boolean dependency = finding.layer() == Layer.DEPENDENCY;
                if (finding.effect() == effect && !(waits && dependency)) {
                    waits |= dependency;
                    BitSet grounds = of(build, finding, passed);
                    fewest = grounds.cardinality() < fewest.cardinality() ? grounds : fewest;
                }
            }
            return fewest;
        }

        private BitSet of(int build, Finding finding, BitSet passed) {
            if (isOfItself(build, finding)) {
                return name(build);
            }
            int index = importOf(build, finding);
            List<Integer> present = index < 0 ? List.of() : presentExporters(build, index);
            if (index < 0 || present.size() > 1) {
                return cone(build);
            }
            int exporter = present.isEmpty() ? -1 : present.get(0);
            return switch (finding.layer()) {
                case SYMBOL_CRC, SYMBOL_VERSION, SYMBOL_MISSING, NAMESPACE -> exporters(build, index);
                case SYMBOL_GPL_ONLY ->
                    nature.isProprietary(builds.module(build)) ? exporters(build, index) : cone(build);
                case LICENSE ->
                    exporter >= 0
                                    && nature.isProprietary(builds.module(exporter))
                                    && nature.usesGplOnlyBefore(builds.module(build), index)
                            ? exporters(build, index)
                            : cone(build);
                case DEPENDENCY -> {
                    if (exporter >= 0 && !explains(exporter, finding)) {
                        yield cone(build);
                    }
                    BitSet grounds = exporters(build, index);
                    if (exporter >= 0 && !hasItsCone(exporter)) {
                        grounds.or(of(exporter, passed));
                    }
                    yield grounds;
                }
                default -> cone(build);
            };
        }

        /**
         * Whether what an exporter is like is why its user is refused, or open; in a circle of modules that wait for
         * each other it may be none of its own.
         */
        private boolean explains(int exporter, Finding finding) {
            Outcome outcome = environment.verdict(exporter).outcome();
            return finding.effect() == Effect.REFUSES
                    ? outcome == Outcome.INCOMPATIBLE
                    : outcome == Outcome.UNDETERMINED;
        }

        private boolean isOfItself(int build, Finding finding) {
            return !StandaloneVerdict.dependsOnOthers(finding.layer())
                    || (finding.layer() == Layer.SYMBOL_CRC
                            && finding.symbol() == null
                            && nature.isBlind(builds.module(build)));
        }

        /** Which import a finding is about; -1 if none, or a weak one, which it takes more to explain. */
        private int importOf(int build, Finding finding) {
            String symbol = finding.symbol();
            if (symbol == null) {
                return -1;
            }
            KernelModule module = builds.module(build);
            int index = module.imports().names().indexOf(symbol);
            return index >= 0 && module.imports().weak().get(index) ? -1 : index;
        }

        /** Others in place that export what it imports, in the order they are asked. */
        private List<Integer> presentExporters(int build, int index) {
            List<Integer> present = new ArrayList<>();
            ModuleEnvironment all = influence.everything();
            SymbolNames names = builds.module(build).imports().names();
            for (int o = all.offer(names, index); o != ModuleEnvironment.NONE; o = all.nextOffer(o)) {
                int exporter = all.memberIndex(o);
                if (environment.member(exporter) != null && builds.nameOf(exporter) != builds.nameOf(build)) {
                    present.add(exporter);
                }
            }
            return present;
        }

        /** A module and all that export a symbol it takes, in any build. */
        private BitSet exporters(int build, int index) {
            BitSet names = influence.exporters(build, index);
            BitSet grounds = (BitSet) names.clone();
            for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
                for (int present : choice.present(n)) {
                    if (hasItsCone(present)) {
                        grounds.or(cone(present));
                    }
                }
            }
            grounds.set(builds.nameOf(build));
            return grounds;
        }

        /** Whether all it depends on is among the grounds if it is: it need not load to be lawful. */
        private boolean hasItsCone(int build) {
            return !builds.isCandidate(build) && !scene.invariants().isProtected(build);
        }

        private BitSet cone(int build) {
            return influence.cone(name(build), choice);
        }

        private BitSet name(int build) {
            BitSet name = new BitSet();
            name.set(builds.nameOf(build));
            return name;
        }
    }
}
