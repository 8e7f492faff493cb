package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringTokenizer;

/** Collects the commands of depmod.d(5) for one kernel release; bad lines become problems. */
final class DepmodConfigParser {
  private final ReleasePattern release;
  private final List<InputProblem> problems;
  private final List<String> search = new ArrayList<>();
  private final List<String> overrides = new ArrayList<>();
  private final List<String> externals = new ArrayList<>();
  private final List<String> excludes = new ArrayList<>();

  DepmodConfigParser(String release, List<InputProblem> problems) {
    this.release = new ReleasePattern(release);
    this.problems = problems;
  }

  /** Takes one line, continuation lines already joined; a comment starts in the first column. */
  void line(String where, String line) {
    if (line.startsWith("#")) {
      return;
    }
    List<String> words = words(line);
    if (words.isEmpty()) {
      return;
    }
    try {
      command(where, words);
    } catch (IllegalArgumentException e) {
      problems.add(new InputProblem(where, "line ignored: " + e.getMessage(), true));
    }
  }

  DepmodConfig config() {
    List<String> order = search.isEmpty() ? DepmodConfig.DEFAULT.search() : search;
    // The last one written is the strongest.
    Collections.reverse(overrides);
    return new DepmodConfig(order, overrides, externals, excludes, problems);
  }

  private void command(String where, List<String> words) {
    switch (words.get(0)) {
      case "search":
        search.addAll(words.subList(1, words.size()));
        break;
      case "override":
        override(words);
        break;
      case "external":
        external(where, words);
        break;
      case "exclude":
        excludes.addAll(words.subList(1, words.size()));
        break;
      case "include", "make_map_files":
        problems.add(
            new InputProblem(where, "command " + words.get(0) + " is not implemented", true));
        break;
      default:
        throw new IllegalArgumentException("unknown command " + words.get(0));
    }
  }

  private void override(List<String> words) {
    if (words.size() < 4) {
      throw new IllegalArgumentException("override needs a module, a kernel and a directory");
    }
    if (release.matches(words.get(2))) {
      overrides.add(words.get(3) + "/" + words.get(1));
    }
  }

  /** The manual page allows several directories, but depmod takes the first one alone. */
  private void external(String where, List<String> words) {
    if (words.size() < 3) {
      throw new IllegalArgumentException("external needs a kernel and a directory");
    }
    if (!release.matches(words.get(1))) {
      return;
    }
    if (!words.get(2).startsWith("/")) {
      throw new IllegalArgumentException("external directory is not absolute");
    }
    externals.add(words.get(2));
    if (words.size() > 3) {
      problems.add(
          new InputProblem(
              where, "depmod reads only the first directory of an external line", true));
    }
  }

  private static List<String> words(String line) {
    StringTokenizer tokens = new StringTokenizer(line, " \t");
    List<String> words = new ArrayList<>();
    while (tokens.hasMoreTokens()) {
      words.add(tokens.nextToken());
    }
    return words;
  }
}
