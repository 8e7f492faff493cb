package dev.weaklink.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule about modules.
 *
 * @param selector what it is about
 * @param decision what it says
 */
public record Rule<T>(Selector selector, Attributed<T> decision) {
  /** What the first rule says that is about this; null if none is. */
  static <T> @Nullable Attributed<T> first(
      List<Rule<T>> rules,
      @Nullable String module,
      @Nullable RuleUnit unit,
      @Nullable String kernel) {
    for (Rule<T> rule : rules) {
      if (rule.selector().matches(module, unit, kernel)) {
        return rule.decision();
      }
    }
    return null;
  }
}
