package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Variables that no demand connects, directly or through others, can be decided apart. */
final class Components {
  private Components() {}

  /**
   * Groups of variables, in the order of their first ones.
   *
   * @param variables rising
   * @param demands on these and no others
   */
  static List<int[]> of(CandidateDomains domains, int[] variables, List<int[]> demands) {
    int[] leader = new int[variables.length];
    Arrays.setAll(leader, i -> i);
    for (int[] demand : demands) {
      int first = -1;
      for (int value : demand) {
        domains.worked(1);
        if (!domains.isGone(value)) {
          int at = leader(leader, Arrays.binarySearch(variables, domains.variableOf(value)));
          first = first < 0 ? at : first;
          int low = Math.min(first, at);
          leader[Math.max(first, at)] = low;
          first = low;
        }
      }
    }
    List<List<Integer>> groups = new ArrayList<>();
    for (int i = 0; i < leader.length; i++) {
      groups.add(new ArrayList<>(0));
      groups.get(leader(leader, i)).add(variables[i]);
    }
    List<int[]> components = new ArrayList<>();
    for (List<Integer> group : groups) {
      if (!group.isEmpty()) {
        components.add(group.stream().mapToInt(Integer::intValue).toArray());
      }
    }
    return components;
  }

  private static int leader(int[] leader, int i) {
    int l = i;
    while (leader[l] != l) {
      leader[l] = leader[leader[l]];
      l = leader[l];
    }
    return l;
  }
}
