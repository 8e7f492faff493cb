package dev.weaklink.check.report;

import dev.weaklink.check.result.ReasonGroup;
import dev.weaklink.explain.CauseText;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.List;

/** Why modules are refused or undetermined: modules with the same reason together. */
final class Reasons {
  private static final int MOST_GROUPS = 10;
  private static final int MOST_CRCS = 3;

  private Reasons() {}

  static void writeRefused(Page page, List<Verdict> refused) {
    List<ReasonGroup> groups = ReasonGroup.ofRefused(refused);
    int shown = page.verbose() ? groups.size() : Math.min(MOST_GROUPS, groups.size());
    for (int i = 0; i < shown; i++) {
      page.gap();
      write(page, groups.get(i), refused.size(), i == 0);
    }
    int left = 0;
    for (ReasonGroup group : groups.subList(shown, groups.size())) {
      left += group.modules().size();
    }
    if (left > 0) {
      page.gap();
      page.line(
          Numbers.of(groups.size() - shown, "further cause")
              + " for the remaining "
              + Numbers.of(left, "refused module")
              + ": see --verbose");
    }
  }

  private static void write(Page page, ReasonGroup group, int refused, boolean first) {
    page.line(
        page.styled(Style.BAD, group.reason()) + ": accounts for " + group.share(refused, first));
    if (!group.wants().isEmpty()) {
      page.line("  wanted " + few(group.wants()) + "; " + few(group.offers()));
    }
    CrcCause cause = group.cause();
    if (cause != null) {
      CauseText.members(cause.change(), page.verbose()).forEach(line -> page.line("  " + line));
      boolean likely = cause.certainty() == CrcCause.Certainty.LIKELY;
      page.sentence(2, "", (likely ? "most likely " : "") + CauseText.path(cause));
      if (likely && !cause.others().isEmpty()) {
        TypeChange second = cause.others().get(0);
        String title = Escape.text(second.title());
        page.line("  may also be due to " + title + ", " + CauseText.kind(second));
      }
    }
    if (group.dmesg() != null) {
      page.line("  dmesg: " + group.dmesg());
    }
    modules(page, group);
  }

  private static String few(List<String> values) {
    if (values.size() <= MOST_CRCS) {
      return String.join(" or ", values);
    }
    return String.join(" or ", values.subList(0, MOST_CRCS))
        + " or "
        + (values.size() - MOST_CRCS)
        + " others";
  }

  static void writeUndetermined(Page page, List<Verdict> undetermined) {
    List<ReasonGroup> groups = ReasonGroup.ofUndetermined(undetermined);
    int shown = 0;
    for (ReasonGroup group : groups) {
      page.gap();
      if (shown++ == MOST_GROUPS) {
        page.line(
            Numbers.of(groups.size() - MOST_GROUPS, "further reason")
                + " for undetermined modules: see --verbose");
        return;
      }
      page.line(
          page.styled(Style.UNSURE, Numbers.of(group.modules().size(), "undetermined module"))
              + ": "
              + group.reason());
      modules(page, group);
    }
  }

  private static void modules(Page page, ReasonGroup group) {
    page.wrapped(2, "modules:", page.shortened(group.modules()), ",");
  }
}
