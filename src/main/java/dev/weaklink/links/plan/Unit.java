package dev.weaklink.links.plan;

import org.jspecify.annotations.Nullable;

/**
 * Modules that were installed together, as plans call them.
 *
 * @param name the package's name; without one, the directory such as {@code extra/foo}; without one
 *     of its own, the module's name
 * @param product the id of the product that rules take it for, null if for none
 */
public record Unit(String name, @Nullable String product) {
  /** What the two are called where there is one line for each product. */
  public String label() {
    return product == null ? name : product;
  }
}
