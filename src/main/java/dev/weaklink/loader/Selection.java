package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.List;

/**
 * Which candidates {@link BestSubset} chose.
 *
 * @param decisions one for each candidate, in order
 * @param largest true if no larger set of them obeys the invariants; false if there may be one,
 *     because the search was cut short
 */
public record Selection(List<Decision> decisions, boolean largest) {

  /**
   * What was decided about one candidate.
   *
   * @param verdict of a chosen one: in the final environment; else if it were put into that
   *     environment with its group
   * @param status chosen, or why not
   */
  public record Decision(Candidate candidate, Verdict verdict, TrialOutcome status) {
    /** Whether it is to be linked. */
    public boolean chosen() {
      return status instanceof TrialOutcome.Chosen;
    }
  }

  /** The chosen candidates, in order. */
  public List<Candidate> chosen() {
    List<Candidate> chosen = new ArrayList<>();
    for (Decision decision : decisions) {
      if (decision.chosen()) {
        chosen.add(decision.candidate());
      }
    }
    return chosen;
  }
}
