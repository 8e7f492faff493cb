package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.LinkSimulation;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Candidate;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Selection;
import dev.weaklink.loader.TrialOutcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.system.ModulesDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which packages one kernel accepts wholly: all their modules would load with each other in place,
 * and no module of the kernel that loads today would stop to.
 */
final class KmpJudge {
  /**
   * An answer.
   *
   * @param accepted what is accepted: ids of packages, and places of links that belong to none
   * @param refused what has a module that the kernel would refuse for certain
   * @param refusals by package's id, for all that are not accepted: why, a line or more
   * @param broken the kernel's own modules that would not load with what is not accepted
   */
  record Answer(
      Set<String> accepted,
      Set<String> refused,
      Map<String, List<String>> refusals,
      Set<String> broken) {}

  private final KernelView view;
  private final LinkSimulation kernel;
  private final KmpModules modules;
  private final List<ModuleLink> loose;
  private final Map<LinkBatch, List<ModuleLink>> proven = new HashMap<>();
  private final Map<String, Set<String>> signatures = new LinkedHashMap<>();
  private final Set<String> lost = new TreeSet<>();

  /** {@code loose} are links that belong to no package; they take part in every question. */
  KmpJudge(
      KernelView view,
      ModulesDirectory directory,
      KmpModules modules,
      LinkBatch loose,
      int threads) {
    this.view = view;
    this.kernel = new LinkSimulation(view, directory, threads);
    this.modules = modules;
    this.loose = loose.provenOn(view);
  }

  /** Judges packages that are linked. */
  Answer judgePresent(Collection<Kmp> present) {
    Answer answer = judge(present);
    lost.addAll(answer.broken());
    return answer;
  }

  /** Names of the kernel's own modules that links which are there keep from loading. */
  Set<String> lost() {
    return lost;
  }

  /** Judges packages as if all were linked; of two with a module of one name the first is liked. */
  Answer judge(Collection<Kmp> kmps) {
    List<ModuleLink> links = new ArrayList<>();
    List<Candidate> candidates = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    Map<String, List<String>> refusals = new HashMap<>();
    for (Kmp kmp : kmps) {
      if (!modules.isUsable(kmp)) {
        refusals.put(kmp.id(), List.of(kmp.id() + ": not all of its modules can be read"));
        continue;
      }
      for (ModuleLink link : modules.of(kmp, view, proven)) {
        links.add(link);
        candidates.add(new Candidate(link.module(), kmp.id(), false));
        labels.add(kmp.id());
      }
    }
    for (ModuleLink link : loose) {
      if (link.readable()) {
        links.add(link);
        candidates.add(Candidate.of(link.module()));
        labels.add(link.place());
      }
    }
    return answer(links, labels, kernel.choose(candidates, Set.of()), refusals);
  }

  private Answer answer(
      List<ModuleLink> links,
      List<String> labels,
      Selection selection,
      Map<String, List<String>> refusals) {
    Set<String> accepted = new LinkedHashSet<>(labels);
    Set<String> refused = new HashSet<>();
    Set<String> broken = new HashSet<>();
    for (int i = 0; i < links.size(); i++) {
      Selection.Decision decision = selection.decisions().get(i);
      if (!decision.chosen()) {
        accepted.remove(labels.get(i));
        if (isRefused(decision)) {
          refused.add(labels.get(i));
        } else if (decision.status() instanceof TrialOutcome.Breaks breaks) {
          broken.addAll(breaks.own());
        }
        refusals
            .computeIfAbsent(labels.get(i), label -> new ArrayList<>())
            .addAll(RefusalLines.of(links.get(i), decision));
        noteSignature(labels.get(i), links.get(i), decision);
      }
    }
    return new Answer(Set.copyOf(accepted), refused, Map.copyOf(refusals), broken);
  }

  private void noteSignature(String label, ModuleLink link, Selection.Decision decision) {
    String words = SignatureWords.of(decision.verdict());
    if (words != null) {
      signatures
          .computeIfAbsent(label, first -> new LinkedHashSet<>())
          .add(link.target() + ": " + words);
    }
  }

  /**
   * What was found so far of modules whose signatures the kernel does not take: a line each, by
   * package's id, or place of a link that belongs to none.
   */
  Map<String, Set<String>> signatures() {
    return signatures;
  }

  private static boolean isRefused(Selection.Decision decision) {
    return decision.status() instanceof TrialOutcome.Refused
        && decision.verdict().outcome() == Outcome.INCOMPATIBLE;
  }

  /** Why a package cannot take the place of another one; nothing if it can. */
  List<String> objections(Collection<Kmp> present, Collection<Kmp> without, Kmp added) {
    List<Kmp> tried = new ArrayList<>(List.of(added));
    Set<String> expendable = new HashSet<>();
    for (Kmp kmp : without) {
      expendable.add(kmp.id());
    }
    for (Kmp kmp : present) {
      if (!without.contains(kmp)) {
        tried.add(kmp);
      }
    }
    Answer after = judge(tried);
    if (!after.accepted().contains(added.id())) {
      return after.refusals().getOrDefault(added.id(), List.of());
    }
    List<String> lost = new ArrayList<>();
    for (String label : judgePresent(present).accepted()) {
      if (!after.accepted().contains(label) && !expendable.contains(label)) {
        lost.add(added.id() + ": " + label + " would no longer load");
      }
    }
    lost.sort(null);
    return lost;
  }

  /**
   * Why a module is not linked: about symbols in the words of depmod(8), which scripts look for.
   */
  private static final class RefusalLines {
    private RefusalLines() {}

    /** One line at least. */
    static List<String> of(ModuleLink link, Selection.Decision decision) {
      TrialOutcome status = decision.status();
      if (status instanceof TrialOutcome.Breaks breaks) {
        return List.of(
            link.target()
                + ": these modules of the kernel would no longer load: "
                + String.join(", ", breaks.own()));
      }
      if (status instanceof TrialOutcome.GroupFails) {
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
}
