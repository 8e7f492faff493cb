package dev.weaklink.rebuild.run;

import dev.weaklink.links.plan.RebuildGroup;
import org.jspecify.annotations.Nullable;

/**
 * A rebuild that a plan calls for, looked at before any is started.
 *
 * @param group what it is for
 * @param prepared what would be run, and what would make it fail; null if that is not known
 * @param kept an earlier run of the same that has come to its end and was not installed; null if
 *     there is none
 * @param refusal why it cannot be started, and what to do about it; empty if it can
 */
public record PlannedRebuild(
    RebuildGroup group,
    @Nullable PreparedRebuild prepared,
    @Nullable KeptRun kept,
    String refusal) {
  /** One of a plan that nobody has looked into further. */
  public static PlannedRebuild of(RebuildGroup group) {
    return new PlannedRebuild(group, null, null, "");
  }
}
