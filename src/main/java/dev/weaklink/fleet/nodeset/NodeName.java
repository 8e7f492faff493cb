package dev.weaklink.fleet.nodeset;

import java.util.ArrayList;
import java.util.List;

/**
 * A node's name as text and numbers in turn; the numbers as they are written, zeros in front too.
 *
 * @param texts what stands before, between and behind the numbers: one more than there are numbers
 * @param numbers runs of decimal digits
 */
record NodeName(List<String> texts, List<String> numbers) implements Comparable<NodeName> {
  /** As DNS has it (RFC 1035, section 2.3.4). */
  static final int MAX_LENGTH = 255;

  static NodeName of(String name) {
    if (!isValid(name)) {
      throw new IllegalArgumentException("not a node's name");
    }
    List<String> texts = new ArrayList<>();
    List<String> numbers = new ArrayList<>();
    int at = 0;
    while (true) {
      int digits = at;
      while (digits < name.length() && !isDigit(name.charAt(digits))) {
        digits++;
      }
      texts.add(name.substring(at, digits));
      if (digits == name.length()) {
        return new NodeName(texts, numbers);
      }
      at = digits;
      while (at < name.length() && isDigit(name.charAt(at))) {
        at++;
      }
      numbers.add(name.substring(digits, at));
    }
  }

  /** Whether this can be a node's name: not empty, 255 characters at most, all of them plain. */
  static boolean isValid(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!isPlain(name.charAt(i))) {
        return false;
      }
    }
    return !name.isEmpty() && name.length() <= MAX_LENGTH && name.charAt(0) != '-';
  }

  /** Letters, digits and what host names and addresses may contain as well. */
  static boolean isPlain(char c) {
    return isDigit(c)
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || "-_.:+".indexOf(c) >= 0;
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Orders numbers as they are written: by length, then by value. */
  static int compareNumbers(String a, String b) {
    int byLength = Integer.compare(a.length(), b.length());
    return byLength != 0 ? byLength : a.compareTo(b);
  }

  /** Text by text and number by number, so that node 9 comes before node 10. */
  @Override
  public int compareTo(NodeName other) {
    int common = Math.min(numbers.size(), other.numbers.size());
    for (int i = 0; i < common; i++) {
      int order = texts.get(i).compareTo(other.texts.get(i));
      if (order == 0) {
        order = compareNumbers(numbers.get(i), other.numbers.get(i));
      }
      if (order != 0) {
        return order;
      }
    }
    int order = texts.get(common).compareTo(other.texts.get(common));
    return order != 0 ? order : Integer.compare(numbers.size(), other.numbers.size());
  }
}
