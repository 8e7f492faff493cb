package dev.weaklink.rebuild;

import java.util.List;

/**
 * A log, or what a build printed.
 *
 * @param file its path; empty for what was printed
 * @param lines its lines, without what is meant for a terminal
 */
public record LogText(String file, List<String> lines) {
  public LogText {
    lines = List.copyOf(lines);
  }
}
