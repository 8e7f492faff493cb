package dev.weaklink.check;

import dev.weaklink.rules.Decided;
import dev.weaklink.rules.RuleUnit;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesResult;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.ModuleBuild;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which out-of-tree modules a site's rules say to leave alone ({@code ignore}). */
final class LeftAlone {
  private final Rules rules;
  private final Map<String, RuleUnit> units = new HashMap<>();

  private LeftAlone(Rules rules) {
    this.rules = rules;
  }

  /**
   * Reads the rules, and finds out what those modules were installed with.
   *
   * @param problems takes what cannot be read
   */
  static LeftAlone read(
      Root root,
      InstalledModules installed,
      Collection<String> names,
      Collection<InputProblem> problems) {
    RulesResult result = RulesReader.read(root);
    if (result instanceof RulesResult.Bad bad) {
      for (RuleProblem problem : bad.problems()) {
        problems.add(new InputProblem(problem.place(), problem.message()));
      }
    }
    LeftAlone found =
        new LeftAlone(result instanceof RulesResult.Good good ? good.rules() : Rules.NONE);
    if (!found.rules.ignored().isEmpty()) {
      found.readUnits(root, installed, names, problems);
    }
    return found;
  }

  private void readUnits(
      Root root,
      InstalledModules installed,
      Collection<String> names,
      Collection<InputProblem> problems) {
    List<ModuleBuild> builds = new ArrayList<>();
    for (String name : names) {
      InstalledModules.Found found = installed.build(name, null);
      ModuleBuild build = found == null ? null : installed.asBuild(found);
      if (build != null) {
        builds.add(build);
      }
    }
    List<InputProblem> met = new ArrayList<>();
    List<RuleUnit> found = Units.of(root, builds, met);
    problems.addAll(met);
    for (int i = 0; i < builds.size(); i++) {
      units.put(builds.get(i).name(), found.get(i));
    }
  }

  /**
   * The rule that says so.
   *
   * @param kernel a release; null if it is not known, and then no rule counts that names kernels
   * @return null if there is none
   */
  @Nullable String rule(String name, @Nullable String kernel) {
    Decided<Boolean> said = rules.isIgnored(name, units.get(name), kernel);
    return said.value() ? said.origin().toString() : null;
  }
}
