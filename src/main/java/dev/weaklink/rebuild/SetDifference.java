package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * What two sets of names differ by.
 *
 * @param missing names that were there before and are not now, sorted
 * @param added names that were not there before, sorted
 */
public record SetDifference(List<String> missing, List<String> added) {
  public SetDifference {
    missing = List.copyOf(missing);
    added = List.copyOf(added);
  }

  /** Compares. */
  public static SetDifference between(Collection<String> before, Collection<String> after) {
    TreeSet<String> missing = new TreeSet<>(before);
    missing.removeAll(after);
    TreeSet<String> added = new TreeSet<>(after);
    added.removeAll(before);
    return new SetDifference(new ArrayList<>(missing), new ArrayList<>(added));
  }
}
