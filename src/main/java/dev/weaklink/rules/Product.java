package dev.weaklink.rules;

import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Modules that belong together, from one or more units.
 *
 * @param id its short name
 * @param title its name for people
 * @param recognition how its units are recognised
 * @param required modules it is no use without: while one of them cannot be linked, none of the
 *     product is
 * @param allOrNothing which modules of one unit are linked together or not at all
 * @param provider which of several builds is tried first
 * @param mayBreak the kernel's own modules that may cease to load when this is linked
 * @param link whether it is linked at all
 * @param undetermined what is done with its modules of which nobody can say whether they load
 * @param rebuild how it is built for another kernel, null if no rule says
 */
public record Product(
    String id,
    Attributed<String> title,
    Recognition recognition,
    Attributed<List<String>> required,
    Attributed<Wholeness> allOrNothing,
    Attributed<ProviderPreference> provider,
    Attributed<List<String>> mayBreak,
    Attributed<LinkPolicy> link,
    Attributed<UndeterminedPolicy> undetermined,
    @Nullable Attributed<RebuildHint> rebuild) {
  /** The id of the product that has all units no other one has; the others inherit from it. */
  public static final String GENERIC = "generic";

  /** The generic product where no rule says anything about it. */
  public static final Product DEFAULT =
      new Product(
          GENERIC,
          Attributed.byDefault(GENERIC),
          Recognition.NONE,
          Attributed.byDefault(List.of()),
          Attributed.byDefault(Wholeness.DEPENDENT),
          Attributed.byDefault(ProviderPreference.NEWEST),
          Attributed.byDefault(List.of()),
          Attributed.byDefault(LinkPolicy.YES),
          Attributed.byDefault(UndeterminedPolicy.DO_NOT_LINK),
          null);

  /** What is done with a module of which nobody can say whether it would load. */
  public enum UndeterminedPolicy implements StableId {
    /** It is treated as if it would not. */
    DO_NOT_LINK,
    /** It is treated as if it would. */
    LINK
  }

  /** Which modules of a unit are linked together or not at all. */
  public enum Wholeness implements StableId {
    /** All of them. */
    UNIT("yes"),
    /** Those that depend on one another, directly or through others of the unit. */
    DEPENDENT("dependent"),
    /** None: each is linked by itself. */
    PARTS("no");

    private final String id;

    Wholeness(String id) {
      this.id = id;
    }

    @Override
    public String id() {
      return id;
    }
  }

  /** Whether modules that load on another kernel than they were built for are linked into it. */
  public enum LinkPolicy implements StableId {
    /** They are. */
    YES,
    /** They are not: they are to be rebuilt. */
    NO,
    /** A person is asked; where nobody can be, they are not. */
    ASK
  }
}
