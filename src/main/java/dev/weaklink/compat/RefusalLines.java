package dev.weaklink.compat;

import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Selection;
import dev.weaklink.loader.TrialOutcome;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a module is not linked: about symbols in the words of depmod(8), which scripts look for. */
final class RefusalLines {
  private RefusalLines() {}

  /** One line at least. */
  static List<String> of(ModuleLink link, Selection.Decision decision) {
    TrialOutcome fate = decision.fate();
    if (fate instanceof TrialOutcome.Breaks breaks) {
      return List.of(
          link.target()
              + ": these modules of the kernel would no longer load: "
              + String.join(", ", breaks.own()));
    }
    if (fate instanceof TrialOutcome.GroupFails) {
      return List.of(link.target() + ": others of its package cannot be linked");
    }
    Verdict verdict = decision.verdict();
    if (verdict.outcome() == Outcome.COMPATIBLE) {
      return List.of(link.target() + ": conflicts with others that are linked");
    }
    return of(link.target(), verdict);
  }

  private static List<String> of(String file, Verdict verdict) {
    List<String> lines = new ArrayList<>();
    for (Finding finding : verdict.findings()) {
      if (finding.effect() == Finding.Effect.REFUSES) {
        String what = aboutSymbol(finding);
        if (what != null) {
          lines.add(file + " " + what);
        }
      }
    }
    return lines.isEmpty() ? List.of(file + ": " + VerdictReason.of(verdict)) : lines;
  }

  private static @Nullable String aboutSymbol(Finding finding) {
    String symbol = finding.layer() == Layer.MODULE_LAYOUT ? "module_layout" : finding.symbol();
    if (symbol == null) {
      return null;
    }
    return switch (finding.layer()) {
      case SYMBOL_MISSING -> "needs unknown symbol " + symbol;
      case SYMBOL_CRC, SYMBOL_VERSION, MODULE_LAYOUT ->
          "disagrees about version of symbol " + symbol;
      default -> null;
    };
  }
}
