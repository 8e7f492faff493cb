package dev.weaklink.system.initramfs;

import dev.weaklink.sys.StableId;

/** How a module of an image stands to what is installed. The ids are part of the contract. */
public enum ModuleState implements StableId {
  /** The very file that depmod selects, unpacked. */
  SAME,
  /** The same build of it: stripped or signed in another way. */
  SAME_BUILD,
  /** Another build than depmod selects now. */
  STALE,
  /** No module of that name is installed any more. */
  GONE,
  /** It, or the installed one, could not be read. */
  UNREADABLE,
  /** It is of another kernel, and not checked. */
  OTHER_KERNEL;

  /** Whether a new image would hold something else. */
  public boolean isOutOfDate() {
    return this == STALE || this == GONE;
  }
}
