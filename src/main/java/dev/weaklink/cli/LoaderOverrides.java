package dev.weaklink.cli;

import dev.weaklink.kernel.LoaderRule;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Loader rules set by hand on the command line. */
final class LoaderOverrides {
  private LoaderOverrides() {}

  /** The keys that can be set. */
  static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (LoaderRule rule : LoaderRule.values()) {
      keys.add(rule.key());
    }
    return keys;
  }

  /**
   * Reads {@code KEY=VALUE} words; the last one of a key counts.
   *
   * @throws UsageException if one has no value or an unknown key
   */
  static Map<LoaderRule, String> parse(List<String> words) {
    Map<LoaderRule, String> overrides = new EnumMap<>(LoaderRule.class);
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 0 || equals == word.length() - 1) {
        throw new UsageException("--loader takes KEY=VALUE, not '" + word + "'");
      }
      overrides.put(rule(word.substring(0, equals)), word.substring(equals + 1));
    }
    return overrides;
  }

  private static LoaderRule rule(String key) {
    for (LoaderRule rule : LoaderRule.values()) {
      if (rule.key().equals(key)) {
        return rule;
      }
    }
    throw new UsageException(
        "--loader has no key '" + key + "'; it has " + String.join(", ", keys()));
  }
}
