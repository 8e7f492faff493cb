package dev.weaklink.links;

import dev.weaklink.rules.Attributed;
import dev.weaklink.sys.StableId;

/** Which rule decided, in words for reasons. */
final class RuleWord {
  private RuleWord() {}

  /** "rules/site.yaml:12 says fail (because it is fragile)". */
  static String of(Attributed<? extends StableId> decided) {
    return of(decided, decided.value().id());
  }

  /** The same where what is said needs other words. */
  static String of(Attributed<?> decided, String said) {
    String because = decided.because();
    return decided.origin() + " says " + said + (because == null ? "" : " (" + because + ")");
  }
}
