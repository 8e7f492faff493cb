package dev.weaklink.load;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Variables of a {@link Puzzle} that have to be decided together, and the demands on them. */
final class PuzzlePart {
  private static final long NOTHING = -1;

  private final Puzzle puzzle;
  private final List<Integer> variables = new ArrayList<>();
  private final List<int[]> demands = new ArrayList<>();

  PuzzlePart(Puzzle puzzle) {
    this.puzzle = puzzle;
  }

  /** Adds a variable; in rising order. */
  void add(int variable) {
    variables.add(variable);
  }

  void add(int[] demand) {
    demands.add(demand);
  }

  /**
   * Decides all variables.
   *
   * @param limit amount of {@link Domains#work} at which the search ends
   * @return whether the best solution was found
   */
  boolean solve(Domains domains, long limit) {
    int start = domains.mark();
    long half = (domains.work() + limit) / 2;
    if (!settleGreedily(domains, half)) {
      domains.undo(start);
      chooseNothing(domains);
    }
    int[] solution = solution(domains);
    long reached = domains.bound();
    domains.undo(start);
    Search search = new Search(domains, limit, reached);
    boolean complete = search.run();
    domains.undo(start);
    for (int value : search.found ? search.solution : solution) {
      domains.assign(value);
    }
    return complete;
  }

  private int[] solution(Domains domains) {
    int[] solution = new int[variables.size()];
    for (int i = 0; i < solution.length; i++) {
      solution[i] = domains.best(variables.get(i));
    }
    return solution;
  }

  /** What satisfies all demands in any case. */
  private void chooseNothing(Domains domains) {
    for (int variable : variables) {
      domains.assign(puzzle.firstValue(variable));
    }
  }

  /** Gives each variable in turn the value that costs the others least; false in a dead end. */
  private boolean settleGreedily(Domains domains, long limit) {
    for (int variable : variables) {
      if (domains.isDecided(variable)) {
        continue;
      }
      int mark = domains.mark();
      int best = puzzle.firstValue(variable);
      long most = NOTHING;
      for (int rank = 1; rank <= size(variable); rank++) {
        int value = value(variable, rank);
        if (!domains.isGone(value) && domains.assign(value) && bound(domains) > most) {
          most = bound(domains);
          best = value;
        }
        domains.undo(mark);
        if (most > NOTHING && domains.work() > limit) {
          break;
        }
      }
      if (!domains.assign(best)) {
        return false;
      }
    }
    return true;
  }

  private int size(int variable) {
    return puzzle.firstValue(variable + 1) - puzzle.firstValue(variable);
  }

  /** Values in order of preference, from rank 1: the candidates, then the target's own. */
  private int value(int variable, int rank) {
    return puzzle.firstValue(variable) + rank % size(variable);
  }

  /**
   * More than this no solution can be worth: demands that have no variable in common, and of which
   * each can only be met at a loss, cost the sum of it.
   */
  private long bound(Domains domains) {
    long bound = domains.bound();
    BitSet used = new BitSet();
    for (int[] demand : demands) {
      domains.worked(1);
      long loss = loss(domains, demand, used);
      if (loss > 0) {
        bound -= loss;
        for (int value : demand) {
          if (!domains.isGone(value)) {
            used.set(domains.variableOf(value));
          }
        }
      }
    }
    return bound;
  }

  /** The least loss at which a demand can be met; 0 if that is counted elsewhere in part. */
  private static long loss(Domains domains, int[] demand, BitSet used) {
    long least = Long.MAX_VALUE;
    for (int value : demand) {
      if (!domains.isGone(value)) {
        if (domains.loss(value) == 0 || used.get(domains.variableOf(value))) {
          return 0;
        }
        least = Math.min(least, domains.loss(value));
      }
    }
    return least;
  }

  /** Depth first in the order of the names; what cannot be better than the best so far is left. */
  private final class Search {
    private final Domains domains;
    private final long limit;
    private final int[] rank;
    private final int[] mark;
    private int[] solution = new int[0];
    private boolean found;
    private long wanted;

    /**
     * A search.
     *
     * @param wanted what a solution has to be worth at least
     */
    Search(Domains domains, long limit, long wanted) {
      this.domains = domains;
      this.limit = limit;
      this.wanted = wanted;
      rank = new int[variables.size() + 1];
      mark = new int[variables.size() + 1];
    }

    /** Whether it came to its end. */
    boolean run() {
      int level = 0;
      open(level);
      while (level >= 0) {
        if (domains.work() > limit) {
          return false;
        }
        if (level == variables.size()) {
          solution = solution(domains);
          found = true;
          wanted = domains.bound() + 1;
          level--;
        } else if (next(level)) {
          open(++level);
        } else {
          level--;
        }
      }
      return true;
    }

    private void open(int level) {
      rank[level] = 0;
      mark[level] = domains.mark();
    }

    /** Tries the next value of a variable that leaves hope. */
    private boolean next(int level) {
      domains.undo(mark[level]);
      int variable = variables.get(level);
      while (++rank[level] <= size(variable)) {
        int value = value(variable, rank[level]);
        domains.worked(1);
        if (!domains.isGone(value)
            && domains.assign(value)
            && domains.bound() >= wanted
            && bound(domains) >= wanted) {
          return true;
        }
        domains.undo(mark[level]);
      }
      return false;
    }
  }
}
