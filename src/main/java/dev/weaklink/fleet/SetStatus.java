package dev.weaklink.fleet;

import dev.weaklink.sys.StableId;

/** What becomes of a set of modules on a kernel. The worst comes last. */
public enum SetStatus implements StableId {
  /** All load, from the directory of this very kernel. */
  FINE,
  /** All would load if they were linked. */
  LINK,
  /** Something decisive could not be checked. */
  UNDETERMINED,
  /** Some are refused, and something is there to rebuild them with. */
  REBUILD,
  /** Some are refused, and nothing is known that builds them. */
  BLOCKED;

  /** For people. */
  public String word() {
    return this == UNDETERMINED ? "not known" : id();
  }

  /** Whether all modules of the set load. */
  public boolean loads() {
    return this == FINE || this == LINK;
  }

  /** Whether some module is refused. */
  public boolean isRefusal() {
    return this == REBUILD || this == BLOCKED;
  }
}
