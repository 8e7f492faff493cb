package dev.weaklink.audit;

import org.jspecify.annotations.Nullable;

/** What becomes of a set of modules on a kernel. The worst comes last. */
public enum SetStatus {
  /** All load, from the directory of this very kernel. */
  FINE("fine", "fine"),
  /** All would load if they were linked. */
  LINK("link", "link"),
  /** Something decisive could not be checked. */
  UNDETERMINED("undetermined", "not known"),
  /** Some are refused, and something is there to rebuild them with. */
  REBUILD("rebuild", "rebuild"),
  /** Some are refused, and nothing is known that builds them. */
  BLOCKED("blocked", "blocked");

  private final String id;
  private final String word;

  SetStatus(String id, String word) {
    this.id = id;
    this.word = word;
  }

  /** Its stable name. */
  public String id() {
    return id;
  }

  /** For people. */
  public String word() {
    return word;
  }

  /** Whether all modules of the set load. */
  public boolean loads() {
    return this == FINE || this == LINK;
  }

  /** Whether some module is refused. */
  public boolean isRefusal() {
    return this == REBUILD || this == BLOCKED;
  }

  /** The fate of this name, null if there is none. */
  public static @Nullable SetStatus of(String id) {
    for (SetStatus fate : values()) {
      if (fate.id.equals(id)) {
        return fate;
      }
    }
    return null;
  }
}
