package dev.weaklink.audit;

import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.List;

/** The oldest and the newest target that loads all of a set. */
final class CompatibleRange {
  private CompatibleRange() {}

  /** The sets with them. */
  static List<AuditedSet> applied(List<AuditedSet> sets, SetVerdicts verdicts) {
    Integer[] oldest = new Integer[sets.size()];
    Integer[] newest = new Integer[sets.size()];
    for (SetVerdict verdict : verdicts) {
      if (verdict.fate().loads()) {
        int set = verdict.set();
        int target = verdict.target();
        oldest[set] = oldest[set] == null ? target : Math.max(oldest[set], target);
        newest[set] = newest[set] == null ? target : Math.min(newest[set], target);
      }
    }
    List<AuditedSet> served = new ArrayList<>();
    for (AuditedSet set : sets) {
      served.add(
          new AuditedSet(
              set.id(),
              set.digest(),
              set.kernel(),
              set.product(),
              set.policy(),
              set.modules(),
              oldest[set.id()],
              newest[set.id()]));
    }
    return served;
  }
}
