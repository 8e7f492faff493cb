package dev.weaklink.initramfs;

/** How a module of an image stands to what is installed. The ids are part of the contract. */
public enum ModuleState {
  /** The very file that depmod selects, unpacked. */
  SAME("same"),
  /** The same build of it: stripped or signed in another way. */
  SAME_BUILD("same-build"),
  /** Another build than depmod selects now. */
  STALE("stale"),
  /** No module of that name is installed any more. */
  GONE("gone"),
  /** It, or the installed one, could not be read. */
  UNREADABLE("unreadable"),
  /** It is of another kernel, and not checked. */
  OTHER_KERNEL("other-kernel");

  private final String id;

  ModuleState(String id) {
    this.id = id;
  }

  /** Stable name in machine-readable output. */
  public String id() {
    return id;
  }

  /** Whether a new image would hold something else. */
  public boolean isOutOfDate() {
    return this == STALE || this == GONE;
  }
}
