package dev.weaklink.load;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The question behind links: which candidates to put in the place of the target's modules, so that
 * each of them loads and no own module of the target that loads today stops loading. Pure.
 *
 * <p>The largest such set is no fixpoint: one candidate may need another, or need that it stays
 * away, and so may the target's own modules. What follows from imports, exports and CRCs makes a
 * {@link Puzzle}, whose best solution is judged by the loader; what the loader objects to, and all
 * that its objection can depend on, is one more demand, and so on until it objects to nothing. As
 * no demand ever excludes a set that obeys the laws, the first that passes is the best. If that
 * takes too many rounds, candidates that still offend are given up: the laws hold nevertheless, but
 * {@link Selection#largest()} is false.
 */
public final class BestSubset {
  /** Modules judged until candidates are given up. */
  private static final int JUDGEMENTS = 200_000;

  private static final int FEWEST_ROUNDS = 12;
  private static final int ROUNDS_OF_GIVING_UP = 40;

  private final Builds builds;
  private final KernelRows rows;
  private final int threads;
  private final Influence influence;
  private final Puzzle puzzle;
  private final Laws laws;
  private boolean largest = true;

  private BestSubset(SubsetQuestion question, KernelRows rows, int threads) {
    this.rows = rows;
    this.threads = threads;
    builds = new Builds(question);
    rows.prepare(builds.modules(), threads);
    influence = new Influence(builds, rows);
    puzzle = new Puzzle(builds);
    ChoiceWorld own = ChoiceWorld.of(builds, Choice.none(builds), rows, threads);
    laws = new Laws(builds, own);
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

  private void demand(ChoiceWorld own) {
    Demands demands = new Demands(builds, influence, puzzle);
    Loader loader = new Loader(own.world());
    for (int b = 0; b < builds.size(); b++) {
      if (!builds.isCandidate(b)) {
        if (laws.isProtected(b)) {
          demands.of(b);
        }
      } else if (demands.isFinal(
          loader.judge(builds.module(b), builds.module(b).name()).verdict())) {
        puzzle.demand(new BitSet(), b);
      } else {
        demands.of(b);
      }
    }
  }

  private Selection choose() {
    BitSet all = new BitSet();
    all.set(0, builds.names());
    int rounds = Math.max(FEWEST_ROUNDS, JUDGEMENTS / Math.max(1, builds.size()));
    for (int round = 0; round < rounds + ROUNDS_OF_GIVING_UP; round++) {
      PuzzleSolver solver = new PuzzleSolver(puzzle);
      Choice choice = puzzle.choice(solver.solve());
      ChoiceWorld world = ChoiceWorld.of(builds, choice, rows, threads);
      List<Integer> offenders = laws.offenders(world, choice, all);
      if (offenders.isEmpty()) {
        largest &= solver.isComplete();
        return explained(choice, world);
      }
      Objections objections = new Objections(builds, influence, puzzle, world, choice);
      if (round < rounds) {
        objections.learn(offenders);
      } else {
        largest = false;
        objections.giveUp(offenders);
      }
    }
    largest = false;
    Choice none = Choice.none(builds);
    return explained(none, ChoiceWorld.of(builds, none, rows, threads));
  }

  private Selection explained(Choice choice, ChoiceWorld world) {
    Trials trials = new Trials(builds, influence, laws, rows, choice, world);
    List<Selection.Decision> decisions = new ArrayList<>();
    for (int c = 0; c < builds.question().candidates().size(); c++) {
      decisions.add(trials.decision(c));
    }
    return new Selection(decisions, largest);
  }
}
