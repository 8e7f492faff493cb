package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Verdict;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The causes of each refused module. One that is refused only because a module it needs is refused
 * has the causes of that module.
 */
final class RootCauses {
  private final Map<String, Verdict> refused = new HashMap<>();
  private final Map<String, Set<RefusalCause>> known = new HashMap<>();

  /** For refused modules of one target. */
  RootCauses(List<Verdict> refusedModules) {
    for (Verdict verdict : refusedModules) {
      refused.putIfAbsent(verdict.module().name(), verdict);
    }
  }

  /** Causes of a refused module in the order of its findings. */
  Set<RefusalCause> of(Verdict verdict) {
    Set<RefusalCause> own = new LinkedHashSet<>();
    for (Finding finding : verdict.findings()) {
      if (finding.effect() == Effect.REFUSES && finding.layer() != Layer.DEPENDENCY) {
        own.add(RefusalCause.of(finding));
      }
    }
    return own.isEmpty() ? ofDependencies(verdict) : own;
  }

  private Set<RefusalCause> ofDependencies(Verdict verdict) {
    Set<RefusalCause> inherited = new LinkedHashSet<>();
    for (Finding finding : verdict.findings()) {
      if (finding.effect() == Effect.REFUSES) {
        RefusalCause cause = RefusalCause.of(finding);
        Set<RefusalCause> deeper = ofModule(cause.subject());
        if (deeper.isEmpty()) {
          inherited.add(cause);
        } else {
          inherited.addAll(deeper);
        }
      }
    }
    return inherited;
  }

  /** Empty for a module that is not refused, and for one whose causes are being asked for. */
  private Set<RefusalCause> ofModule(String name) {
    Set<RefusalCause> before = known.putIfAbsent(name, Set.of());
    if (before != null) {
      return before;
    }
    Verdict verdict = refused.get(name);
    Set<RefusalCause> causes = verdict == null ? Set.of() : of(verdict);
    known.put(name, causes);
    return causes;
  }
}
