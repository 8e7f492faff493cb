package dev.weaklink.inventory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What could not be read. */
final class Problems {
  /**
   * One of them; texts are bytes.
   *
   * @param path as seen from inside the root
   */
  record Problem(String path, String reason) {
    /** As one member of a JSON array. */
    String json() {
      JsonText text = new JsonText();
      text.open('{');
      text.member("path", path).member("reason", reason);
      return text.close('}').toString();
    }
  }

  private final List<Problem> problems = new ArrayList<>();

  void add(String path, String reason) {
    problems.add(new Problem(path, reason));
  }

  boolean isEmpty() {
    return problems.isEmpty();
  }

  void addAll(Problems others) {
    problems.addAll(others.problems);
  }

  /** As JSON objects, sorted by their bytes. */
  List<String> json() {
    List<String> lines = new ArrayList<>();
    for (Problem problem : problems) {
      lines.add(problem.json());
    }
    Collections.sort(lines);
    return lines;
  }
}
