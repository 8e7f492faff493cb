package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What the loader's objections to a choice mean for the {@link ConstraintProblem}. */
final class Conflicts {
  private final SubsetScene scene;
  private final Builds builds;
  private final ConstraintProblem problem;
  private final ChosenEnvironment world;
  private final Choice choice;

  Conflicts(SubsetScene scene, ConstraintProblem problem, ChosenEnvironment world, Choice choice) {
    this.scene = scene;
    this.builds = scene.builds();
    this.problem = problem;
    this.world = world;
    this.choice = choice;
  }

  /**
   * Something has to be different among all that each offence depends on. Excludes nothing but
   * choices in which one of the offenders offends again.
   */
  void learn(List<Integer> offenders) {
    ConflictExplanation grounds = new ConflictExplanation(scene, world, choice);
    for (int offender : roots(offenders)) {
      BitSet satisfying = new BitSet();
      BitSet names = grounds.of(offender);
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
  void giveUp(List<Integer> offenders) {
    ConflictExplanation grounds = new ConflictExplanation(scene, world, choice);
    for (int offender : roots(offenders)) {
      if (builds.isCandidate(offender)) {
        problem.demand(new BitSet(), offender);
        continue;
      }
      BitSet names = grounds.of(offender);
      for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
        if (choice.isReplaced(n)) {
          problem.demand(new BitSet(), choice.candidate(n));
        }
      }
    }
  }

  /** Those that do not just follow another one; all if they follow each other in circles. */
  private List<Integer> roots(List<Integer> offenders) {
    BitSet names = new BitSet();
    offenders.forEach(offender -> names.set(builds.nameOf(offender)));
    List<Integer> roots = new ArrayList<>();
    for (int offender : offenders) {
      if (!followsOthers(offender, names)) {
        roots.add(offender);
      }
    }
    return roots.isEmpty() ? offenders : roots;
  }

  private boolean followsOthers(int offender, BitSet names) {
    for (Finding finding : world.verdict(offender).findings()) {
      if (finding.effect() != Finding.Effect.NOTE && finding.layer() != Layer.DEPENDENCY) {
        return false;
      }
    }
    for (int source : scene.influence().sources(offender)) {
      if (names.get(source)) {
        return true;
      }
    }
    return false;
  }
}
