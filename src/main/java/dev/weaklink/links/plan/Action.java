package dev.weaklink.links.plan;

import dev.weaklink.sys.StableId;

/**
 * What should happen with a module on a kernel. The ids are part of the machine-readable contract.
 */
public enum Action implements StableId {
  /** All is as it should be. */
  KEEP,
  /** A weak-updates link is to be made. */
  LINK,
  /** A weak-updates link is to point to another build. */
  REPLACE,
  /** A weak-updates link is to go, for what it points to would not be loaded. */
  UNLINK,
  /** No build that exists would be loaded; one has to be made for this kernel. */
  REBUILD,
  /** DKMS has it built for every kernel, and has not done so for this one yet. */
  BUILD,
  /** No build would be loaded, and none is asked for: all are for newer kernels. */
  LEAVE,
  /** Blocked by something that a rebuild may not fix; manual intervention is required. */
  BLOCKED
}
