package dev.weaklink.explain;

import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * Why a symbol's CRC changed.
 *
 * @param change what is behind it, as far as can be said
 * @param path the types from the symbol's declaration to the changed one, in C
 * @param way the same for readers: by which parameter or member each leads to the next
 * @param certainty how sure that is
 * @param others what else could be, or changed it as well; most likely first, at most two
 */
public record CrcCause(
    TypeChange change,
    List<String> path,
    List<String> way,
    Certainty certainty,
    List<TypeChange> others) {
  /** How sure a cause is. */
  public enum Certainty implements StableId {
    /** Nothing else that changed can be reached from the symbol. */
    ONLY,
    /** The source file is known to see every type on the way. */
    KNOWN,
    /** One of several that may be. */
    LIKELY
  }

  public CrcCause {
    path = List.copyOf(path);
    way = List.copyOf(way);
    others = List.copyOf(others);
  }
}
