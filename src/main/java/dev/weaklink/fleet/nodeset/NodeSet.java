package dev.weaklink.fleet.nodeset;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Sets of nodes as people and ClusterShell write them. Folding and expanding are each other's
 * inverse.
 */
public final class NodeSet {
  /** The most nodes a set may be expanded to. */
  public static final int MAX_NODES = 1 << 18;

  /** Stands for a number in a name's pattern; no name has it. */
  private static final char NUMBER = '%';

  private NodeSet() {}

  /** Whether this can be a node's name, and so a member of a set. */
  public static boolean isName(String name) {
    return NodeName.isValid(name);
  }

  /**
   * Folds names: of those that differ in numbers only, the last number that differs becomes ranges.
   * The result depends on the set of names and not on their order; a name given twice counts once.
   *
   * @throws IllegalArgumentException if one is not {@link #isName a name}
   */
  public static String fold(Collection<String> names) {
    Map<String, SortedSet<NodeName>> byPattern = new TreeMap<>();
    for (String text : names) {
      NodeName name = NodeName.of(text);
      byPattern.computeIfAbsent(pattern(name), key -> new TreeSet<>()).add(name);
    }
    TreeMap<NodeName, String> folded = new TreeMap<>();
    for (SortedSet<NodeName> alike : byPattern.values()) {
      foldAlike(alike, folded);
    }
    return String.join(",", folded.values());
  }

  /**
   * The names in a set, as {@code clush -b} and {@code nodeset -f} print them: several numbers in
   * brackets, and steps, are understood; groups and wildcards are not.
   *
   * @return sorted, 9 before 10
   * @throws MalformedNodeSetException if the text is no set, or one of more than {@link #MAX_NODES}
   */
  public static List<String> expand(String text) throws MalformedNodeSetException {
    return NodeSetParser.parse(text);
  }

  private static String pattern(NodeName name) {
    return String.join(String.valueOf(NUMBER), name.texts());
  }

  private static void foldAlike(SortedSet<NodeName> alike, Map<NodeName, String> folded) {
    int varying = lastVarying(alike);
    Map<List<String>, List<NodeName>> byRest = new TreeMap<>(NodeSet::compareLists);
    for (NodeName name : alike) {
      List<String> rest = new ArrayList<>(name.numbers());
      if (varying >= 0) {
        rest.remove(varying);
      }
      byRest.computeIfAbsent(rest, key -> new ArrayList<>()).add(name);
    }
    for (List<NodeName> same : byRest.values()) {
      folded.put(same.get(0), text(same, varying));
    }
  }

  /** The last number in which names of one pattern differ, or -1. */
  private static int lastVarying(SortedSet<NodeName> alike) {
    List<String> first = alike.first().numbers();
    int last = -1;
    for (NodeName name : alike) {
      for (int i = first.size() - 1; i > last; i--) {
        if (!name.numbers().get(i).equals(first.get(i))) {
          last = i;
        }
      }
    }
    return last;
  }

  private static int compareLists(List<String> a, List<String> b) {
    for (int i = 0; i < a.size(); i++) {
      int order = NodeName.compareNumbers(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** Names that differ in this number only, as one. */
  private static String text(List<NodeName> same, int varying) {
    NodeName name = same.get(0);
    StringBuilder text = new StringBuilder(name.texts().get(0));
    for (int i = 0; i < name.numbers().size(); i++) {
      if (i == varying && same.size() > 1) {
        text.append('[').append(NumberRanges.fold(numbers(same, varying))).append(']');
      } else {
        text.append(name.numbers().get(i));
      }
      text.append(name.texts().get(i + 1));
    }
    return text.toString();
  }

  private static List<String> numbers(List<NodeName> same, int index) {
    List<String> numbers = new ArrayList<>(same.size());
    for (NodeName name : same) {
      numbers.add(name.numbers().get(index));
    }
    return numbers;
  }
}
