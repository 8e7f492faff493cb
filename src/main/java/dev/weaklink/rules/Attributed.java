package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * A value and the rule that decided it.
 *
 * @param value what holds
 * @param origin where that is written
 * @param because the reason that is written with the rule, if any
 */
public record Attributed<T>(T value, RuleOrigin origin, @Nullable String because) {
  public Attributed(T value, RuleOrigin origin) {
    this(value, origin, null);
  }

  /** A value that no rule says. */
  public static <T> Attributed<T> byDefault(T value) {
    return new Attributed<>(value, RuleOrigin.NO_RULE, null);
  }
}
