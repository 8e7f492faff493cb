package dev.weaklink.loader;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * How much less than the sum of their best values open variables are worth at least. Of variables
 * any two of which cannot both have their best values, one at most can: those are put together.
 * What else demands cost is added where they have no variable in common.
 */
final class LossBound {
  private static final int NONE = -1;

  private final CandidateDomains domains;
  private final int[] open;
  private final List<int[]> demands;

  /** Neighbours of each variable, as a list of ends of edges. */
  private final int[] first;

  private final int[] next;
  private final int[] end;
  private final int[] degree;
  private final int[] metBy;
  private int edges;

  /** For each variable which group it is in; for each group its size and what it costs. */
  private final int[] group;

  private final int[] size;
  private final long[] sum;
  private final long[] most;
  private int groups;

  /**
   * A bound.
   *
   * @param open rising
   * @param demands on these, not met yet
   */
  LossBound(CandidateDomains domains, int[] open, List<int[]> demands) {
    this.domains = domains;
    this.open = open;
    this.demands = demands;
    first = filled(open.length);
    next = new int[2 * demands.size()];
    end = new int[2 * demands.size()];
    degree = new int[open.length];
    metBy = filled(open.length);
    group = filled(open.length);
    size = new int[open.length];
    sum = new long[open.length];
    most = new long[open.length];
  }

  private static int[] filled(int length) {
    int[] array = new int[length];
    Arrays.fill(array, NONE);
    return array;
  }

  /** The loss. */
  long get() {
    for (int[] demand : demands) {
      addEdge(demand);
    }
    for (int variable : byDegree()) {
      if (degree[variable] > 0) {
        put(variable);
      }
    }
    long loss = 0;
    BitSet used = new BitSet();
    for (int g = 0; g < groups; g++) {
      loss += sum[g] - most[g];
    }
    for (int v = 0; v < open.length; v++) {
      if (group[v] != NONE && size[group[v]] > 1) {
        used.set(open[v]);
      }
    }
    return loss + others(used);
  }

  /** If just two variables can meet it, and neither by its best value, they exclude each other. */
  private void addEdge(int[] demand) {
    int one = NONE;
    int other = NONE;
    domains.worked(demand.length);
    for (int value : demand) {
      if (domains.isGone(value)) {
        continue;
      }
      int variable = domains.variableOf(value);
      if (domains.loss(value) == 0 || (other != NONE && variable != one && variable != other)) {
        return;
      }
      if (one == NONE) {
        one = variable;
      } else if (variable != one) {
        other = variable;
      }
    }
    if (other != NONE) {
      int a = Arrays.binarySearch(open, one);
      int b = Arrays.binarySearch(open, other);
      edge(a, b);
      edge(b, a);
    }
  }

  private void edge(int from, int to) {
    end[edges] = to;
    next[edges] = first[from];
    first[from] = edges++;
    degree[from]++;
  }

  /** Those with the fewest neighbours have the least choice, and come first. */
  private int[] byDegree() {
    int highest = 0;
    for (int count : degree) {
      highest = Math.max(highest, count);
    }
    int[] starts = new int[highest + 2];
    for (int count : degree) {
      starts[count + 1]++;
    }
    for (int d = 1; d < starts.length; d++) {
      starts[d] += starts[d - 1];
    }
    int[] sorted = new int[degree.length];
    for (int v = 0; v < degree.length; v++) {
      sorted[starts[degree[v]]++] = v;
    }
    return sorted;
  }

  /** Into the largest group all of which are its neighbours, or a group of its own. */
  private void put(int variable) {
    int best = NONE;
    int[] met = new int[degree[variable]];
    int count = 0;
    for (int e = first[variable]; e != NONE; e = next[e]) {
      int at = group[end[e]];
      if (at != NONE && metBy[end[e]] != variable) {
        metBy[end[e]] = variable;
        met[count++] = at;
      }
    }
    domains.worked(degree[variable]);
    Arrays.sort(met, 0, count);
    for (int from = 0, to; from < count; from = to) {
      for (to = from; to < count && met[to] == met[from]; ) {
        to++;
      }
      int at = met[from];
      if (to - from == size[at] && (best == NONE || size[at] > size[best])) {
        best = at;
      }
    }
    int chosen = best == NONE ? groups++ : best;
    long loss = leastLoss(open[variable]);
    group[variable] = chosen;
    size[chosen]++;
    sum[chosen] += loss;
    most[chosen] = Math.max(most[chosen], loss);
  }

  private long leastLoss(int variable) {
    long least = Long.MAX_VALUE;
    int best = domains.best(variable);
    for (int value = domains.own(variable); value < domains.end(variable); value++) {
      if (value != best && !domains.isGone(value)) {
        least = Math.min(least, domains.loss(value));
      }
    }
    return least;
  }

  private long others(BitSet used) {
    long sum = 0;
    for (int[] demand : demands) {
      long loss = loss(demand, used);
      if (loss > 0) {
        sum += loss;
        for (int value : demand) {
          if (!domains.isGone(value)) {
            used.set(domains.variableOf(value));
          }
        }
      }
    }
    return sum;
  }

  /** The least loss at which a demand can be met; 0 if that is counted elsewhere in part. */
  private long loss(int[] demand, BitSet used) {
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
}
