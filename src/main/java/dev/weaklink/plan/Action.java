package dev.weaklink.plan;

/**
 * What should happen with a module on a kernel. The ids are part of the machine-readable contract.
 */
public enum Action {
  /** All is as it should be. */
  KEEP("keep"),
  /** A weak-updates link is to be made. */
  LINK("link"),
  /** A weak-updates link is to point to another build. */
  REPLACE("replace"),
  /** A weak-updates link is to go, for what it points to would not be loaded. */
  UNLINK("unlink"),
  /** No build that exists would be loaded; one has to be made for this kernel. */
  REBUILD("rebuild"),
  /** No build would be loaded, and none is asked for: all are for newer kernels. */
  LEAVE("leave"),
  /** Something stands in the way that a rebuild need not fix; manual intervention is required. */
  BLOCKED("blocked");

  private final String id;

  Action(String id) {
    this.id = id;
  }

  /** Stable name. */
  public String id() {
    return id;
  }
}
