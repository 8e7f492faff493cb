package dev.weaklink.report;

import dev.weaklink.load.Finding;
import dev.weaklink.load.Finding.Effect;
import dev.weaklink.load.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Why modules are refused or undetermined: modules with the same reason together. */
final class Reasons {
  private static final int MOST_GROUPS = 10;
  private static final int MOST_CRCS = 3;

  private Reasons() {}

  static void writeRefused(Page page, List<Verdict> refused) {
    List<Explanation> explanations = FewestCauses.of(refused);
    int shown = page.verbose() ? explanations.size() : Math.min(MOST_GROUPS, explanations.size());
    for (Explanation explanation : explanations.subList(0, shown)) {
      page.gap();
      write(page, explanation, refused.size(), explanation == explanations.get(0));
    }
    int left = 0;
    for (Explanation explanation : explanations.subList(shown, explanations.size())) {
      left += explanation.modules().size();
    }
    if (left > 0) {
      page.gap();
      page.line(
          Numbers.of(explanations.size() - shown, "further cause")
              + " for the remaining "
              + Numbers.of(left, "refused module")
              + ": see --verbose");
    }
  }

  private static void write(Page page, Explanation explanation, int refused, boolean first) {
    int count = explanation.modules().size();
    page.line(
        page.styled(Style.BAD, explanation.cause().clause())
            + ": "
            + (first ? "explains " : "explains another ")
            + Numbers.grouped(count)
            + " of "
            + Numbers.of(refused, "refused module")
            + (explanation.hits() > count
                ? " (and is one of the reasons for " + Numbers.grouped(explanation.hits()) + ")"
                : ""));
    demands(page, explanation);
    example(page, explanation);
    page.wrapped(2, "modules:", page.shortened(names(explanation.modules())), ",");
  }

  /** What the modules want and what the target offers instead, if that can be said shortly. */
  private static void demands(Page page, Explanation explanation) {
    Set<String> wants = new LinkedHashSet<>();
    Set<String> offers = new LinkedHashSet<>();
    for (Verdict verdict : explanation.modules()) {
      Finding finding = findingOf(explanation.cause(), verdict);
      if (finding != null && finding.wants() != null && finding.offers() != null) {
        wants.add(Escape.bytes(finding.wants()));
        offers.add(FindingText.offer(finding));
      }
    }
    if (!wants.isEmpty()) {
      page.line("  wanted " + few(wants) + "; " + few(offers));
    }
  }

  private static String few(Set<String> values) {
    List<String> list = new ArrayList<>(values);
    if (list.size() <= MOST_CRCS) {
      return String.join(" or ", list);
    }
    return String.join(" or ", list.subList(0, MOST_CRCS))
        + " or "
        + (list.size() - MOST_CRCS)
        + " others";
  }

  private static void example(Page page, Explanation explanation) {
    for (Verdict verdict : explanation.modules()) {
      Finding finding = findingOf(explanation.cause(), verdict);
      if (finding != null && finding.dmesg() != null) {
        page.line("  dmesg: " + Escape.bytes(finding.dmesg()) + FindingText.errno(verdict));
        return;
      }
    }
  }

  private static @Nullable Finding findingOf(Cause cause, Verdict verdict) {
    for (Finding finding : verdict.findings()) {
      if (finding.effect() == Effect.REFUSES && Cause.of(finding).equals(cause)) {
        return finding;
      }
    }
    return null;
  }

  static void writeUndetermined(Page page, List<Verdict> undetermined) {
    Map<String, List<Verdict>> groups = new LinkedHashMap<>();
    for (Verdict verdict : undetermined) {
      groups
          .computeIfAbsent(FindingText.whyUndetermined(verdict), why -> new ArrayList<>())
          .add(verdict);
    }
    int shown = 0;
    for (Map.Entry<String, List<Verdict>> group : groups.entrySet()) {
      page.gap();
      if (shown++ == MOST_GROUPS) {
        page.line(
            Numbers.of(groups.size() - MOST_GROUPS, "further reason")
                + " for undetermined modules: see --verbose");
        return;
      }
      page.line(
          page.styled(Style.UNSURE, Numbers.of(group.getValue().size(), "undetermined module"))
              + ": "
              + group.getKey());
      page.wrapped(2, "modules:", page.shortened(names(group.getValue())), ",");
    }
  }

  private static List<String> names(List<Verdict> verdicts) {
    List<String> names = new ArrayList<>();
    for (Verdict verdict : verdicts) {
      names.add(Escape.bytes(verdict.module().name()));
    }
    return names;
  }
}
