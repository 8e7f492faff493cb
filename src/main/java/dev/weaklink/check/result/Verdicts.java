package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

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

  /** Whether one of the modules, put in place, keeps others from loading. */
  public static boolean breakOthers(List<Verdict> verdicts) {
    for (Verdict verdict : verdicts) {
      if (verdict.breaksOthers()) {
        return true;
      }
    }
    return false;
  }

  /** Names of the modules that would no longer load with these in place, sorted. */
  public static List<String> broken(List<Verdict> verdicts) {
    Set<String> names = new TreeSet<>();
    for (Verdict verdict : verdicts) {
      for (Finding finding : verdict.findings()) {
        if (finding.importer() != null) {
          names.add(finding.importer());
        }
      }
    }
    return List.copyOf(names);
  }
}
