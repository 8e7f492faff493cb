package dev.weaklink.check.report;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A check for people: per target what was held against it, why modules are refused, the counts. */
public final class CheckTable {
  /** Up to so many modules of a target have a line each. */
  private static final int FEW = 20;

  /** Up to so many refused modules have all their reasons below. */
  private static final int VERY_FEW = 3;

  private static final int MOST_PACKAGES = 12;

  private final Page page;

  public CheckTable(TableOptions options) {
    page = new Page(options);
  }

  /** The whole text; to be used once. */
  public String render(CheckReport report) {
    if (report.verdicts().isEmpty() && !report.problems().isEmpty()) {
      return ""; // nothing was judged, and the problems say why
    }
    for (String judged : report.judged()) {
      page.line(Escape.text(judged));
    }
    packages(report.verdicts());
    for (TargetSummary target : report.targets()) {
      target(target, report.verdictsOn(target));
    }
    if (!report.verdicts().isEmpty()) {
      SummaryFooter.write(page, report);
    }
    return page.text();
  }

  private void target(TargetSummary target, List<Verdict> verdicts) {
    page.gap();
    head(target, verdicts);
    List<Verdict> refused = only(Outcome.INCOMPATIBLE, verdicts);
    if (refused.size() > 1) {
      Reasons.writeRefused(page, refused);
    }
    if (verdicts.size() <= FEW || page.verbose()) {
      ModuleLines.write(page, verdicts, refused.size() > VERY_FEW && !page.verbose());
    } else {
      Reasons.writeUndetermined(page, only(Outcome.UNDETERMINED, verdicts));
      List<Verdict> breaking = new ArrayList<>(verdicts);
      breaking.removeIf(verdict -> !verdict.breaksOthers());
      ModuleLines.write(page, breaking, false);
    }
    Unchecked.write(page, verdicts);
  }

  private static List<Verdict> only(Outcome outcome, List<Verdict> verdicts) {
    List<Verdict> selected = new ArrayList<>();
    for (Verdict verdict : verdicts) {
      if (verdict.outcome() == outcome) {
        selected.add(verdict);
      }
    }
    return selected;
  }

  /** What was held against: the lines above its verdicts. */
  private void head(TargetSummary target, List<Verdict> verdicts) {
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

  /** Which packages the modules came in: a line for each above everything else. */
  private void packages(Iterable<Verdict> verdicts) {
    Set<String> lines = new LinkedHashSet<>();
    for (Verdict verdict : verdicts) {
      Origin.Owner owner = verdict.module().origin().owner();
      if (owner != null) {
        lines.add(line(owner));
      }
    }
    int shown = page.verbose() || lines.size() <= MOST_PACKAGES + 1 ? lines.size() : MOST_PACKAGES;
    for (String line : lines) {
      if (shown-- > 0) {
        page.line("modules of " + line);
      }
    }
    if (shown < 0) {
      page.line("and of " + Numbers.of(-shown, "other package") + ": see --verbose");
    }
  }

  private static String line(Origin.Owner owner) {
    String name = Escape.text(owner.name() + " " + owner.version()) + " (" + owner.kind();
    String product = owner.product();
    return product == null || product.equals(owner.name())
        ? name + ")"
        : name + ", product " + Escape.text(product) + ")";
  }
}
