package dev.weaklink.rules;

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
}
