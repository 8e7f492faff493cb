package dev.weaklink.fleet.intake;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Why nodes gave no inventory, as what asked them printed it. */
final class NoAnswers {
  private static final String NOTHING = "not in the input";

  /** Nodes that nobody expects are kept up to here. */
  private static final int MAX_UNEXPECTED = 1 << 18;

  /** So many times something is taken in about a node: what one prints must not cost hours. */
  private static final long MAX_SAID = 1L << 20;

  /** What may as well be a word with a colon behind it is kept of so many. */
  private static final int MAX_GUESSED = 1 << 16;

  private final Set<String> expected;
  private final Predicate<String> answered;
  private final Map<String, Why> nodes = new HashMap<>();
  private int guessed;
  private long said;

  /**
   * What is known of a node.
   *
   * @param certain whether it is certain that this is a node's name
   */
  private record Why(
      @Nullable String cause, @Nullable String exit, @Nullable String text, boolean certain) {
    Why and(FailureLine line, boolean isCertain) {
      boolean known = certain || isCertain;
      return switch (line.kind()) {
        case CAUSE -> new Why(cause == null ? line.text() : cause, exit, text, known);
        case EXIT -> new Why(cause, line.text(), text, known);
        // The last line is what a command failed with; a banner comes before.
        case TEXT -> new Why(cause, exit, line.text().isEmpty() ? text : line.text(), known);
      };
    }

    String words() {
      if (cause != null) {
        return cause;
      }
      return exit == null || text == null
          ? exit != null ? exit : text != null ? text : NOTHING
          : exit + ": " + text;
    }
  }

  /**
   * @param expected nodes that should answer; empty if that is not known
   * @param answered whether a node has
   */
  NoAnswers(Set<String> expected, Predicate<String> answered) {
    this.expected = expected;
    this.answered = answered;
  }

  /** Whether this is one of the nodes that should answer. */
  boolean expects(String node) {
    return expected.contains(node);
  }

  /** Whether it is known which nodes should answer. */
  boolean isComplete() {
    return !expected.isEmpty();
  }

  /** Whether more is taken in. */
  boolean isOpen() {
    return said < MAX_SAID;
  }

  /** Takes in what was printed about nodes; {@code certain}: whether these are names of nodes. */
  void add(List<String> names, FailureLine line, boolean certain) {
    for (String name : isOpen() ? names : List.<String>of()) {
      said++;
      if (!answered.test(name) && (nodes.containsKey(name) || isKept(name, certain))) {
        Why before = nodes.getOrDefault(name, new Why(null, null, null, false));
        nodes.put(name, before.and(line, certain));
      }
    }
  }

  private boolean isKept(String name, boolean certain) {
    return expected.contains(name)
        || nodes.size() < MAX_UNEXPECTED
            && (certain || expected.isEmpty() && guessed++ < MAX_GUESSED);
  }

  /** Forgets what was said about a node before it answered. */
  void answered(String node) {
    nodes.remove(node);
  }

  /** Who did not answer, and why. */
  SortedMap<String, String> all() {
    SortedMap<String, String> all = new TreeMap<>();
    for (String node : expected) {
      if (!answered.test(node)) {
        all.put(node, NOTHING);
      }
    }
    nodes.forEach(
        (node, why) -> {
          if (why.certain || expected.contains(node)) {
            all.put(node, why.words());
          }
        });
    return all;
  }
}
