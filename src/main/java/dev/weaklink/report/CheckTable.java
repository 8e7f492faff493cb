package dev.weaklink.report;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;

/** A check for people: per target what was held against it, why modules are refused, the counts. */
public final class CheckTable {
  /** Up to so many modules of a target have a line each. */
  private static final int FEW = 20;

  /** Up to so many refused modules have all their reasons below. */
  private static final int VERY_FEW = 3;

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
    PackageLines.write(page, report.verdicts());
    for (TargetSummary target : report.targets()) {
      target(target, report.verdictsOn(target));
    }
    if (!report.verdicts().isEmpty()) {
      Closing.write(page, report);
    }
    return page.text();
  }

  private void target(TargetSummary target, List<Verdict> verdicts) {
    page.gap();
    TargetHead.write(page, target, verdicts);
    List<Verdict> refused = only(Outcome.INCOMPATIBLE, verdicts);
    if (refused.size() > 1) {
      Reasons.writeRefused(page, refused);
    }
    if (verdicts.size() <= FEW || page.verbose()) {
      ModuleLines.write(page, verdicts, refused.size() > VERY_FEW && !page.verbose());
    } else {
      Reasons.writeUndetermined(page, only(Outcome.UNDETERMINED, verdicts));
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
}
