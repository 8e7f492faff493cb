package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.NodeSet;
import org.jspecify.annotations.Nullable;

/**
 * A line with a node's name, above what the node printed.
 *
 * @param style what stands before and behind the name; null if no other program prints such lines
 * @param failure that the node failed, null if it did not
 */
record Heading(String node, @Nullable String style, @Nullable FailureLine failure) {
  private static final String MARKS = "=#*->+~";
  private static final String MORE = " >>";
  private static final String NOTHING = "printed nothing";

  /** Whether it cannot be anything else. */
  boolean isCertain() {
    return style == null;
  }

  /**
   * What a line is.
   *
   * @param before the heading before, whose style others have, too
   */
  static @Nullable Heading of(String line, @Nullable Heading before) {
    int bar = line.indexOf(LinePrefix.BAR);
    if (bar > 0 && NodeSet.isName(line.substring(0, bar))) {
      return ofAnsible(line.substring(0, bar), line.substring(bar + LinePrefix.BAR.length()));
    }
    Heading heading = marked(line);
    return heading == null || before == null || String.valueOf(before.style).equals(heading.style)
        ? heading
        : null;
  }

  /** {@code CHANGED | rc=0 >>}, or {@code UNREACHABLE!: } and why. */
  private static @Nullable Heading ofAnsible(String node, String state) {
    boolean failed = state.startsWith("FAILED") || state.startsWith("UNREACHABLE");
    if (!failed && !state.startsWith("CHANGED") && !state.startsWith("SUCCESS")) {
      return null;
    }
    int stdout = state.indexOf(LinePrefix.STDOUT);
    String words =
        failed
            ? state.replace(MORE, "")
            : stdout < 0 ? NOTHING : state.substring(stdout + LinePrefix.STDOUT.length());
    return new Heading(node, null, FailureLine.of(words));
  }

  /** {@code == cn1}, {@code ### cn1 ###}, or as Salt has it {@code cn1:}. */
  private static @Nullable Heading marked(String line) {
    int start = 0;
    while (start < line.length() && MARKS.indexOf(line.charAt(start)) >= 0) {
      start++;
    }
    int end = line.length();
    while (end > start && (MARKS + " :").indexOf(line.charAt(end - 1)) >= 0) {
      end--;
    }
    String name = line.substring(start, end).strip();
    boolean isMarked = start >= 2 || start == 0 && line.substring(end).equals(":");
    return isMarked && NodeSet.isName(name)
        ? new Heading(name, line.substring(0, start) + "@" + line.substring(end), null)
        : null;
  }
}
