package dev.weaklink.links.plan;

import dev.weaklink.system.WeakLink;
import java.util.List;

/**
 * A build of another kernel that a link could point to, and what was decided about it.
 *
 * @param module the module's name
 * @param unit what it belongs to
 * @param file its path as seen from inside the root
 * @param link the path its link belongs at, as seen from inside the root
 * @param present links that lead to it now
 * @param decision whether it may be linked
 */
public record LinkCandidate(
    String module, Unit unit, String file, String link, List<WeakLink> present, Decision decision) {
  public LinkCandidate {
    present = List.copyOf(present);
  }
}
