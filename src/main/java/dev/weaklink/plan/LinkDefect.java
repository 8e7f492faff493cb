package dev.weaklink.plan;

/**
 * What can be wrong with a link below weak-updates, the worst first. The ids are part of the
 * machine-readable contract.
 */
public enum LinkDefect {
  LEAVES_IMAGE("leaves-image", "the target is a path of the host that does not exist in the image"),
  LEFT_BEHIND("left-behind", "the module it pointed to is gone from its kernel's directory"),
  DANGLING("dangling", "its target does not exist"),
  LINK_TO_DIRECTORY("link-to-directory", "its target is a directory"),
  ONLY_LINKS("only-links", "its kernel was removed; only links are left of it"),
  OWN_KERNEL("own-kernel", "its target is a module of the same kernel"),
  INCOMPATIBLE("incompatible", "the kernel would refuse the module"),
  FOREIGN_TREE("foreign-tree", "its target is outside the kernels' extra and updates directories"),
  SHADOWED("shadowed", "the kernel has a build of its own of that module"),
  UNUSED("unused", "depmod chooses another file of that name"),
  UNSEEN("unseen", "it is not in modules.dep; run depmod"),
  UNDETERMINED("undetermined", "it could not be proven that the kernel would load the module"),
  NEWER_KERNEL("newer-kernel", "the module was built for a newer kernel; it would load");

  private final String id;
  private final String sentence;

  LinkDefect(String id, String sentence) {
    this.id = id;
    this.sentence = sentence;
  }

  /** Stable name. */
  public String id() {
    return id;
  }

  /** What it means. */
  public String sentence() {
    return sentence;
  }

  /** Whether removing the link is proven to take nothing away that works. */
  public boolean mayBeRemoved() {
    return switch (this) {
      case LEFT_BEHIND, ONLY_LINKS, OWN_KERNEL, INCOMPATIBLE, SHADOWED -> true;
      default -> false;
    };
  }

  /** Whether it only is unknown whether something is wrong, or nothing is. */
  public boolean isDoubt() {
    return this == UNDETERMINED || this == NEWER_KERNEL;
  }
}
