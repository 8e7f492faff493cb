package dev.weaklink.links.plan;

/** Why a build is not linked, although that need not be the loader's doing; and what then. */
public enum LinkBlocker {
  /** Others that it must not be without cannot be linked: its own links go, too. */
  INCOMPLETE(Action.REBUILD, true),
  /** Others that depend on it, or it on them, cannot be linked; a link that exists stays. */
  PARTIAL(Action.REBUILD, false),
  /**
   * Modules of the kernel would no longer load with it: a link goes that depmod has not seen,
   * before it is put into effect; one that is in effect stays.
   */
  BREAKING(Action.BLOCKED, false),
  /** A module that it must not be without is nowhere: its own links go, too. */
  LACKING(Action.BLOCKED, true),
  /** A rule wants it rebuilt; a link that exists stays. */
  REBUILT(Action.REBUILD, false),
  /** DKMS builds it for every kernel; a link that exists stays. */
  BUILT_BY_DKMS(Action.BUILD, false),
  /** A rule keeps it away, or leaves it to the administrator; a link that exists stays. */
  WITHHELD(Action.BLOCKED, false);

  private final Action action;
  private final boolean removesLinks;

  LinkBlocker(Action action, boolean removesLinks) {
    this.action = action;
    this.removesLinks = removesLinks;
  }

  /** What is to be done where there is no link. */
  Action action() {
    return action;
  }

  /** Whether a link that exists has to go. */
  boolean removesLinks() {
    return removesLinks;
  }
}
