package dev.weaklink.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule about what the check of a module finds: those whose id matches one of the patterns.
 *
 * @param findings patterns of ids of findings
 * @param rule which modules it is about, and what it says
 */
public record FindingRule(List<NamePattern> findings, Rule<Severity> rule) {
  public FindingRule {
    findings = List.copyOf(findings);
  }

  /** What the first rule says that is about a finding; null if none is. */
  public static @Nullable Attributed<Severity> first(List<FindingRule> rules, String finding) {
    for (FindingRule rule : rules) {
      if (Selector.any(rule.findings, finding)) {
        return rule.rule.decision();
      }
    }
    return null;
  }
}
