package dev.weaklink.check.result;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Outcome;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which builds serve which kernels.
 *
 * @param kernels those of a series together, from old to new
 * @param rows the builds as given
 * @param problems what could not be used
 */
public record MatrixReport(List<Kernel> kernels, List<Row> rows, List<InputProblem> problems) {
  public MatrixReport {
    kernels = List.copyOf(kernels);
    rows = List.copyOf(rows);
    problems = List.copyOf(problems);
  }

  /**
   * A kernel.
   *
   * @param name what to call it among the others
   * @param series those it is compared with: {@code 5.14 el9 x86_64}
   */
  public record Kernel(String name, String release, String series) {
    public static final Comparator<Kernel> ORDER =
        Comparator.comparing(Kernel::series, KernelReleaseOrder.INSTANCE)
            .thenComparing(Kernel::release, KernelReleaseOrder.INSTANCE)
            .thenComparing(Kernel::name);

    public static Kernel of(String name, String release) {
      return new Kernel(name, release, seriesOf(release));
    }

    /** The first two numbers, and every word: distribution, flavour, architecture. */
    private static String seriesOf(String release) {
      StringBuilder series = new StringBuilder();
      String[] parts = release.split("[.+~-]", -1);
      for (int i = 0; i < parts.length; i++) {
        String part = parts[i];
        boolean word = !part.isEmpty() && Character.isLetter(part.charAt(0));
        if (word && part.toLowerCase(Locale.ROOT).startsWith("el") && part.indexOf('_') > 0) {
          part = part.substring(0, part.indexOf('_')); // el9_4 and el9_6 are one series
        }
        if (i < 2 || word) {
          series.append(i == 0 ? "" : i == 1 && !word ? "." : " ").append(part);
        }
      }
      return series.toString();
    }
  }

  /**
   * A build on all kernels.
   *
   * @param file the package, directory or module as found
   * @param name the package's name, empty if it is none
   * @param version the package's version, empty if it is none
   * @param builtFor releases that its modules were built for, sorted
   * @param modules how many it has
   * @param ranges its answers, which together cover all kernels in order
   */
  public record Row(
      String file,
      String name,
      String version,
      List<String> builtFor,
      int modules,
      List<Range> ranges) {
    public Row {
      builtFor = List.copyOf(builtFor);
      ranges = List.copyOf(ranges);
    }

    /** What to call it. */
    public String label() {
      return name.isEmpty() ? file : name + " " + version;
    }

    /** On how many kernels all its modules would load. */
    public int serves() {
      return ranges.stream().filter(Range::loads).mapToInt(Range::size).sum();
    }
  }

  /**
   * Kernels of one series, one after the other, with the same answer.
   *
   * @param first index of the oldest
   * @param last index of the newest
   * @param reason why not, at the edge to those that are served; empty if they load; escaped
   */
  public record Range(int first, int last, Outcome outcome, String reason) {
    public boolean loads() {
      return outcome == Outcome.COMPATIBLE;
    }

    public int size() {
      return last - first + 1;
    }

    public Range because(String why) {
      return new Range(first, last, outcome, why);
    }
  }

  /** The series of a range. */
  public String series(Range range) {
    return kernels.get(range.first()).series();
  }

  /** Ranges of one series, in order. */
  public List<List<Range>> bySeries(Row row) {
    List<List<Range>> all = new ArrayList<>();
    for (Range range : row.ranges()) {
      if (all.isEmpty() || !series(all.get(all.size() - 1).get(0)).equals(series(range))) {
        all.add(new ArrayList<>());
      }
      all.get(all.size() - 1).add(range);
    }
    return all;
  }

  /** The ranges of these answers, one for each kernel. */
  public static List<Range> ranges(List<Kernel> kernels, List<Outcome> answers) {
    List<Range> ranges = new ArrayList<>();
    int first = 0;
    for (int i = 1; i <= answers.size(); i++) {
      if (i == answers.size()
          || answers.get(i) != answers.get(first)
          || !kernels.get(i).series().equals(kernels.get(first).series())) {
        ranges.add(new Range(first, i - 1, answers.get(first), ""));
        first = i;
      }
    }
    return ranges;
  }

  /** The kernel of a range whose reason is told: the one next to those that are served. */
  public static int edge(List<Kernel> kernels, List<Range> ranges, int index) {
    Range range = ranges.get(index);
    boolean follows =
        index > 0
            && ranges.get(index - 1).loads()
            && kernels.get(range.first() - 1).series().equals(kernels.get(range.first()).series());
    return follows ? range.first() : range.last();
  }

  /** 0 if every build serves every kernel. */
  public ExitCode exitCode() {
    if (kernels.isEmpty() || rows.isEmpty()) {
      return ExitCode.UNUSABLE;
    }
    Set<Outcome> outcomes = new TreeSet<>();
    rows.forEach(row -> row.ranges().forEach(range -> outcomes.add(range.outcome())));
    if (outcomes.contains(Outcome.INCOMPATIBLE)) {
      return ExitCode.INCOMPATIBLE;
    }
    return outcomes.contains(Outcome.UNDETERMINED) || InputProblem.matter(problems)
        ? ExitCode.UNDETERMINED
        : ExitCode.COMPATIBLE;
  }
}
