package dev.weaklink.rebuild;

import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * How one of the rebuilds of a plan ended.
 *
 * @param group what it was for
 * @param modules names of the modules it was for, and of those that were installed with them,
 *     sorted
 * @param state how it ended
 * @param run the run's directory as {@code KERNEL/N}; empty if there is none
 * @param reason why it was not installed, one line; empty if it was
 * @param next what to do about that, a command or a sentence; empty if there is nothing to say
 */
public record RebuildResult(
    RebuildGroup group, List<String> modules, State state, String run, String reason, String next) {
  public RebuildResult {
    modules = List.copyOf(modules);
  }

  /** One that installed no modules beyond those it was for. */
  public RebuildResult(RebuildGroup group, State state, String run, String reason, String next) {
    this(group, group.modules(), state, run, reason, next);
  }

  /** How a rebuild of a plan can end. The ids are part of the machine-readable contract. */
  public enum State implements StableId {
    /** It was built, now or in an earlier run, and installed. */
    INSTALLED,
    /** What it is for was built and installed with another. */
    NOT_NEEDED,
    /** It was built, and is not to be installed. */
    BUILT,
    /** It was not started: it would have failed. */
    BLOCKED,
    /** It was not built, or what was built is of no use. */
    FAILED,
    /** It was built, and could not be installed; all is as before. */
    NOT_INSTALLED,
    /** It was built, and is installed in part. */
    BROKEN
  }
}
