package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * A set of modules that were installed together.
 *
 * @param name what it is called in plans and messages
 * @param packageName the package's name without its version, null if no package is known
 * @param directory its directory below that of a kernel, such as {@code extra/mlnx-ofa_kernel};
 *     null if it has none of its own
 */
public record RuleUnit(String name, @Nullable String packageName, @Nullable String directory) {
  /** One that is known by its package. */
  public static RuleUnit ofPackage(String packageName) {
    return new RuleUnit(packageName, packageName, null);
  }
}
