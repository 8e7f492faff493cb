package dev.weaklink.tree;

import java.util.BitSet;

/** The classes of characters that POSIX names, as the C locale has them. */
final class ByteClasses {
  private static final int BYTES = 256;
  private static final String NAMES =
      ":alpha:digit:alnum:upper:lower:punct:space:blank:print:graph:xdigit:cntrl:";

  private ByteClasses() {}

  /** Whether a word has it. */
  static boolean isWord(int b) {
    return b == '_' || isIn("alnum", b);
  }

  /**
   * The bytes of a class.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  static BitSet named(String name) {
    if (!NAMES.contains(":" + name + ":") || name.isEmpty() || name.indexOf(':') >= 0) {
      throw PosixExpression.malformed();
    }
    BitSet set = new BitSet(BYTES);
    for (int b = 0; b < BYTES; b++) {
      set.set(b, isIn(name, b));
    }
    return set;
  }

  private static boolean isIn(String name, int b) {
    boolean digit = b >= '0' && b <= '9';
    boolean upper = b >= 'A' && b <= 'Z';
    boolean lower = b >= 'a' && b <= 'z';
    boolean graph = b > ' ' && b < 0x7f;
    return switch (name) {
      case "alpha" -> upper || lower;
      case "digit" -> digit;
      case "alnum" -> upper || lower || digit;
      case "upper" -> upper;
      case "lower" -> lower;
      case "punct" -> graph && !(upper || lower || digit);
      case "space" -> b == ' ' || (b >= '\t' && b <= '\r');
      case "blank" -> b == ' ' || b == '\t';
      case "print" -> graph || b == ' ';
      case "graph" -> graph;
      case "xdigit" -> digit || (b >= 'A' && b <= 'F') || (b >= 'a' && b <= 'f');
      default -> b < ' ' || b == 0x7f;
    };
  }

  /** The bytes of words. */
  static BitSet words() {
    BitSet words = named("alnum");
    words.set('_');
    return words;
  }
}
