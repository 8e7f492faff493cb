package dev.weaklink.manage;

import dev.weaklink.check.KernelView;
import dev.weaklink.load.Finding;
import dev.weaklink.load.KernelRows;
import dev.weaklink.load.LoadSet;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import dev.weaklink.manage.Offers.Offer;
import dev.weaklink.module.KernelModule;
import dev.weaklink.plan.Decision;
import dev.weaklink.report.VerdictReason;
import dev.weaklink.tree.Dependants;
import dev.weaklink.tree.ModulesDirectory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which builds may be linked on a kernel: every one of them loads with the others in place, and no
 * module of the kernel that loads without them stops loading. Begins with the preferred build of
 * every module and takes away what fails, until nothing fails any more.
 */
final class Choice {
  private final KernelView view;
  private final List<Offer> offers;
  private final int threads;
  private final KernelRows rows;
  private final @Nullable Decision[] decisions;
  private final Map<String, Integer> trial = new HashMap<>();
  private final List<KernelModule> dependants;
  private final Set<String> loadingNow = new HashSet<>();

  private Choice(KernelView view, List<Offer> offers, ModulesDirectory directory, int threads) {
    this.view = view;
    this.offers = offers;
    this.threads = threads;
    this.rows = new KernelRows(view.kernel().exports());
    this.decisions = new Decision[offers.size()];
    this.dependants = dependants(directory);
  }

  /** Decides; what was decided is then asked for by number. */
  static Choice make(KernelView view, List<Offer> offers, ModulesDirectory directory, int threads) {
    Choice choice = new Choice(view, offers, directory, threads);
    choice.decide();
    return choice;
  }

  /** What was decided about offer {@code index}. */
  Decision decision(int index) {
    Decision decision = decisions[index];
    if (decision == null) {
      throw new IllegalStateException("not decided: " + offers.get(index).build());
    }
    return decision;
  }

  /** The kernel's own modules that use symbols of one that a build would replace. */
  private List<KernelModule> dependants(ModulesDirectory directory) {
    Set<String> replaced = new TreeSet<>();
    for (Offer offer : offers) {
      if (view.has(offer.build().name())) {
        replaced.add(offer.build().name());
      }
    }
    for (KernelModule module : view.named(replaced)) {
      if (module.exports().names().size() == 0) {
        replaced.remove(module.origin().moduleName());
      }
    }
    if (replaced.isEmpty()) {
      return List.of();
    }
    Set<String> names = Dependants.of(directory, replaced);
    return names == null ? view.all() : view.named(names);
  }

  private void decide() {
    for (int i = 0; i < offers.size(); i++) {
      String failure = offers.get(i).failure();
      if (failure != null) {
        decisions[i] = new Decision(false, Outcome.UNDETERMINED, null, failure);
      } else {
        trial.putIfAbsent(offers.get(i).build().name(), i);
      }
    }
    for (Verdict verdict : judge(dependants)) {
      if (verdict.outcome() != Outcome.INCOMPATIBLE) {
        loadingNow.add(verdict.module().name());
      }
    }
    boolean changed = true;
    while (changed) {
      changed = dropFailing();
    }
    for (int i = 0; i < decisions.length; i++) {
      if (decisions[i] == null) {
        decisions[i] =
            new Decision(false, Outcome.UNDETERMINED, null, "another build of it is preferred");
      }
    }
  }

  /** Judges what is on trial; returns whether something had to be taken away. */
  private boolean dropFailing() {
    List<Integer> tried = new ArrayList<>(trial.values());
    tried.sort(null);
    List<KernelModule> given = new ArrayList<>();
    for (int index : tried) {
      given.add(offers.get(index).module());
    }
    for (KernelModule dependant : dependants) {
      if (!trial.containsKey(dependant.origin().moduleName())) {
        given.add(dependant);
      }
    }
    List<Verdict> verdicts = judge(given);
    boolean dropped = false;
    for (int i = 0; i < tried.size(); i++) {
      Verdict verdict = verdicts.get(i);
      boolean fits = verdict.outcome() == Outcome.COMPATIBLE;
      decisions[tried.get(i)] =
          new Decision(fits, verdict.outcome(), verdict, VerdictReason.of(verdict));
      if (!fits) {
        next(tried.get(i));
        dropped = true;
      }
    }
    return dropped || dropBreaking(verdicts.subList(tried.size(), verdicts.size()));
  }

  private boolean dropBreaking(List<Verdict> verdicts) {
    Map<Integer, Set<String>> broken = new HashMap<>();
    for (Verdict verdict : verdicts) {
      String name = verdict.module().name();
      if (verdict.outcome() == Outcome.INCOMPATIBLE && loadingNow.contains(name)) {
        for (int culprit : culprits(verdict)) {
          broken.computeIfAbsent(culprit, index -> new TreeSet<>()).add(name);
        }
      }
    }
    for (Map.Entry<Integer, Set<String>> culprit : broken.entrySet()) {
      Decision before = decision(culprit.getKey());
      decisions[culprit.getKey()] =
          new Decision(
              false,
              before.outcome(),
              before.verdict(),
              "would load, but these modules of the kernel would not any more: "
                  + String.join(", ", culprit.getValue()));
      next(culprit.getKey());
    }
    return !broken.isEmpty();
  }

  /** Those on trial that a refused module's findings name; if they name none, all. */
  private Set<Integer> culprits(Verdict verdict) {
    Set<Integer> culprits = new TreeSet<>();
    for (Finding finding : verdict.findings()) {
      Integer index = finding.exporter() == null ? null : trial.get(finding.exporter());
      if (finding.effect() == Finding.Effect.REFUSES && index != null) {
        culprits.add(index);
      }
    }
    return culprits.isEmpty() ? new TreeSet<>(trial.values()) : culprits;
  }

  /** Takes a build away and tries the next one of the same name. */
  private void next(int index) {
    String name = offers.get(index).build().name();
    trial.remove(name);
    for (int i = index + 1; i < offers.size(); i++) {
      if (offers.get(i).build().name().equals(name) && decisions[i] == null) {
        trial.put(name, i);
        return;
      }
    }
  }

  private List<Verdict> judge(List<KernelModule> given) {
    if (given.isEmpty()) {
      return List.of();
    }
    rows.prepare(given, threads);
    return LoadSet.together(
        view.kernel(), given, view.neededBy(given, rows), view.unreadable(), rows, threads);
  }
}
