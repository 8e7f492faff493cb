package dev.weaklink.check.report;

import dev.weaklink.check.result.Explanation;
import dev.weaklink.check.result.FindingText;
import dev.weaklink.check.result.RefusalCause;
import dev.weaklink.check.result.Verdicts;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Provider;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A line for every module, and its findings below. */
final class ModuleLines {
  private static final int MOST_FINDINGS = 8;
  private static final int OUTCOME_WIDTH = Outcome.INCOMPATIBLE.name().length();

  private ModuleLines() {}

  /** Writes all of them; {@code brief} keeps the refused ones to a line each. */
  static void write(Page page, List<Verdict> verdicts, boolean brief) {
    page.gap();
    for (Verdict verdict : verdicts) {
      String head =
          outcome(page, verdict.outcome())
              + "  "
              + Escape.bytes(verdict.module().name())
              + FindingText.errno(verdict);
      if (brief && verdict.outcome() == Outcome.INCOMPATIBLE) {
        page.line(head + ": " + reason(verdict));
        continue;
      }
      page.line(
          head
              + "  "
              + page.styled(Style.FAINT, Escape.text(verdict.module().origin().toString())));
      findings(page, verdict);
      broken(page, verdict);
      if (page.verbose() && !verdict.providers().isEmpty()) {
        page.wrapped(4, "uses:", providers(verdict.providers()), ",");
      }
    }
  }

  /** The first reason for a refusal, and how many more there are. */
  private static String reason(Verdict verdict) {
    Set<RefusalCause> causes = new LinkedHashSet<>();
    for (Finding finding : verdict.findings()) {
      if (finding.effect() == Effect.REFUSES) {
        causes.add(RefusalCause.of(finding));
      }
    }
    if (causes.isEmpty()) {
      return "no reason given";
    }
    String first = new Explanation(causes.iterator().next(), List.of(verdict), 1).clause();
    return causes.size() == 1
        ? first
        : first + ", and " + Numbers.of(causes.size() - 1, "other reason");
  }

  private static String outcome(Page page, Outcome outcome) {
    String word = page.styled(style(outcome), outcome.name());
    return word + " ".repeat(OUTCOME_WIDTH - outcome.name().length());
  }

  private static Style style(Outcome outcome) {
    return switch (outcome) {
      case COMPATIBLE -> Style.GOOD;
      case INCOMPATIBLE -> Style.BAD;
      case UNDETERMINED -> Style.UNSURE;
    };
  }

  private static void findings(Page page, Verdict verdict) {
    List<Finding> telling = telling(page, verdict);
    int shown =
        page.verbose() || telling.size() <= MOST_FINDINGS + 1 ? telling.size() : MOST_FINDINGS;
    boolean dmesg = false;
    for (Finding finding : telling.subList(0, shown)) {
      page.sentence(4, "", FindingText.line(finding));
      if (finding.dmesg() != null && (page.verbose() || !dmesg)) {
        dmesg = true;
        page.line("      dmesg: " + Escape.bytes(finding.dmesg()));
      }
    }
    if (shown < telling.size()) {
      page.line("    and " + (telling.size() - shown) + " more: see --verbose");
    }
    for (Finding finding : verdict.findings()) {
      // with what is absent it may load
      if (!page.verbose() && finding.kind() == FindingKind.DEPENDENCY_ABSENT) {
        page.sentence(4, "", FindingText.line(finding));
      }
    }
  }

  /** What would no longer load with it in place: what uses it, and below what uses that. */
  private static void broken(Page page, Verdict verdict) {
    List<String> names = Verdicts.broken(List.of(verdict));
    if (names.isEmpty()) {
      return;
    }
    page.sentence(
        4,
        page.styled(Style.BAD, "BREAKS"),
        Numbers.of(names.size(), "module") + " that would no longer load with it in place:");
    names(page, "in use on this machine:", Verdicts.brokenInUse(List.of(verdict)));
    List<Finding> users = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (Finding finding : verdict.findings()) {
      if (finding.importer() != null && names.contains(finding.exporter())) {
        others.add(finding.importer().name());
      } else if (finding.importer() != null) {
        users.add(finding);
      }
    }
    int shown = page.verbose() || users.size() <= MOST_FINDINGS + 1 ? users.size() : MOST_FINDINGS;
    for (Finding finding : users.subList(0, shown)) {
      String name = finding.importer() == null ? "" : Escape.bytes(finding.importer().name());
      String dmesg = finding.dmesg() == null ? "" : ": " + Escape.bytes(finding.dmesg());
      page.line("      " + name + " (" + finding.errno() + ")" + dmesg);
    }
    if (shown < users.size()) {
      page.line("      and " + (users.size() - shown) + " more: see --verbose");
    }
    names(page, others.size() + (others.size() == 1 ? " needs" : " need") + " these:", others);
  }

  private static void names(Page page, String first, Collection<String> names) {
    List<String> words = new ArrayList<>();
    for (String name : names) {
      if (page.verbose() || words.size() < MOST_FINDINGS || names.size() == MOST_FINDINGS + 1) {
        words.add(Escape.bytes(name));
      }
    }
    if (words.size() < names.size()) {
      words.add("and " + (names.size() - words.size()) + " more: see --verbose");
    }
    if (!words.isEmpty()) {
      page.wrapped(6, first, words, ",");
    }
  }

  /** The findings that make the verdict what it is; all of them when nothing is to be left out. */
  private static List<Finding> telling(Page page, Verdict verdict) {
    Effect wanted =
        switch (verdict.outcome()) {
          case COMPATIBLE -> Effect.NOTE;
          case INCOMPATIBLE -> Effect.REFUSES;
          case UNDETERMINED -> Effect.UNPROVEN;
        };
    List<Finding> telling = new ArrayList<>();
    for (Finding finding : verdict.findings()) {
      if ((page.verbose() || finding.effect() == wanted) && finding.effect() != Effect.BREAKS) {
        telling.add(finding);
      }
    }
    return telling;
  }

  private static List<String> providers(List<Provider> providers) {
    List<String> names = new ArrayList<>();
    for (Provider provider : providers) {
      names.add(
          Escape.bytes(provider.name()) + (provider.given() ? " (given)" : " (the kernel's)"));
    }
    return names;
  }
}
