package dev.weaklink.manage;

import dev.weaklink.check.KernelView;
import dev.weaklink.load.BestSubset;
import dev.weaklink.load.Candidate;
import dev.weaklink.load.Fate;
import dev.weaklink.load.KernelRows;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Selection;
import dev.weaklink.load.SubsetQuestion;
import dev.weaklink.manage.Offers.Offer;
import dev.weaklink.module.KernelModule;
import dev.weaklink.plan.Decision;
import dev.weaklink.report.VerdictReason;
import dev.weaklink.tree.Dependants;
import dev.weaklink.tree.ModulesDirectory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Which builds are to be linked on a kernel: puts the question, and the answer into words. */
final class Choice {
  private final List<Decision> decisions;

  private Choice(List<Decision> decisions) {
    this.decisions = decisions;
  }

  /** Decides; what was decided is then asked for by number. */
  static Choice make(KernelView view, List<Offer> offers, ModulesDirectory directory, int threads) {
    List<Offer> readable = new ArrayList<>();
    List<Candidate> candidates = new ArrayList<>();
    for (Offer offer : offers) {
      if (offer.failure() == null) {
        readable.add(offer);
        candidates.add(Candidate.of(offer.module()));
      }
    }
    KernelRows rows = new KernelRows(view.kernel().exports());
    SubsetQuestion question =
        new SubsetQuestion(
            view.kernel(),
            candidates,
            natives(view, readable, directory, rows),
            view.unreadable(),
            Set.of());
    Selection selection = BestSubset.choose(question, rows, threads);
    List<Decision> decisions = new ArrayList<>();
    int next = 0;
    for (Offer offer : offers) {
      String failure = offer.failure();
      decisions.add(
          failure == null
              ? inWords(selection.decisions().get(next++), readable)
              : new Decision(false, Outcome.UNDETERMINED, null, failure));
    }
    return new Choice(decisions);
  }

  /** What was decided about offer {@code index}. */
  Decision decision(int index) {
    return decisions.get(index);
  }

  private static List<KernelModule> natives(
      KernelView view, List<Offer> offers, ModulesDirectory directory, KernelRows rows) {
    List<KernelModule> asking = new ArrayList<>();
    for (Offer offer : offers) {
      asking.add(offer.module());
    }
    List<KernelModule> dependants = dependants(view, offers, directory);
    asking.addAll(dependants);
    Set<KernelModule> natives = new LinkedHashSet<>(dependants);
    natives.addAll(view.neededBy(asking, rows));
    return List.copyOf(natives);
  }

  /** The kernel's own modules that use symbols of one that a build would replace. */
  private static List<KernelModule> dependants(
      KernelView view, List<Offer> offers, ModulesDirectory directory) {
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

  private static Decision inWords(Selection.Decision decision, List<Offer> offers) {
    return new Decision(
        decision.chosen(),
        decision.verdict().outcome(),
        decision.verdict(),
        reason(decision, offers));
  }

  private static String reason(Selection.Decision decision, List<Offer> offers) {
    Fate fate = decision.fate();
    if (fate instanceof Fate.Breaks breaks) {
      return "would load, but these modules of the kernel would not any more: "
          + String.join(", ", breaks.own());
    }
    if (fate instanceof Fate.Conflicts conflicts) {
      return "cannot be had together with " + files(conflicts.with(), offers);
    }
    if (fate instanceof Fate.GroupFails fails) {
      return "others that belong to it cannot be linked: " + files(fails.because(), offers);
    }
    if (fate instanceof Fate.Outrivalled outrivalled) {
      return "another build is preferred: " + files(outrivalled.chosen(), offers);
    }
    if (fate instanceof Fate.NotTried) {
      return "no place for it was found in reasonable time";
    }
    return VerdictReason.of(decision.verdict());
  }

  private static String files(List<Integer> indexes, List<Offer> offers) {
    List<String> files = new ArrayList<>();
    for (int index : indexes) {
      files.add(offers.get(index).build().inside());
    }
    return String.join(", ", files);
  }
}
