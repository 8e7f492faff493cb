package dev.weaklink.fleet.nodeset;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Expands one set of nodes. */
final class NodeSetParser {
  /** So that sets given twice over do not cost more than they can hold. */
  private static final int MAX_TEXT = 16 << 20;

  private final String text;
  private final SortedSet<NodeName> nodes = new TreeSet<>();
  private int at;

  private NodeSetParser(String text) {
    this.text = text;
  }

  static List<String> parse(String text) throws MalformedNodeSetException {
    if (text.length() > MAX_TEXT) {
      throw new MalformedNodeSetException("longer than a set of nodes can be");
    }
    NodeSetParser parser = new NodeSetParser(text);
    do {
      parser.readTerm();
    } while (parser.skip(','));
    return parser.names();
  }

  private List<String> names() {
    List<String> names = new ArrayList<>(nodes.size());
    for (NodeName node : nodes) {
      StringBuilder name = new StringBuilder(node.texts().get(0));
      for (int i = 0; i < node.numbers().size(); i++) {
        name.append(node.numbers().get(i)).append(node.texts().get(i + 1));
      }
      names.add(name.toString());
    }
    return names;
  }

  /** One name, or several with numbers in brackets, up to a comma. */
  private void readTerm() throws MalformedNodeSetException {
    List<String> names = List.of("");
    while (at < text.length() && text.charAt(at) != ',') {
      names = product(names, text.charAt(at) == '[' ? readBracket() : List.of(readPlain()));
    }
    for (String name : names) {
      if (!NodeName.isValid(name)) {
        throw new MalformedNodeSetException(
            name.isEmpty() ? "a name is missing" : "a name is too long or begins with a hyphen");
      }
      nodes.add(NodeName.of(name));
    }
    requireRoom(nodes.size());
  }

  private List<String> product(List<String> names, List<String> tails)
      throws MalformedNodeSetException {
    requireRoom((long) names.size() * tails.size() + nodes.size());
    List<String> all = new ArrayList<>(names.size() * tails.size());
    for (String name : names) {
      for (String tail : tails) {
        if (name.length() + tail.length() > NodeName.MAX_LENGTH) {
          throw new MalformedNodeSetException("a name is too long");
        }
        all.add(name + tail);
      }
    }
    return all;
  }

  private String readPlain() throws MalformedNodeSetException {
    int start = at;
    while (at < text.length() && NodeName.isPlain(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw new MalformedNodeSetException("an invalid character");
    }
    return text.substring(start, at);
  }

  private List<String> readBracket() throws MalformedNodeSetException {
    List<String> numbers = new ArrayList<>();
    at++;
    do {
      readRange(numbers);
    } while (skip(','));
    if (!skip(']')) {
      throw new MalformedNodeSetException("a bracket is not closed");
    }
    return numbers;
  }

  private void readRange(List<String> numbers) throws MalformedNodeSetException {
    String first = readNumber();
    if (!skip('-')) {
      requireRoom(numbers.size() + 1L + nodes.size());
      numbers.add(first);
      return;
    }
    String last = readNumber();
    long step = skip('/') ? value(readNumber()) : 1;
    long from = value(first);
    long to = value(last);
    boolean padded = NumberRanges.isPadded(first);
    if (from > to || step == 0 || (padded ? first.length() : 0) > last.length()) {
      throw new MalformedNodeSetException("an empty range");
    }
    requireRoom((to - from) / step + 1 + numbers.size() + nodes.size());
    for (long number = from; number <= to; number += step) {
      numbers.add(padded ? pad(number, first.length()) : Long.toString(number));
    }
  }

  private String readNumber() throws MalformedNodeSetException {
    int start = at;
    while (at < text.length() && NodeName.isDigit(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw new MalformedNodeSetException("a number is missing");
    }
    return text.substring(start, at);
  }

  private static long value(String digits) throws MalformedNodeSetException {
    if (digits.length() > NumberRanges.MAX_DIGITS) {
      throw new MalformedNodeSetException("a range of numbers that are too long");
    }
    return Long.parseLong(digits);
  }

  private static String pad(long number, int length) {
    String digits = Long.toString(number);
    return "0".repeat(Math.max(0, length - digits.length())) + digits;
  }

  private static void requireRoom(long count) throws MalformedNodeSetException {
    if (count > NodeSet.MAX_NODES) {
      throw new MalformedNodeSetException("more than " + NodeSet.MAX_NODES + " nodes");
    }
  }

  private boolean skip(char wanted) {
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }
}
