package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.NodeSet;
import org.jspecify.annotations.Nullable;

/**
 * The name of a node behind text that has no line feed, as pdsh prints it: {@code n2: denied n1: }.
 * Where it begins can be said only if it is expected, or the node reports its name.
 */
final class GluedName {
  /** So far before a node's line its name is looked for. */
  static final int MAX_LENGTH = 64;

  /** So far in a line without JSON names are looked for. */
  private static final int MAX_TEXT = 1024;

  private GluedName() {}

  /** The name at the end, null if that cannot be said. */
  static @Nullable String of(String before, @Nullable String own, NoAnswers known) {
    String text = withoutColon(before);
    for (int at = start(text); at < text.length(); at++) {
      String name = text.substring(at);
      if (NodeSet.isName(name) && (known.expects(name) || own != null && isSame(name, own))) {
        return name;
      }
    }
    return null;
  }

  /** Where the last word begins, as far as a name is long. */
  private static int start(String text) {
    int at = text.length();
    while (at > 0 && text.length() - at < MAX_LENGTH && " :".indexOf(text.charAt(at - 1)) < 0) {
      at--;
    }
    return at;
  }

  /** Where the line of another node begins in one without JSON; -1 if none does. */
  static int next(String text, NoAnswers known) {
    int at = text.indexOf("pdsh@", 1);
    int end = text.indexOf(": ");
    while (at < 0 && end >= 0 && known.isComplete() && end < MAX_TEXT) {
      end = text.indexOf(": ", end + 1);
      String name = end < 0 ? null : of(text.substring(0, end), null, known);
      at = name == null ? -1 : end - name.length();
    }
    return at;
  }

  /** What stands before that name. */
  static String rest(String before, String name) {
    String text = withoutColon(before);
    return text.substring(0, text.length() - name.length());
  }

  private static String withoutColon(String before) {
    String text = before.strip();
    return text.endsWith(":") ? text.substring(0, text.length() - 1) : text;
  }

  /** Whether these are one, but for the domain. */
  private static boolean isSame(String name, String own) {
    return name.equals(own) || name.startsWith(own + ".") || own.startsWith(name + ".");
  }
}
