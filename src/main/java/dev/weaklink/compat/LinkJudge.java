package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Judges links on one kernel as if all were in place. */
final class LinkJudge {
  private final KernelView view;
  private final KernelRows rows;
  private final int threads;

  LinkJudge(KernelView view, KernelRows rows, int threads) {
    this.view = view;
    this.rows = rows;
    this.threads = threads;
  }

  /**
   * Those that would be refused, or of which that cannot be ruled out. If some fail by themselves,
   * then only these: without them, what needs them may find the kernel's own module instead.
   */
  List<Rejection> refused(List<ModuleLink> tried) {
    List<Verdict> verdicts = judge(tried);
    List<Rejection> alone = new ArrayList<>();
    List<Rejection> withOthers = new ArrayList<>();
    SymbolObjections unfit = null;
    for (int i = 0; i < tried.size(); i++) {
      ModuleLink link = tried.get(i);
      Verdict verdict = verdicts.get(i);
      if (verdict.outcome() != Outcome.COMPATIBLE || !link.readable()) {
        unfit = unfit == null ? SymbolObjections.on(view, ModuleLink.modules(tried), rows) : unfit;
        List<String> symbols = unfit.of(link.module());
        boolean forOthers = symbols.isEmpty() && Rejection.isForOthersOnly(verdict);
        (forOthers ? withOthers : alone).add(Rejection.of(link, verdict, symbols));
      }
    }
    return alone.isEmpty() ? withOthers : alone;
  }

  private List<Verdict> judge(List<ModuleLink> tried) {
    if (tried.isEmpty()) {
      return List.of();
    }
    List<KernelModule> given = ModuleLink.modules(tried);
    Set<String> unreadable = new HashSet<>(view.unreadable());
    for (ModuleLink link : tried) {
      if (!link.readable()) {
        unreadable.add(link.module().origin().moduleName());
      }
    }
    rows.prepare(given, threads);
    return LoadSet.together(
        view.kernel(), given, view.neededBy(given, rows), unreadable, rows, threads);
  }
}
