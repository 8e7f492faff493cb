package dev.weaklink.links;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.Severity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What rules say about the symbols that a module would take from a kernel. Pure. */
final class SymbolNotes {
  /** Enough to see what it is about. */
  private static final int MOST_NAMES = 3;

  private final Rules rules;
  private final ExportTable exports;

  SymbolNotes(Rules rules, ExportTable exports) {
    this.rules = rules;
    this.exports = exports;
  }

  /**
   * Why a module has this severity, in words; null if it has not.
   *
   * @param severity {@link Severity#FAIL} or {@link Severity#NOTE}
   */
  @Nullable String about(KernelModule module, Severity severity) {
    if (rules.symbols().isEmpty()) {
      return null;
    }
    List<String> names = new ArrayList<>();
    Attributed<Severity> first = null;
    SymbolNames imports = module.imports().names();
    for (int i = 0; i < imports.size(); i++) {
      int row = exports.find(imports, i);
      Attributed<Severity> said = severity(imports.name(i), row);
      if (said.value() == severity) {
        names.add(imports.name(i));
        first = first == null ? said : first;
      }
    }
    return first == null ? null : "it uses " + listed(names) + ", for which " + RuleWord.of(first);
  }

  private Attributed<Severity> severity(String symbol, int row) {
    return row < 0
        ? rules.severity(symbol, null, null)
        : rules.severity(symbol, exports.owner(row), exports.namespace(row));
  }

  private static String listed(List<String> names) {
    if (names.size() <= MOST_NAMES) {
      return String.join(", ", names);
    }
    int more = names.size() - MOST_NAMES;
    return String.join(", ", names.subList(0, MOST_NAMES)) + " and " + more + " more";
  }
}
