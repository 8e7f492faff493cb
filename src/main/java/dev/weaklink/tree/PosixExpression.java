package dev.weaklink.tree;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Parses a POSIX extended regular expression as glibc's regcomp does in the C locale, byte by byte
 * (observed with glibc 2.36, through bash's {@code =~}). References back to a group are refused.
 */
final class PosixExpression {
  /** RE_DUP_MAX of glibc's regex.h. */
  private static final int MAX_REPETITIONS = 0x7fff;

  private static final int BYTES = 256;
  private static final String REPETITIONS = "*+?{";
  private static final String CLASSES =
      "alpha:digit:alnum:upper:lower:punct:space:blank:print:graph:xdigit:cntrl:";

  private final String text;
  private int at;

  /** A part of an expression. */
  sealed interface Node permits Sequence, Choice, Repeat, OneOf, Place {}

  record Sequence(List<Node> parts) implements Node {}

  record Choice(Node left, Node right) implements Node {}

  /** So many times in a row; a negative {@code max} is no limit. */
  record Repeat(Node node, int min, int max) implements Node {}

  /** One byte of a set. */
  record OneOf(BitSet bytes) implements Node {}

  /** An empty match at a kind of place: one of {@code ^$bB<>}. */
  record Place(char kind) implements Node {}

  private PosixExpression(String text) {
    this.text = text;
  }

  /**
   * Parses an expression.
   *
   * @throws IllegalArgumentException if glibc refuses it, or it has what is not understood here
   */
  static Node parse(String posix) {
    PosixExpression expression = new PosixExpression(bytes(posix));
    Node node = expression.choice(0);
    if (expression.at < expression.text.length()) {
      throw malformed();
    }
    return node;
  }

  /** A character for each byte, as the C locale has it. */
  static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** Whether a word has it. */
  static boolean isWord(int b) {
    return b == '_' || isIn("alnum", b);
  }

  private Node choice(int depth) {
    Node node = sequence(depth);
    while (at < text.length() && text.charAt(at) == '|') {
      at++;
      node = new Choice(node, sequence(depth));
    }
    return node;
  }

  private Node sequence(int depth) {
    List<Node> parts = new ArrayList<>();
    while (at < text.length() && text.charAt(at) != '|' && (depth == 0 || text.charAt(at) != ')')) {
      Node part = part(depth);
      // Behind a place, a sign of repetition repeats nothing.
      while (!(part instanceof Place) && isRepetition()) {
        part = repeated(part);
      }
      parts.add(part);
    }
    return new Sequence(parts);
  }

  private Node part(int depth) {
    if (isRepetition()) {
      throw malformed();
    }
    char c = text.charAt(at++);
    switch (c) {
      case '(':
        Node group = choice(depth + 1);
        expect(')');
        // Wrapped, so that a group of nothing but a place can be repeated.
        return new Sequence(List.of(group));
      case '[':
        return new OneOf(bracket());
      case '.':
        return new OneOf(range(1, BYTES - 1));
      case '^', '$':
        return new Place(c);
      case '\\':
        return escaped(next());
      default:
        return new OneOf(range(c, c));
    }
  }

  private boolean isRepetition() {
    return at < text.length() && REPETITIONS.indexOf(text.charAt(at)) >= 0;
  }

  private Node repeated(Node node) {
    switch (text.charAt(at++)) {
      case '*':
        return new Repeat(node, 0, -1);
      case '+':
        return new Repeat(node, 1, -1);
      case '?':
        return new Repeat(node, 0, 1);
      default:
        return interval(node);
    }
  }

  private Node interval(Node node) {
    int min = number();
    int max = min;
    if (at < text.length() && text.charAt(at) == ',') {
      at++;
      max = number();
      min = Math.max(min, 0);
    }
    expect('}');
    if (min < 0 || (max >= 0 && max < min)) {
      throw malformed();
    }
    return new Repeat(node, min, max);
  }

  /** A number of repetitions, -1 if there is none. */
  private int number() {
    int number = -1;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      number = Math.max(number, 0) * 10 + text.charAt(at++) - '0';
      if (number > MAX_REPETITIONS) {
        throw malformed();
      }
    }
    return number;
  }

  private static Node escaped(char c) {
    switch (c) {
      case 'w', 'W':
        return new OneOf(complement(words(), c == 'W'));
      case 's', 'S':
        return new OneOf(complement(named("space"), c == 'S'));
      case 'b', 'B', '<', '>':
        return new Place(c);
      case '`', '\'':
        return new Place(c == '`' ? '^' : '$');
      case '1', '2', '3', '4', '5', '6', '7', '8', '9':
        throw new IllegalArgumentException("kernel version has a reference back to a group");
      default:
        return new OneOf(range(c, c));
    }
  }

  private BitSet bracket() {
    boolean negated = at < text.length() && text.charAt(at) == '^';
    at += negated ? 1 : 0;
    BitSet set = new BitSet(BYTES);
    boolean first = true;
    do {
      element(set, first);
      first = false;
    } while (peek(0) != ']');
    at++;
    return complement(set, negated);
  }

  private void element(BitSet set, boolean first) {
    if (peek(0) == '[' && (peek(1) == ':' || peek(1) == '=')) {
      char mark = peek(1);
      at += 2;
      set.or(mark == ':' ? named(name(':')) : equivalent(name('=')));
      return;
    }
    // Not at the beginning, a dash stands for itself at the end only.
    if (!first && peek(0) == '-' && peek(1) != ']') {
      throw malformed();
    }
    char from = single();
    char to = from;
    if (peek(0) == '-' && peek(1) != ']') {
      at++;
      to = single();
    }
    if (to < from) {
      throw malformed();
    }
    set.set(from, to + 1);
  }

  /** One end of a range: a byte, or one between {@code [.} and {@code .]}. */
  private char single() {
    char c = next();
    if (c != '[' || ".=:".indexOf(peek(0)) < 0) {
      return c;
    }
    if (next() != '.') {
      throw malformed();
    }
    return only(name('.'));
  }

  private static char only(String name) {
    if (name.length() != 1) {
      throw malformed();
    }
    return name.charAt(0);
  }

  private static BitSet equivalent(String name) {
    char only = only(name);
    return range(only, only);
  }

  /** What stands before this mark and a bracket. */
  private String name(char mark) {
    int end = text.indexOf(mark + "]", at);
    if (end < 0) {
      throw malformed();
    }
    String name = text.substring(at, end);
    at = end + 2;
    return name;
  }

  private static BitSet named(String name) {
    if (!CLASSES.contains(name + ":") || name.isEmpty() || name.indexOf(':') >= 0) {
      throw malformed();
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

  private static BitSet words() {
    BitSet words = named("alnum");
    words.set('_');
    return words;
  }

  private static BitSet range(int from, int to) {
    BitSet set = new BitSet(BYTES);
    set.set(from, to + 1);
    return set;
  }

  private static BitSet complement(BitSet set, boolean wanted) {
    if (wanted) {
      set.flip(0, BYTES);
    }
    return set;
  }

  private char peek(int ahead) {
    if (at + ahead >= text.length()) {
      throw malformed();
    }
    return text.charAt(at + ahead);
  }

  private char next() {
    char c = peek(0);
    at++;
    return c;
  }

  private void expect(char wanted) {
    if (next() != wanted) {
      throw malformed();
    }
  }

  private static IllegalArgumentException malformed() {
    return new IllegalArgumentException("kernel version is not a regular expression");
  }
}
