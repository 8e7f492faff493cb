package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * A value and the rule that decided it.
 *
 * @param value what holds
 * @param origin where that is written
 * @param because the reason that is written with the rule, if any
 */
public record Decided<T>(T value, RuleOrigin origin, @Nullable String because) {
  public Decided(T value, RuleOrigin origin) {
    this(value, origin, null);
  }

  /** A value that no rule says. */
  public static <T> Decided<T> byDefault(T value) {
    return new Decided<>(value, RuleOrigin.NO_RULE, null);
  }
}
