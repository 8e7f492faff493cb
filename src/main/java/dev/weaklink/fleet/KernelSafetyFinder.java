package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.Finding;
import dev.weaklink.fleet.AuditReport.KernelSafety;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What verdicts mean to nodes: for whom a kernel is safe, and what fixes the others. */
final class KernelSafetyFinder {
  private final NodeGroups census;
  private final BootSets.OfAll boots;
  private final List<TargetAnswers> targets;
  private final List<SetVerdict> verdicts;
  private final List<KernelSafety> kernels = new ArrayList<>();
  private final List<Action> actions = new ArrayList<>();

  /** {@code targets} in the order of their ids. */
  KernelSafetyFinder(NodeGroups census, List<TargetAnswers> targets, List<SetVerdict> verdicts) {
    this.census = census;
    this.boots = new BootSets.OfAll(census);
    this.targets = targets;
    this.verdicts = verdicts;
  }

  List<KernelSafety> kernels() {
    return kernels;
  }

  List<Action> actions() {
    return actions;
  }

  void draw() {
    for (int target = 0; target < targets.size(); target++) {
      draw(target);
    }
  }

  private void draw(int target) {
    BootSets booted = boots.on(targets.get(target).target().release());
    BitSet ready = new BitSet();
    BitSet unsafe = new BitSet();
    BitSet unknown = new BitSet();
    List<String> canaries = new ArrayList<>();
    int nodes = 0;
    if (!booted.bare().isEmpty()) {
      nodes = booted.bare().size();
      ready.set(booted.barePlace());
      canaries.add(Collections.min(booted.bare()));
    }
    for (BootSets.OfSet each : booted.sets()) {
      SetVerdict verdict = SetVerdict.find(verdicts, each.set(), target);
      if (verdict != null) {
        nodes += each.names().size();
        if (verdict.fate().loads()) {
          ready.set(each.set());
          canaries.add(each.first());
        }
        unsafe.set(each.set(), verdict.fate().isRefusal());
        unknown.set(each.set(), verdict.fate() == SetStatus.UNDETERMINED);
        act(verdict, each.nodes());
      }
    }
    kernels.add(
        new KernelSafety(
            target,
            nodes,
            booted.nodes(ready),
            booted.nodes(unsafe),
            booted.nodes(unknown),
            Nodes.of(canaries)));
  }

  private void act(SetVerdict verdict, Nodes nodes) {
    if (verdict.fate() != SetStatus.FINE) {
      String product = census.gathered().get(verdict.set()).provenance.product();
      String command = command(verdict, targets.get(verdict.target()).target().release());
      actions.add(
          new Action(verdict.fate(), verdict.target(), verdict.set(), product, nodes, command));
    }
  }

  private static @Nullable String command(SetVerdict verdict, @Nullable String release) {
    if (verdict.fate() == SetStatus.UNDETERMINED) {
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
