package dev.weaklink.rules.yaml;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * What is wrong with a text that is no YAML. Jackson tells where parsing began, not where it
 * failed.
 */
record YamlError(Place at, String reason) {
  /**
   * Finds out what is behind an exception of the parser.
   *
   * @param at where it is if nothing better is known
   */
  static YamlError of(Exception e, Place at, String text) {
    if (e instanceof MarkedYAMLException marked) {
      return marked(marked, at);
    }
    if (e.getCause() instanceof MarkedYAMLException marked) {
      return marked(marked, at);
    }
    if (e.getCause() instanceof ReaderException refused) {
      return new YamlError(
          place(text, refused.getPosition()), "control characters are not allowed");
    }
    return new YamlError(at, firstLine(e.getMessage()));
  }

  void addTo(Problems problems) {
    problems.add(at, "not valid YAML: " + reason);
  }

  private static YamlError marked(MarkedYAMLException e, Place at) {
    Mark mark = e.getProblemMark();
    Place place = mark == null ? at : new Place(mark.getLine() + 1, mark.getColumn() + 1);
    String reason = firstLine(e.getProblem());
    Mark start = e.getContextMark();
    if (e.getContext() == null || start == null) {
      return new YamlError(place, reason);
    }
    String context = e.getContext() + " from line " + (start.getLine() + 1) + " on";
    return new YamlError(place, reason + ", " + context);
  }

  private static String firstLine(@Nullable String message) {
    if (message == null) {
      return "it cannot be parsed";
    }
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }

  /** Where the character with this number is. */
  private static Place place(String text, int position) {
    int line = 1;
    int column = 1;
    for (int i = 0, seen = 0; i < text.length() && seen < position; seen++) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n' ? 1 : 0;
    }
    return new Place(line, column);
  }
}
