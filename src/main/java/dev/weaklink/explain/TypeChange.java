package dev.weaklink.explain;

import java.util.List;

/**
 * A type or prototype whose own definition differs between two kernels.
 *
 * @param kind struct, union, enum, typedef or prototype
 * @param name its name; of a prototype the function's
 * @param change what a module built for the older kernel would notice
 * @param members what differs in it, in the order of the newer definition, what was removed last
 * @param sizeBefore bytes, -1 where a size means nothing
 * @param sizeAfter likewise
 */
public record TypeChange(
    String kind,
    String name,
    Change change,
    List<MemberChange> members,
    long sizeBefore,
    long sizeAfter) {
  /** What kind of difference it is. */
  public enum Change {
    /** Sizes, offsets or values differ. */
    LAYOUT(" has changed (layout)"),
    /** All lies where it did, but functions take, return or point to something else. */
    SIGNATURE(" has changed (signature)"),
    /** The same layout and the same types by other names: the CRC changed for nothing. */
    SPELLING(" is spelled differently (same layout)");

    private final String clause;

    Change(String clause) {
      this.clause = clause;
    }

    /** What happened, behind the name of a type. */
    public String clause() {
      return clause;
    }
  }

  public TypeChange {
    members = List.copyOf(members);
  }

  /** What happened, as a clause. */
  public String clause() {
    return title() + change.clause;
  }

  /** As in C: {@code struct net_device}; a prototype's name alone. */
  public String title() {
    return kind.equals("prototype") ? name : kind + " " + name;
  }
}
