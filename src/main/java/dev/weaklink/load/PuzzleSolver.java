package dev.weaklink.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the best solution of a {@link Puzzle}: most candidates, then the lowest ranks of preference
 * in sum, then the first names. Variables that no open demand connects are solved apart. Each part
 * is searched by branch and bound; the search of a part ends early after a fixed amount of work,
 * with the best that was found until then, which satisfies all demands but may not be the best.
 */
final class PuzzleSolver {
  /** What part of the work that is left one part of the puzzle may take. */
  private static final int SHARE = 4;

  private final Puzzle puzzle;
  private final Domains domains;
  private final WorkLimit limit;
  private boolean complete = true;

  PuzzleSolver(Puzzle puzzle, WorkLimit limit) {
    this.limit = limit;
    this.puzzle = puzzle;
    this.domains = new Domains(puzzle);
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
    for (PuzzlePart part : parts()) {
      long before = domains.work();
      complete &= part.solve(domains, before + limit.left() / SHARE);
      limit.use(domains.work() - before);
    }
    int[] solution = new int[puzzle.variables()];
    for (int v = 0; v < solution.length; v++) {
      solution[v] = domains.best(v);
    }
    return solution;
  }

  /** Whether the solution is known to be the best. */
  boolean isComplete() {
    return complete;
  }

  /** Undecided variables that open demands connect, in the order of their first names. */
  private List<PuzzlePart> parts() {
    int[] leader = new int[puzzle.variables()];
    Arrays.setAll(leader, v -> v);
    List<int[]> open = new ArrayList<>();
    for (int[] demand : puzzle.demands()) {
      if (!domains.isMet(demand)) {
        open.add(demand);
        join(demand, leader);
      }
    }
    PuzzlePart[] parts = new PuzzlePart[leader.length];
    List<PuzzlePart> inOrder = new ArrayList<>();
    for (int v = 0; v < leader.length; v++) {
      if (!domains.isDecided(v)) {
        int l = leader(leader, v);
        if (parts[l] == null) {
          parts[l] = new PuzzlePart(puzzle);
          inOrder.add(parts[l]);
        }
        parts[l].add(v);
      }
    }
    for (int[] demand : open) {
      parts[leader(leader, anyLeft(demand))].add(demand);
    }
    return inOrder;
  }

  private int anyLeft(int[] demand) {
    for (int value : demand) {
      if (!domains.isGone(value)) {
        return domains.variableOf(value);
      }
    }
    throw new IllegalStateException("a demand that cannot be met");
  }

  private void join(int[] demand, int[] leader) {
    int first = leader(leader, anyLeft(demand));
    for (int value : demand) {
      if (!domains.isGone(value)) {
        leader[leader(leader, domains.variableOf(value))] = first;
      }
    }
  }

  private static int leader(int[] leader, int variable) {
    int l = variable;
    while (leader[l] != l) {
      leader[l] = leader[leader[l]];
      l = leader[l];
    }
    return l;
  }
}
