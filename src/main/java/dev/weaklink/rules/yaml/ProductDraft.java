package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.LinkPolicy;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.ProviderPreference;
import dev.weaklink.rules.RebuildHint;
import dev.weaklink.rules.Recognition;
import dev.weaklink.rules.UndeterminedPolicy;
import dev.weaklink.rules.Wholeness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one file says about a product, or several files together; null is what they do not say.
 *
 * @param file the file that said something last
 * @param at where it did
 */
record ProductDraft(
    String id,
    String file,
    Place at,
    @Nullable Attributed<String> title,
    @Nullable Recognition recognition,
    @Nullable Attributed<List<String>> required,
    @Nullable Attributed<Wholeness> allOrNothing,
    @Nullable Attributed<ProviderPreference> provider,
    @Nullable Attributed<List<String>> mayBreak,
    @Nullable Attributed<LinkPolicy> link,
    @Nullable Attributed<UndeterminedPolicy> undetermined,
    @Nullable Attributed<RebuildHint> rebuild) {
  /** What this says, and where it says nothing, what an earlier file says. */
  ProductDraft over(@Nullable ProductDraft earlier) {
    if (earlier == null) {
      return this;
    }
    return new ProductDraft(
        id,
        file,
        at,
        either(title, earlier.title),
        either(recognition, earlier.recognition),
        either(required, earlier.required),
        either(allOrNothing, earlier.allOrNothing),
        either(provider, earlier.provider),
        either(mayBreak, earlier.mayBreak),
        either(link, earlier.link),
        either(undetermined, earlier.undetermined),
        either(rebuild, earlier.rebuild));
  }

  /** The product; what nobody says about it holds as for another, but for what makes it itself. */
  Product inheriting(Product other) {
    return new Product(
        id,
        title == null ? Attributed.byDefault(id) : title,
        recognition == null ? Recognition.NONE : recognition,
        required == null ? Attributed.byDefault(List.of()) : required,
        allOrNothing == null ? other.allOrNothing() : allOrNothing,
        provider == null ? other.provider() : provider,
        mayBreak == null ? Attributed.byDefault(List.of()) : mayBreak,
        link == null ? other.link() : link,
        undetermined == null ? other.undetermined() : undetermined,
        rebuild);
  }

  private static <T> @Nullable T either(@Nullable T value, @Nullable T otherwise) {
    return value == null ? otherwise : value;
  }
}
