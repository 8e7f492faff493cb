package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;

/** The logs that a line of output or of a log names. Pure. */
public final class LogReferences {
  private static final List<String> INTRODUCTIONS =
      List.of("See log file ", "See ", "See: ", "Consult ", "Log file: ", "log in ");

  private LogReferences() {}

  /** Absolute paths, in the order of the lines. */
  public static List<String> in(List<String> lines) {
    List<String> paths = new ArrayList<>();
    for (String line : lines) {
      for (String introduction : INTRODUCTIONS) {
        int at = line.indexOf(introduction);
        if (at >= 0 && line.startsWith("/", at + introduction.length())) {
          paths.add(path(line, at + introduction.length()));
          break;
        }
      }
    }
    return paths;
  }

  private static String path(String line, int from) {
    int end = line.indexOf(' ', from);
    String path = end < 0 ? line.substring(from) : line.substring(from, end);
    return path.endsWith(".") || path.endsWith(",") ? path.substring(0, path.length() - 1) : path;
  }
}
