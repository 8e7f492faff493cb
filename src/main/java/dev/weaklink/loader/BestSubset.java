package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Selection.Decision;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The question behind links: which candidates to put in the place of the target's modules, so that
 * each of them loads and no own module of the target that loads today stops loading. Pure.
 *
 * <p>The largest such set is no fixpoint: one candidate may need another, or need that it stays
 * away, and so may the target's own modules. What follows from imports, exports and CRCs makes a
 * {@link ConstraintProblem}, whose best solution is judged by the loader; what the loader objects
 * to, and all that its objection can depend on, is one more demand, and so on until it objects to
 * nothing. As no demand ever excludes a set that obeys the laws, the first that passes is the best.
 * If that takes too many rounds, candidates that still offend are given up: the laws hold
 * nevertheless, but {@link Selection#largest()} is false.
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
   * Chooses. Of several largest sets it is the one with the most preferred builds (the lowest sum
   * of their ranks among the builds of their names), and of several of these the one that has the
   * first name, in alphabetical order, that not all of them have.
   *
   * @param rows lookups to share with others that judge these modules
   * @param threads how many threads judge
   */
  public static Selection choose(SubsetQuestion question, KernelRows rows, int threads) {
    return new BestSubset(question, rows, threads).choose();
  }

  /** Those of these builds that vmlinux alone does not refuse; no others are ever chosen. */
  public static List<KernelModule> possible(
      TargetKernel target, Collection<KernelModule> builds, KernelRows rows) {
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
        if (scene.laws().isProtected(b)) {
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
    Workers.start(
            found.length,
            found.length < WORTH_A_THREAD ? 1 : threads,
            () -> {
              Loader loader = new Loader(own.world());
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
      ChosenEnvironment world = ChosenEnvironment.of(builds, choice, scene.rows(), threads);
      List<Integer> offenders = scene.laws().offenders(world, choice, all);
      largest &= solver.isComplete();
      if (offenders.isEmpty()) {
        return largest ? explained(choice, world) : explained(filled(choice));
      }
      Conflicts objections = new Conflicts(scene, problem, world, choice);
      if (round < rounds && limit.left() > 0) {
        objections.learn(offenders);
      } else {
        largest = false;
        objections.giveUp(offenders);
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
          Trial trial = Trial.of(scene, filled, c);
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

  private Selection explained(Choice choice, ChosenEnvironment world) {
    Decision[] decisions = new Decision[builds.question().candidates().size()];
    Workers.start(
            decisions.length,
            decisions.length < WORTH_A_THREAD ? 1 : threads,
            () -> {
              ExclusionReasons trials = new ExclusionReasons(scene, choice, world);
              return c -> decisions[c] = trials.decision(c);
            })
        .finish();
    return new Selection(List.of(decisions), largest);
  }
}
