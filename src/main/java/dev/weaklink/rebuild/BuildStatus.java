package dev.weaklink.rebuild;

/** What a build says of itself by its exit status and its words. */
public enum BuildStatus {
  /** It says it was built. */
  BUILT,
  /** It says there is nothing to build, since there are modules for that kernel. */
  ALREADY_THERE,
  /** It ended as if all were well, and built nothing. */
  NOTHING_BUILT,
  /** The source says it is not for this kernel. */
  NOT_FOR_THIS_KERNEL,
  /** It failed. */
  FAILED
}
