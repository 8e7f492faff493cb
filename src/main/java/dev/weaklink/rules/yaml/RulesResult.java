package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Rules;
import java.util.List;

/** The rules read from files, or, if anything was wrong, all problems. */
public sealed interface RulesResult {
  /**
   * Every file was in order.
   *
   * @param rules what is in force
   * @param files the files it is from, in the order in which they were read
   */
  record Good(Rules rules, List<String> files) implements RulesResult {
    public Good {
      files = List.copyOf(files);
    }
  }

  /**
   * Something was wrong, so nothing may be decided: a rule that was not understood could have
   * forbidden it.
   *
   * @param problems at least one, by file and line
   */
  record Bad(List<RuleProblem> problems) implements RulesResult {
    public Bad {
      problems = List.copyOf(problems);
    }
  }
}
