package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.NodeSet;
import dev.weaklink.sys.InputProblem;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands on every node once: the first of a name counts, and equal inventories become one. */
final class Receiver {
  /** So many nodes at most, however many a folded block claims to be of. */
  static final int MAX_NODES = 1 << 20;

  /** So many bytes of lines that differ are kept as facts. */
  private static final long MAX_DIFFERENT = 1L << 29;

  private static final int SHOWN = 120;

  private final NodeVisitor visitor;
  private final Map<String, String> firstPlaces = new HashMap<>();
  private final Map<NodeInventory, NodeInventory> distinct = new HashMap<>();
  private final ModuleTables tables = new ModuleTables();
  private final KnownLines lines = new KnownLines();
  private final Set<NodeInventory> taken = Collections.newSetFromMap(new IdentityHashMap<>());
  private String file = "";
  private long different;

  private final NoAnswers noAnswers;
  private @Nullable InputProblem firstText;
  private long texts;

  /** {@code expected}: nodes that should answer, empty if that is not known. */
  Receiver(NodeVisitor visitor, Set<String> expected) {
    this.visitor = visitor;
    this.noAnswers = new NoAnswers(expected, firstPlaces::containsKey);
  }

  /** Who did not answer. */
  NoAnswers noAnswers() {
    return noAnswers;
  }

  /** Something was printed about nodes; {@code certain}: whether these are names of nodes. */
  void silent(List<String> nodes, FailureLine line, boolean certain) {
    noAnswers.add(nodes, line, certain);
  }

  /** A line that is none of a node's and no message about one, such as a banner. */
  void text(long line, String text) {
    if (texts++ == 0) {
      firstText = at(line, "is not a node's inventory: " + shortened(text));
    }
  }

  /** Says once how many such lines there were. */
  void finishTexts() {
    if (firstText != null) {
      String more =
          texts == 1
              ? ""
              : " (and " + (texts - 1) + (texts == 2 ? " other line)" : " other lines)");
      InputProblem all = new InputProblem(firstText.subject(), firstText.message() + more);
      // Where it is known who should answer, nothing can be lost in them.
      if (noAnswers.isComplete()) {
        visitor.remark(all);
      } else {
        visitor.problem(all);
      }
    }
    firstText = null;
    texts = 0;
  }

  /** The tables that were met so far. */
  ModuleTables tables() {
    return tables;
  }

  /** The lines that were read so far, as far as they are kept. */
  KnownLines lines() {
    return lines;
  }

  /** What follows is from this file. */
  void begin(String name) {
    file = name;
  }

  /**
   * One line's nodes.
   *
   * @param given names by what asked the nodes, more than one for a folded block; they go before
   *     the node's own
   * @param fallback the name if nobody reports one, or null
   */
  void accept(NodeLine found, List<String> given, @Nullable String fallback, long line) {
    List<String> names = given.isEmpty() ? ownName(found, fallback, line) : given;
    if (names.isEmpty()) {
      return;
    }
    NodeInventory inventory =
        taken.contains(found.inventory()) ? found.inventory() : distinct.get(found.inventory());
    if (inventory == null) {
      inventory = found.inventory();
      different += found.length();
      if (different > MAX_DIFFERENT) {
        problem(line, "more nodes that differ than can be held; skipped");
        return;
      }
      distinct.put(inventory, inventory);
      taken.add(inventory);
    }
    for (String name : names) {
      accept(name, inventory, line);
    }
  }

  private List<String> ownName(NodeLine found, @Nullable String fallback, long line) {
    String name = found.node() != null ? found.node() : fallback;
    if (name == null) {
      problem(line, "no name for this node; collect with the nodes' names in front of the lines");
      return List.of();
    }
    if (!NodeSet.isName(name)) {
      problem(line, "cannot be a node's name: " + shortened(name));
      return List.of();
    }
    return List.of(name);
  }

  private void accept(String name, NodeInventory inventory, long line) {
    String first = firstPlaces.get(name);
    if (first != null) {
      problem(line, "node " + name + " was given before, at " + first + "; skipped");
    } else if (firstPlaces.size() == MAX_NODES) {
      problem(line, "node " + name + " is one more than " + MAX_NODES + "; skipped");
    } else {
      firstPlaces.put(name, at(line, "").subject());
      noAnswers.answered(name);
      visitor.node(name, inventory);
    }
  }

  void problem(long line, String message) {
    visitor.problem(at(line, message));
  }

  /** About a line, counted from 1, or with 0 about the file as a whole. */
  private InputProblem at(long line, String message) {
    return new InputProblem(line == 0 ? file : file + ":" + line, message);
  }

  /** Text from a file, short enough for a message. */
  static String shortened(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }
}
