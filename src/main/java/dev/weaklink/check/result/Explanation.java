package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import java.util.List;

/**
 * One cause and the refused modules it accounts for.
 *
 * @param cause what they have in common
 * @param modules refused modules not accounted for by an earlier explanation, in report order
 * @param hits all refused modules that have this cause, accounted for or not
 */
public record Explanation(RefusalCause cause, List<Verdict> modules, int hits) {
  /** The cause as a clause, and what is worse and may matter to these modules; escaped. */
  public String clause() {
    TypeChange worst = null;
    for (Verdict verdict : modules) {
      for (Finding finding : verdict.findings()) {
        TypeChange one = finding.cause() == null ? null : finding.cause().worst();
        if (one != null
            && cause.isLessThan(one.change())
            && (worst == null || one.change().compareTo(worst.change()) < 0)) {
          worst = one;
        }
      }
    }
    String clause = cause.clause();
    return worst == null ? clause : clause + "; within reach: " + Escape.bytes(worst.clause());
  }
}
