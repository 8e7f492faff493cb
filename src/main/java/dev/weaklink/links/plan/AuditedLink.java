package dev.weaklink.links.plan;

import java.util.List;

/**
 * A link and what is wrong with it.
 *
 * @param kernel the kernel whose directory it lies in
 * @param path its path as seen from inside the root
 * @param target what is written in it
 * @param module the module it provides
 * @param defects what is wrong with it, the worst first; empty if nothing is
 * @param reason more about the worst of them, empty if there is nothing more to say
 */
public record AuditedLink(
    String kernel,
    String path,
    String target,
    String module,
    List<LinkDefect> defects,
    String reason) {
  public AuditedLink {
    defects = List.copyOf(defects);
  }

  /** Whether its removal is proven to take nothing away that works. */
  public boolean mayBeRemoved() {
    if (defects.contains(LinkDefect.FOREIGN_TREE)) {
      return false;
    }
    return defects.stream().anyMatch(defect -> defect.mayBeRemoved());
  }

  /** Whether something is wrong for certain. */
  public boolean isDefective() {
    return defects.stream().anyMatch(defect -> !defect.isDoubt());
  }

  /** Whether it is unknown if the module would load; that it is for a newer kernel is no doubt. */
  public boolean isDoubtful() {
    return defects.contains(LinkDefect.UNDETERMINED);
  }

  /** Whether nothing is wrong once depmod has run. */
  public boolean onlyNeedsDepmod() {
    for (LinkDefect defect : defects) {
      if (!defect.isDoubt() && defect != LinkDefect.UNSEEN) {
        return false;
      }
    }
    return defects.contains(LinkDefect.UNSEEN);
  }
}
