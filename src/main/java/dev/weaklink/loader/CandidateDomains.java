package dev.weaklink.loader;

import java.util.Arrays;
import java.util.List;

/**
 * Which values the variables of a {@link ConstraintProblem} can still have. Ruling out a value rules out what follows
 * from the demands; all of it can be taken back.
 */
final class CandidateDomains {
    /** What one more chosen candidate is worth, in units of one rank of preference. */
    private static final long CANDIDATE = 1L << 32;

    private final ConstraintProblem problem;
    private final List<int[]> demands;
    private final int[][] demandsOf;
    private final int[] variableOf;
    private final boolean[] gone;
    private final int[] left;
    private final int[] best;
    private final int[] trail;
    private int trailSize;
    private long bound;
    private long work;

    CandidateDomains(ConstraintProblem problem) {
        this.problem = problem;
        demands = problem.demands();
        variableOf = new int[problem.values()];
        gone = new boolean[problem.values()];
        trail = new int[problem.values()];
        left = new int[problem.variables()];
        best = new int[problem.variables()];
        demandsOf = demandsOf();
        for (int v = 0; v < left.length; v++) {
            int first = problem.firstValue(v);
            left[v] = problem.firstValue(v + 1) - first;
            Arrays.fill(variableOf, first, first + left[v], v);
            best[v] = bestLeft(v);
            bound += worth(best[v]);
        }
    }

    private int[][] demandsOf() {
        int[] counts = new int[problem.values()];
        for (int[] demand : demands) {
            for (int value : demand) {
                counts[value]++;
            }
        }
        int[][] lists = new int[counts.length][];
        for (int value = 0; value < counts.length; value++) {
            lists[value] = new int[counts[value]];
        }
        for (int d = 0; d < demands.size(); d++) {
            for (int value : demands.get(d)) {
                lists[value][--counts[value]] = d;
            }
        }
        return lists;
    }

    /** Draws the first conclusions; false if nothing satisfies all demands. */
    boolean start() {
        for (int d = 0; d < demands.size(); d++) {
            if (!revise(demands.get(d))) {
                return false;
            }
        }
        return conclude(0);
    }

    /** Makes a variable have a value; false if the demands then contradict each other. */
    boolean assign(int value) {
        int mark = trailSize;
        int variable = variableOf[value];
        for (int v = problem.firstValue(variable); v < problem.firstValue(variable + 1); v++) {
            if (v != value && !gone[v]) {
                remove(v);
            }
        }
        return conclude(mark);
    }

    private boolean conclude(int from) {
        for (int next = from; next < trailSize; next++) {
            for (int d : demandsOf[trail[next]]) {
                if (!revise(demands.get(d))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** If only one variable can still satisfy a demand, it has to. */
    private boolean revise(int[] demand) {
        work += demand.length;
        int only = -1;
        for (int value : demand) {
            int variable = variableOf[value];
            if (gone[value] || variable == only) {
                continue;
            }
            if (only >= 0 || left[variable] == 1) {
                return true;
            }
            only = variable;
        }
        if (only < 0) {
            return false;
        }
        for (int v = problem.firstValue(only); v < problem.firstValue(only + 1); v++) {
            if (!gone[v] && Arrays.binarySearch(demand, v) < 0) {
                remove(v);
            }
        }
        return true;
    }

    private void remove(int value) {
        int variable = variableOf[value];
        gone[value] = true;
        left[variable]--;
        trail[trailSize++] = value;
        if (best[variable] == value && left[variable] > 0) {
            best[variable] = bestLeft(variable);
            bound += worth(best[variable]) - worth(value);
        }
    }

    /** A point to come back to. */
    int mark() {
        return trailSize;
    }

    /** Takes back all that was done since a mark. */
    void undo(int mark) {
        while (trailSize > mark) {
            int value = trail[--trailSize];
            int variable = variableOf[value];
            gone[value] = false;
            left[variable]++;
            int better = bestLeft(variable);
            bound += worth(better) - worth(best[variable]);
            best[variable] = better;
        }
    }

    /** The preferred value left: the first candidate, or the target's own. */
    private int bestLeft(int variable) {
        int own = problem.firstValue(variable);
        for (int v = own + 1; v < problem.firstValue(variable + 1); v++) {
            if (!gone[v]) {
                return v;
            }
        }
        return own;
    }

    /** More candidates first, then lower ranks. */
    long worth(int value) {
        int rank = value - problem.firstValue(variableOf[value]);
        return rank == 0 ? 0 : CANDIDATE - rank;
    }

    int variables() {
        return left.length;
    }

    /** The value of a variable that means the target's own; its candidates follow, up to an end. */
    int own(int variable) {
        return problem.firstValue(variable);
    }

    int end(int variable) {
        return problem.firstValue(variable + 1);
    }

    /** Number of values of a variable, gone or not. */
    int size(int variable) {
        return end(variable) - own(variable);
    }

    /** Values in order of preference, from rank 1: the candidates, then the target's own. */
    int value(int variable, int rank) {
        return own(variable) + rank % size(variable);
    }

    int[] demand(int number) {
        return demands.get(number);
    }

    /** Numbers of the demands that a value meets. */
    int[] demandsOf(int value) {
        return demandsOf[value];
    }

    boolean isGone(int value) {
        return gone[value];
    }

    boolean isDecided(int variable) {
        return left[variable] == 1;
    }

    /** The preferred one of the values left to a variable. */
    int best(int variable) {
        return best[variable];
    }

    int variableOf(int value) {
        return variableOf[value];
    }

    /** How much less a solution is worth at least if it has this value. */
    long loss(int value) {
        return worth(best[variableOf[value]]) - worth(value);
    }

    /** Whether a demand is met whatever the rest may be. */
    boolean isMet(int[] demand) {
        for (int value : demand) {
            if (!gone[value] && left[variableOf[value]] == 1) {
                return true;
            }
        }
        return false;
    }

    /** How much has been looked at so far: a measure of time that does not depend on the machine. */
    long work() {
        return work;
    }

    void worked(int amount) {
        work += amount;
    }
}
