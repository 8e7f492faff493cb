package dev.weaklink.report;

import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.load.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What was held against: the lines above a target's verdicts. */
final class TargetHead {
  private TargetHead() {}

  static void write(Page page, TargetSummary target, List<Verdict> verdicts) {
    page.line(
        page.styled(Style.HEADING, Escape.text(target.label()))
            + " ("
            + target.kind().words()
            + "): "
            + Numbers.of(target.vmlinuxExports(), "symbol")
            + " of vmlinux, "
            + Numbers.of(target.ownModules(), "module")
            + " of its own");
    if (target.symvers() != null && !target.symvers().equals(target.label())) {
      page.line("  symbols from " + Escape.text(target.symvers()));
    }
    Set<String> used = new HashSet<>();
    for (Verdict verdict : verdicts) {
      used.addAll(verdict.assumed());
    }
    for (LoaderRule rule : LoaderRule.values()) {
      LoaderRules.Setting setting = target.rules().setting(rule);
      if (setting.assumed() && (page.verbose() || used.contains(rule.id()))) {
        page.sentence(
            2,
            "assumed:",
            Escape.text(rule.id() + "=" + setting.value() + ", " + setting.evidence()));
      }
    }
    for (String note : target.allNotes()) {
      page.sentence(2, "note:", Escape.text(note));
    }
  }
}
