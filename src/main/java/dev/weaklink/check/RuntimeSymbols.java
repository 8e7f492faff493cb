package dev.weaklink.check;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Notes on symbols that modules ask for by name when they run ({@code symbol_get}) and that a
 * kernel does not have: the module loads, and does without.
 */
final class RuntimeSymbols {
  private final List<List<String>> wanted = new ArrayList<>();
  private final Set<String> exported = new HashSet<>();

  private RuntimeSymbols() {}

  /** Those of files that have been read. */
  static RuntimeSymbols of(ModuleFacts reading) {
    RuntimeSymbols symbols = new RuntimeSymbols();
    boolean isAny = false;
    for (int i = 0; i < reading.size(); i++) {
      List<String> names = reading.runtime(i).symbols();
      symbols.wanted.add(names);
      isAny |= !names.isEmpty();
    }
    for (int i = 0; isAny && i < reading.size(); i++) {
      KernelModule module = reading.module(i);
      if (module != null) {
        symbols.export(module);
      }
    }
    return symbols;
  }

  private void export(KernelModule module) {
    for (int i = 0; i < module.exports().names().size(); i++) {
      exported.add(module.exports().names().name(i));
    }
  }

  /**
   * Adds the notes.
   *
   * @param judged a verdict for every file, in their order
   */
  void note(OpenTarget target, List<Verdict> judged) {
    for (int i = 0; i < wanted.size() && target.kernel().exportsComplete(); i++) {
      List<Finding> notes = new ArrayList<>();
      for (String symbol : wanted.get(i)) {
        if (!exported.contains(symbol) && !isExported(symbol, target)) {
          notes.add(missing(symbol));
        }
      }
      if (!notes.isEmpty()) {
        judged.set(i, judged.get(i).with(notes));
      }
    }
  }

  private static boolean isExported(String symbol, OpenTarget target) {
    if (target.kernel().exports().find(symbol) >= 0) {
      return true;
    }
    NativeModules natives = target.natives();
    for (KernelModule module : natives == null ? List.<KernelModule>of() : natives.outOfTree()) {
      if (module.exports().names().indexOf(symbol) >= 0) {
        return true;
      }
    }
    return false;
  }

  private static Finding missing(String symbol) {
    FindingKind kind = FindingKind.SYMBOL_GET;
    return new Finding(
        kind,
        Finding.Effect.NOTE,
        null,
        symbol,
        null,
        null,
        null,
        null,
        "asks for it when it runs (symbol_get); neither the kernel nor a module exports it");
  }
}
