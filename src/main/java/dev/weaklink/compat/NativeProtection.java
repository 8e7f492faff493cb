package dev.weaklink.compat;

import dev.weaklink.check.InvolvedModules;
import dev.weaklink.check.KernelView;
import dev.weaklink.loader.BestSubset;
import dev.weaklink.loader.Candidate;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Selection;
import dev.weaklink.loader.SubsetQuestion;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.ModulesDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps a kernel's own modules loadable: one that takes symbols from a module in whose place a link
 * is put binds to what the link leads to.
 */
final class NativeProtection {
  private final KernelView view;
  private final ModulesDirectory directory;
  private final KernelRows rows;
  private final int threads;
  private final Set<String> lost = new HashSet<>();

  /** Protects the modules of a kernel, {@code directory} being where its modules.dep is. */
  NativeProtection(KernelView view, ModulesDirectory directory, KernelRows rows, int threads) {
    this.view = view;
    this.directory = directory;
    this.rows = rows;
    this.threads = threads;
  }

  /** What does not load with the links that exist already is not protected. */
  void startWith(Collection<ModuleLink> links) {
    List<KernelModule> modules = ModuleLink.modules(links);
    lost.addAll(notLoading(modules, InvolvedModules.dependants(view, directory, modules)));
  }

  /** Names of those own modules that would not load with links to these in place. */
  private Set<String> notLoading(List<KernelModule> modules, List<KernelModule> dependants) {
    Set<String> linked = new HashSet<>();
    for (KernelModule module : modules) {
      linked.add(module.name());
    }
    List<KernelModule> judged = new ArrayList<>(modules);
    for (KernelModule dependant : dependants) {
      if (!linked.contains(dependant.name())) {
        judged.add(dependant);
      }
    }
    Set<String> names = new HashSet<>();
    if (judged.size() == modules.size()) {
      return names;
    }
    rows.prepare(judged, threads);
    List<Verdict> verdicts =
        LoadSet.together(
            view.kernel(), judged, view.neededBy(judged, rows), view.unreadable(), rows, threads);
    for (int i = modules.size(); i < judged.size(); i++) {
      if (verdicts.get(i).outcome() != Outcome.COMPATIBLE) {
        names.add(judged.get(i).name());
      }
    }
    return names;
  }

  /**
   * The fewest links without which all of the kernel's modules load that did before.
   *
   * @param links all of which would load together
   */
  List<Rejection> harmful(Collection<ModuleLink> links) {
    List<ModuleLink> tried = new ArrayList<>(links);
    List<KernelModule> modules = ModuleLink.modules(tried);
    List<KernelModule> dependants = InvolvedModules.dependants(view, directory, modules);
    if (lost.containsAll(notLoading(modules, dependants))) {
      return List.of();
    }
    List<Candidate> candidates = new ArrayList<>();
    modules.forEach(module -> candidates.add(Candidate.of(module)));
    Selection selection =
        BestSubset.choose(
            new SubsetQuestion(
                view.kernel(),
                candidates,
                InvolvedModules.of(view, directory, modules, rows),
                view.unreadable(),
                lost),
            rows,
            threads);
    List<Rejection> harmful = new ArrayList<>();
    for (int i = 0; i < tried.size(); i++) {
      Selection.Decision decision = selection.decisions().get(i);
      if (!decision.chosen()) {
        harmful.add(Rejection.harmful(tried.get(i), decision.fate()));
      }
    }
    return harmful;
  }
}
