package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds the best solution of a {@link ConstraintProblem}: most candidates, then the lowest ranks of
 * preference in sum, then the first names. Variables that no open demand connects are solved apart
 * ({@link ComponentSearch}); the search of each ends early after a fixed amount of work, with the
 * best that was found until then, which satisfies all demands but may not be the best.
 */
final class ConstraintSolver {
  /** What part of the work that is left one part of the problem may take. */
  private static final int SHARE = 2;

  private final ConstraintProblem problem;
  private final Domains domains;
  private final WorkLimit limit;
  private boolean complete = true;

  ConstraintSolver(ConstraintProblem problem, WorkLimit limit) {
    this.limit = limit;
    this.problem = problem;
    this.domains = new Domains(problem);
  }

  /**
   * A value for each variable.
   *
   * @throws IllegalStateException if there is no solution, which cannot be: to choose nothing is
   *     one
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
    int[] open =
        IntStream.range(0, problem.variables()).filter(v -> !domains.isDecided(v)).toArray();
    List<int[]> demands = new ArrayList<>();
    for (int[] demand : problem.demands()) {
      if (!domains.isMet(demand)) {
        demands.add(demand);
      }
    }
    return Components.of(domains, open, demands);
  }
}
