package dev.weaklink.fleet;

import dev.weaklink.sys.StableId;

/** How nodes stand to a kernel: what comes before they can boot it with all their modules. */
public enum NodeState implements StableId {
  /** The kernel is installed, and all modules load from its own directory. */
  READY,
  /** The kernel is installed, and all modules would load once they are linked to it. */
  LINK,
  /** All modules would load, and the kernel is not installed. */
  INSTALL,
  /**
   * Some modules are refused, or keep the kernel's own from loading, and something is there to
   * rebuild them with.
   */
  REBUILD,
  /** The same, and nothing is known that builds them. */
  BLOCKED,
  /** Something decisive could not be checked. */
  UNDETERMINED;

  /** Whether no module is refused, and none keeps others from loading. */
  public boolean loads() {
    return this == READY || this == LINK || this == INSTALL;
  }

  /** Whether some module is refused, or keeps others from loading. */
  public boolean isRefusal() {
    return this == REBUILD || this == BLOCKED;
  }
}
