package dev.weaklink.rules.yaml;

import dev.weaklink.sys.Root;

/** Reads the rules that are in force. */
public final class RulesReader {
  private RulesReader() {}

  /**
   * Reads the rules that come with the program and those in {@code /etc/weaklink} of the root.
   *
   * @return never fails otherwise than with {@link RulesResult.Bad}
   */
  public static RulesResult read(Root root) {
    throw new UnsupportedOperationException("not yet");
  }
}
