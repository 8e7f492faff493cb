package dev.weaklink.audit;

import dev.weaklink.audit.Audit.Gathered;
import dev.weaklink.audit.AuditReport.Action;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What verdicts mean to nodes: for whom a kernel is safe, and what mends the others. */
final class Consequences {
  private final Census census;
  private final List<TargetAnswers> targets;
  private final @Nullable SetVerdict[][] verdicts;
  private final List<KernelSafety> kernels = new ArrayList<>();
  private final List<Action> actions = new ArrayList<>();

  /** {@code targets} in the order of their ids. */
  Consequences(Census census, List<TargetAnswers> targets, List<SetVerdict> all) {
    this.census = census;
    this.targets = targets;
    this.verdicts = new SetVerdict[targets.size()][census.gathered().size()];
    for (SetVerdict verdict : all) {
      verdicts[verdict.target()][verdict.set()] = verdict;
    }
  }

  List<KernelSafety> kernels() {
    return kernels;
  }

  List<Action> actions() {
    return actions;
  }

  /** {@code countBare}: whether nodes without any modules of their own are counted. */
  void draw(boolean countBare) {
    for (int target = 0; target < targets.size(); target++) {
      draw(target, countBare);
    }
  }

  private void draw(int target, boolean countBare) {
    List<String> unsafe = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    Map<Integer, List<String>> bySet = new TreeMap<>();
    int nodes = 0;
    for (Census.Kind kind : census.kinds()) {
      Gathered deciding = kind.deciding(targets.get(target).release());
      SetVerdict verdict = deciding == null ? null : verdicts[target][deciding.place];
      if (verdict == null) {
        nodes += deciding == null && countBare ? kind.names().size() : 0;
        continue;
      }
      nodes += kind.names().size();
      if (verdict.fate().isRefusal()) {
        unsafe.addAll(kind.names());
      } else if (verdict.fate() == SetFate.UNDETERMINED) {
        unknown.addAll(kind.names());
      }
      bySet.computeIfAbsent(verdict.set(), key -> new ArrayList<>()).addAll(kind.names());
    }
    boolean safe = unsafe.isEmpty() && unknown.isEmpty();
    kernels.add(new KernelSafety(target, safe, nodes, Nodes.of(unsafe), Nodes.of(unknown)));
    bySet.forEach((set, names) -> act(target, set, names));
  }

  private void act(int target, int set, List<String> names) {
    SetVerdict verdict = verdicts[target][set];
    if (verdict != null && verdict.fate() != SetFate.FINE) {
      String product = census.gathered().get(set).provenance.product();
      String command = command(verdict, targets.get(target).release());
      actions.add(new Action(verdict.fate(), target, set, product, Nodes.of(names), command));
    }
  }

  private static @Nullable String command(SetVerdict verdict, @Nullable String release) {
    if (verdict.fate() == SetFate.UNDETERMINED) {
      return lacksTables(verdict) ? "weaklink-collect --full" : null;
    }
    if (release == null || !isPlain(release)) {
      return null;
    }
    return switch (verdict.fate()) {
      case LINK -> "weaklink apply --kernel " + release;
      case REBUILD -> "weaklink rebuild --kernel " + release;
      default -> null;
    };
  }

  private static boolean lacksTables(SetVerdict verdict) {
    for (ModuleVerdict module : verdict.modules()) {
      for (Finding finding : module.findings()) {
        if (finding.layer().equals(SetAnswer.INPUT)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Somebody will paste it into a shell. */
  private static boolean isPlain(String release) {
    for (int i = 0; i < release.length(); i++) {
      char c = release.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!letter && "-_.+~".indexOf(c) < 0) {
        return false;
      }
    }
    return !release.isEmpty() && release.charAt(0) != '-';
  }
}
