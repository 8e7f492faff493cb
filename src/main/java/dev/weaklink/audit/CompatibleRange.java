package dev.weaklink.audit;

import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.Part;
import dev.weaklink.audit.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The oldest and the newest target that loads all of a set. */
final class CompatibleRange {
  private CompatibleRange() {}

  /**
   * The sets with them.
   *
   * @param part if only some verdicts are there, that is unknown
   */
  static List<AuditedSet> applied(
      List<AuditedSet> sets, List<SetVerdict> verdicts, @Nullable Part part) {
    if (part != null) {
      return sets;
    }
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
