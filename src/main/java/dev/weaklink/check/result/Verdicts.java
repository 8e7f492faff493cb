package dev.weaklink.check.result;

import dev.weaklink.load.Finding;
import dev.weaklink.load.Layer;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;

/** Questions that several renderers ask of a verdict. */
public final class Verdicts {
  private Verdicts() {}

  /** Whether the module's file could not be read at all. */
  public static boolean isUnreadable(Verdict verdict) {
    if (verdict.outcome() != Outcome.UNDETERMINED) {
      return false;
    }
    for (Finding finding : verdict.findings()) {
      if (finding.layer() == Layer.INPUT) {
        return true;
      }
    }
    return false;
  }
}
