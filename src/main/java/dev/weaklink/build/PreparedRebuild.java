package dev.weaklink.build;

import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Obstacle;
import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.Root;
import java.util.List;

/**
 * A rebuild that could be started; nothing was written for it yet.
 *
 * @param request what was asked
 * @param root the tree it is for
 * @param evidence what that shows
 * @param backend what builds
 * @param reason why that one
 * @param job what it is given
 * @param steps what is run, exactly
 * @param obstacles what stands in the way
 * @param run where it will be kept
 */
public record PreparedRebuild(
    RebuildRequest request,
    Root root,
    Evidence evidence,
    Backend backend,
    String reason,
    Job job,
    List<Step> steps,
    List<Obstacle> obstacles,
    RunDirectory run) {
  public PreparedRebuild {
    steps = List.copyOf(steps);
    obstacles = List.copyOf(obstacles);
  }

  /** Whether it would fail. */
  public boolean isBlocked() {
    for (Obstacle obstacle : obstacles) {
      if (obstacle.weight() == Obstacle.Weight.BLOCKS) {
        return true;
      }
    }
    return false;
  }
}
