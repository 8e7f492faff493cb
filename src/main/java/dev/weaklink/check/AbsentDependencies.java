package dev.weaklink.check;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Notes on modules that those that miss symbols depend on, and that nobody has. */
final class AbsentDependencies {
  private AbsentDependencies() {}

  /**
   * Adds the notes.
   *
   * @param judged a verdict for every file
   */
  static void note(OpenTarget target, List<Verdict> judged) {
    NativeModules natives = target.natives();
    if (natives == null || !natives.hasInTree()) {
      return;
    }
    Set<String> given = new HashSet<>();
    for (Verdict verdict : judged) {
      KernelModule module = verdict.module();
      if (module.elf() != null) {
        given.add(module.name());
      }
    }
    for (int i = 0; i < judged.size(); i++) {
      Verdict verdict = judged.get(i);
      List<Finding> notes = new ArrayList<>();
      for (String depends : depends(verdict)) {
        String name = Origin.moduleName(depends);
        boolean there = natives.has(name) || given.contains(name);
        if (!there && !target.kernel().image().isTaken(name)) {
          notes.add(absent(name));
        }
      }
      if (!notes.isEmpty()) {
        judged.set(i, verdict.with(notes));
      }
    }
  }

  private static List<String> depends(Verdict verdict) {
    if (verdict.outcome() == Outcome.INCOMPATIBLE) {
      for (Finding finding : verdict.findings()) {
        if (finding.kind() == FindingKind.SYMBOL_MISSING) {
          boolean known = verdict.module().modInfo().knows("depends");
          return known ? verdict.module().modInfo().depends() : List.of();
        }
      }
    }
    return List.of();
  }

  private static Finding absent(String name) {
    String detail = "depends on the module " + name + ", which the kernel does not have";
    return new Finding(
        FindingKind.DEPENDENCY_ABSENT,
        Finding.Effect.NOTE,
        null,
        null,
        name,
        null,
        null,
        null,
        detail + "; check both");
  }
}
