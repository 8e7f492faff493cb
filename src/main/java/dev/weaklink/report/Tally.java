package dev.weaklink.report;

import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import java.util.List;

/**
 * How many verdicts there are of each kind.
 *
 * @param compatible verdicts that say the loader would accept
 * @param incompatible verdicts that say the loader would refuse
 * @param undetermined verdicts that say neither
 */
public record Tally(int compatible, int incompatible, int undetermined) {

  /** Counts. */
  public static Tally of(List<Verdict> verdicts) {
    int[] counts = new int[Outcome.values().length];
    for (Verdict verdict : verdicts) {
      counts[verdict.outcome().ordinal()]++;
    }
    return new Tally(
        counts[Outcome.COMPATIBLE.ordinal()],
        counts[Outcome.INCOMPATIBLE.ordinal()],
        counts[Outcome.UNDETERMINED.ordinal()]);
  }

  /** All verdicts. */
  public int total() {
    return compatible + incompatible + undetermined;
  }
}
