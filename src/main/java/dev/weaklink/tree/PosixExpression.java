package dev.weaklink.tree;

import java.util.regex.PatternSyntaxException;

/** Writes a POSIX extended regular expression as Java's, which reads some characters otherwise. */
final class PosixExpression {
  private final String posix;
  private final StringBuilder java = new StringBuilder();
  private int at;

  private PosixExpression(String posix) {
    this.posix = posix;
  }

  /**
   * The same expression in Java's syntax.
   *
   * @throws PatternSyntaxException if a bracket or an escape is not closed
   */
  static String toJava(String posix) {
    PosixExpression expression = new PosixExpression(posix);
    while (expression.at < posix.length()) {
      expression.element();
    }
    return expression.java.toString();
  }

  private void element() {
    char c = posix.charAt(at++);
    if (c == '[') {
      bracket();
    } else if (c == '\\') {
      quote(next("escape without a character"));
    } else if (c == '?' && at >= 2 && posix.charAt(at - 2) == '(') {
      throw malformed("repetition of nothing");
    } else if (c == '+' && at >= 2 && "*+?}".indexOf(posix.charAt(at - 2)) >= 0) {
      // POSIX repeats the repetition, which matches the same; Java would make it possessive.
      return;
    } else {
      java.append(c);
    }
  }

  private void bracket() {
    java.append('[');
    if (at < posix.length() && posix.charAt(at) == '^') {
      java.append('^');
      at++;
    }
    boolean first = true;
    char c = next("bracket is not closed");
    while (c != ']' || first) {
      first = false;
      if (c == '[' && at < posix.length() && posix.charAt(at) == ':') {
        characterClass();
      } else if (c == '-') {
        java.append(isLiteralDash() ? "\\-" : "-");
      } else {
        quote(c);
      }
      c = next("bracket is not closed");
    }
    java.append(']');
  }

  /** A dash at either end of a bracket stands for itself. */
  private boolean isLiteralDash() {
    char before = java.charAt(java.length() - 1);
    return before == '[' || before == '^' || (at < posix.length() && posix.charAt(at) == ']');
  }

  private void characterClass() {
    int end = posix.indexOf(":]", at + 1);
    if (end < 0) {
      throw malformed("character class is not closed");
    }
    java.append(javaClass(posix.substring(at + 1, end)));
    at = end + 2;
  }

  private String javaClass(String name) {
    switch (name) {
      case "alpha", "digit", "alnum", "upper", "lower", "punct", "space", "blank", "print", "graph":
        return "\\p{" + Character.toUpperCase(name.charAt(0)) + name.substring(1) + "}";
      case "xdigit":
        return "\\p{XDigit}";
      case "cntrl":
        return "\\p{Cntrl}";
      default:
        throw malformed("unknown character class");
    }
  }

  private void quote(char c) {
    if (!Character.isLetterOrDigit(c)) {
      java.append('\\');
    }
    java.append(c);
  }

  private char next(String otherwise) {
    if (at >= posix.length()) {
      throw malformed(otherwise);
    }
    return posix.charAt(at++);
  }

  private PatternSyntaxException malformed(String reason) {
    return new PatternSyntaxException(reason, posix, at);
  }
}
