package dev.weaklink.rebuild;

import dev.weaklink.sys.ShellWord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds in the logs of a failed build the line that says why: in the deepest log that says
 * anything, the first error of a compiler or a package tool. Pure.
 */
public final class LogDigest {
  private static final int MAX_LINE = 500;
  private static final String UNMET = "nmet build dependencies:";

  private final Job.Place place;
  private final Platform platform;

  public LogDigest(Job.Place place, Platform platform) {
    this.place = place;
    this.platform = platform;
  }

  /**
   * Says why.
   *
   * @param logs what was printed, then the logs it named, each after the one that names it
   * @param status the exit status
   */
  public Diagnosis read(List<LogText> logs, int status) {
    for (LogPattern.Strength strength : LogPattern.Strength.values()) {
      for (int i = logs.size() - 1; i >= 0; i--) {
        Diagnosis found = read(logs.get(i), strength);
        if (found != null) {
          return found;
        }
      }
    }
    return unknown(logs, status);
  }

  /** The last words of the deepest log that has any. */
  private static Diagnosis unknown(List<LogText> logs, int status) {
    String next = "exit status " + status + ", and no log says why; look at the end of the log";
    for (int i = logs.size() - 1; i >= 0; i--) {
      String line = lastLine(logs.get(i));
      if (!line.isEmpty()) {
        return new Diagnosis(Cause.UNKNOWN, line, logs.get(i).file(), next);
      }
    }
    return new Diagnosis(Cause.UNKNOWN, "", "", next);
  }

  /** The first line of that strength. */
  private @Nullable Diagnosis read(LogText log, LogPattern.Strength strength) {
    for (int i = 0; i < log.lines().size(); i++) {
      String line = log.lines().get(i);
      LogPattern pattern = LogPattern.matching(line);
      if (pattern != null && pattern.strength() == strength) {
        Cause cause = pattern.cause();
        String said = shortened(said(log.lines(), i));
        return new Diagnosis(cause, said, log.file(), next(cause, log.lines(), i));
      }
    }
    return null;
  }

  /** Behind a colon at its end a line goes on in the next. */
  private static String said(List<String> lines, int at) {
    String line = lines.get(at).strip();
    boolean goesOn = line.endsWith(":") && at + 1 < lines.size();
    return goesOn ? line + " " + lines.get(at + 1).strip() : line;
  }

  /** What to do about it; the build's own proposal comes first. */
  private String next(Cause cause, List<String> lines, int at) {
    String proposed = cause == Cause.MISSING_PACKAGE ? proposed(lines, at) : null;
    return proposed != null ? proposed : NextStep.of(cause, place, platform);
  }

  /** The command behind a line "Run:", or the packages that rpmbuild asks for. */
  private @Nullable String proposed(List<String> lines, int at) {
    String tool = tool(lines.get(at));
    String program = tool.isEmpty() ? LogPattern.missingProgram(lines.get(at)) : tool;
    if (!program.isEmpty()) {
      String name = Packages.with(program, platform);
      name = name.isEmpty() ? tool : name;
      String install = name.isEmpty() ? null : installing(List.of(name));
      String what = (tool.isEmpty() ? "the program " : "") + ShellWord.of(program);
      return (install == null ? "install " + what : install)
          + (program.startsWith("createrepo") ? "; or do without a repository: --skip-repo" : "");
    }
    List<String> unmet = unmet(lines.get(at));
    if (!unmet.isEmpty()) {
      return installing(unmet);
    }
    for (int i = at; i < Math.min(lines.size() - 1, at + 20); i++) {
      if (lines.get(i).strip().equals("Run:")) {
        return lines.get(i + 1).strip();
      }
    }
    List<String> wanted = new ArrayList<>();
    for (int i = at + 1; i < lines.size() && lines.get(i).contains(" is needed by "); i++) {
      String name = lines.get(i).strip();
      wanted.add(name.substring(0, name.indexOf(' ')));
    }
    return wanted.isEmpty() ? null : installing(wanted);
  }

  /** The command, in which nothing that a log says is more than a word to a shell. */
  private @Nullable String installing(List<String> packages) {
    List<String> words = platform.install(packages);
    return words == null ? null : String.join(" ", words.stream().map(ShellWord::of).toList());
  }

  /** The packages dpkg-checkbuilddeps asks for, of alternatives the first. */
  private static List<String> unmet(String line) {
    int start = line.indexOf(UNMET);
    if (start < 0) {
      return List.of();
    }
    Set<String> packages = new LinkedHashSet<>();
    boolean alternative = false;
    String asked = line.substring(start + UNMET.length()).replaceAll("[(][^)]*[)]", "");
    for (String word : asked.strip().split(" +")) {
      if (!alternative && !word.equals("|")) {
        packages.add(Packages.real(word.replaceFirst(":.*", "")));
      }
      alternative = word.equals("|");
    }
    packages.removeIf(name -> !name.matches("[a-z0-9][a-z0-9.+-]+"));
    return new ArrayList<>(packages);
  }

  /** Of {@code 'bzip2' is not installed!} the name, of kbuild's line libelf; empty of others. */
  private static String tool(String line) {
    if (line.contains("please install libelf-dev")) {
      return "libelf";
    }
    int end = line.indexOf("' is not installed!");
    int start = end < 0 ? -1 : line.lastIndexOf('\'', end - 1);
    return start < 0 ? "" : line.substring(start + 1, end);
  }

  private static String shortened(String line) {
    String bare = line.strip();
    return bare.length() > MAX_LINE ? bare.substring(0, MAX_LINE) + "..." : bare;
  }

  private static String lastLine(LogText log) {
    List<String> lines = log.lines();
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (!lines.get(i).isBlank()) {
        return shortened(lines.get(i));
      }
    }
    return "";
  }
}
