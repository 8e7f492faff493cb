package dev.weaklink.report;

import dev.weaklink.load.Verdict;
import java.util.List;

/**
 * All that one check found out.
 *
 * @param targets in the order given
 * @param verdicts by target as given, then by module order
 * @param problems what could not be judged; an unreadable module file has a verdict besides
 */
public record CheckReport(
    List<TargetSummary> targets, List<Verdict> verdicts, List<InputProblem> problems) {

  /** Takes copies. */
  public CheckReport {
    targets = List.copyOf(targets);
    verdicts = List.copyOf(verdicts);
    problems = List.copyOf(problems);
  }

  /** Counts of the verdicts. */
  public Tally tally() {
    return Tally.of(verdicts);
  }

  /** What a caller learns from the exit status alone. */
  public ExitCode exitCode() {
    Tally tally = tally();
    if (tally.incompatible() > 0) {
      return ExitCode.INCOMPATIBLE;
    }
    if (nothingJudged()) {
      return ExitCode.UNUSABLE;
    }
    return tally.undetermined() > 0 || !problems.isEmpty()
        ? ExitCode.UNDETERMINED
        : ExitCode.COMPATIBLE;
  }

  /** Whether there is not one module that could be read and held against a target. */
  private boolean nothingJudged() {
    for (Verdict verdict : verdicts) {
      if (!Verdicts.isUnreadable(verdict)) {
        return false;
      }
    }
    return true;
  }
}
