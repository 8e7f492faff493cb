package dev.weaklink.rebuild;

import dev.weaklink.rules.Decided;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.RebuildHint;
import dev.weaklink.rules.Rules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What rules say about building products. What a site says comes before what a system shows, for it
 * knows better; what comes with the program comes after, for it knows only names. Pure.
 */
final class RebuildRules {
  private final Rules rules;

  RebuildRules(Rules rules) {
    this.rules = rules;
  }

  /** What the site says about a product, null if nothing. */
  @Nullable Source ofSite(@Nullable String product) {
    return of(product, true);
  }

  /** What comes with the program about a product, null if nothing. */
  @Nullable Source shipped(@Nullable String product) {
    return of(product, false);
  }

  private @Nullable Source of(@Nullable String id, boolean site) {
    for (Product product : all()) {
      Decided<RebuildHint> hint = product.rebuild();
      if (product.id().equals(id) && hint != null && hint.origin().isOfSite() == site) {
        return source(product, hint);
      }
    }
    return null;
  }

  /** What the site says, if it is about one product only; null if it says nothing. */
  @Nullable Source only() {
    List<Product> said = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (Product product : all()) {
      Decided<RebuildHint> hint = product.rebuild();
      if (hint != null && hint.origin().isOfSite()) {
        said.add(product);
        names.add(product.id());
      }
    }
    if (said.size() > 1) {
      return new Source(
          "",
          "",
          List.of(),
          "rules say how to build " + String.join(", ", names) + "; name one with --product");
    }
    return said.isEmpty() ? null : ofSite(said.get(0).id());
  }

  private List<Product> all() {
    List<Product> all = new ArrayList<>(rules.products());
    all.add(rules.generic());
    return all;
  }

  private static Source source(Product product, Decided<RebuildHint> hint) {
    return new Source(
        hint.value().backend(),
        product.id(),
        hint.value().packages(),
        "as " + hint.origin() + " says",
        hint.value());
  }
}
