package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.Change;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.Group;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.loader.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares an audit with an earlier one: by what is wrong and on which nodes, as far as both asked
 * about the same kernels. What was wrong on a node is fixed only if the node is still there and it
 * is known that it is right.
 */
public final class Comparison {
  /** No kernel's name has a blank. */
  private static final String LIBRARIES = "RDMA libraries";

  private final Set<String> common;
  private final SortedMap<Wrong, Set<Nodes>> wrong = new TreeMap<>();

  private Comparison(Set<String> common) {
    this.common = common;
  }

  /**
   * Something wrong.
   *
   * @param target what refuses a module; empty for what is wrong today, {@link #LIBRARIES} if that
   *     is known of some nodes only
   */
  private record Wrong(String target, String what) implements Comparable<Wrong> {
    @Override
    public int compareTo(Wrong other) {
      int order = target.compareTo(other.target);
      return order != 0 ? order : what.compareTo(other.what);
    }
  }

  /** The audit with its difference to the earlier one. */
  public static AuditReport of(AuditReport earlier, AuditReport now) {
    Changes changes = changes(earlier, now);
    return now.with(now.sets(), now.groups(), now.verdicts(), now.actions(), changes);
  }

  private static Changes changes(AuditReport earlier, AuditReport now) {
    Set<String> common = names(earlier);
    common.retainAll(names(now));
    SortedMap<Wrong, Set<Nodes>> before = wrong(earlier, common);
    SortedMap<Wrong, Set<Nodes>> after = wrong(now, common);
    List<Change> appeared = new ArrayList<>();
    List<Change> fixed = new ArrayList<>();
    int unchanged = 0;
    Set<Wrong> all = new TreeSet<>(before.keySet());
    all.addAll(after.keySet());
    Set<String> there = there(now);
    for (Wrong one : all) {
      Set<Nodes> then = before.getOrDefault(one, Set.of());
      Set<Nodes> today = after.getOrDefault(one, Set.of());
      if (then.equals(today)) {
        unchanged++;
        continue;
      }
      Set<String> fresh = names(today);
      Set<String> right = names(then);
      boolean stays = fresh.stream().anyMatch(right::contains);
      unchanged += stays ? 1 : 0;
      fresh.removeAll(names(then));
      right.removeAll(names(today));
      right.retainAll(there);
      right.removeAll(unknown(now, one.target));
      add(one.what, fresh, appeared);
      add(one.what, right, fixed);
    }
    return new Changes(appeared, fixed, unchanged);
  }

  private static Set<String> names(Set<Nodes> sets) {
    Set<String> names = new HashSet<>();
    sets.forEach(nodes -> names.addAll(nodes.names()));
    return names;
  }

  private static void add(String what, Set<String> nodes, List<Change> changes) {
    if (!nodes.isEmpty()) {
      changes.add(new Change(what, Nodes.of(nodes)));
    }
  }

  private static Set<String> names(AuditReport report) {
    Set<String> names = new HashSet<>();
    report.targets().forEach(target -> names.add(name(target)));
    return names;
  }

  /** A file may lie somewhere else today. */
  private static String name(Target target) {
    return target.release() == null ? target.label() : target.release();
  }

  private static Set<String> there(AuditReport report) {
    Set<String> there = new HashSet<>();
    for (Group group : report.groups()) {
      there.addAll(group.nodes().names());
    }
    return there;
  }

  /** Of which nodes it is not known what a target would say, or whether libraries are right. */
  private static Set<String> unknown(AuditReport report, String target) {
    Set<String> unknown = new HashSet<>();
    if (target.equals(LIBRARIES)) {
      unknown.addAll(there(report));
      unknown.removeAll(report.libraries().known().names());
      return unknown;
    }
    for (KernelStates kernel : report.kernels()) {
      if (name(report.targets().get(kernel.target())).equals(target)) {
        unknown.addAll(kernel.in(NodeState.UNDETERMINED).names());
      }
    }
    return unknown;
  }

  private static SortedMap<Wrong, Set<Nodes>> wrong(AuditReport report, Set<String> common) {
    Comparison comparison = new Comparison(common);
    for (Group group : report.groups()) {
      for (Defect defect : group.defects()) {
        comparison.add("", text(group.kernel(), defect), group.nodes());
      }
    }
    for (NodeDefect one : report.nodeFailures()) {
      boolean library = one.kernel().isEmpty();
      String what = text(library ? LIBRARIES : one.kernel(), one.defect());
      comparison.add(library ? LIBRARIES : "", what, one.nodes());
    }
    comparison.addRefusals(report);
    return comparison.wrong;
  }

  private static String text(String kernel, Defect defect) {
    return kernel + ": " + defect.subject() + ": " + defect.kind().meaning();
  }

  private void addRefusals(AuditReport report) {
    for (Action action : report.actions()) {
      String target = name(report.targets().get(action.target()));
      SetVerdict verdict = report.verdict(action.set(), action.target());
      if (verdict != null && verdict.state().isRefusal() && common.contains(target)) {
        String kernel = report.sets().get(action.set()).kernel();
        addRefused(target, kernel, verdict, action.nodes());
      }
    }
  }

  private void addRefused(String target, String kernel, SetVerdict verdict, Nodes nodes) {
    for (ModuleVerdict module : verdict.modules()) {
      String name = module.module() + " of " + kernel;
      if (module.outcome() == Outcome.INCOMPATIBLE) {
        add(target, target + " refuses " + name, nodes);
      } else if (module.outcome() == Outcome.COMPATIBLE) {
        add(target, name + " keeps modules of " + target + " from loading", nodes);
      }
    }
  }

  private void add(String target, String what, Nodes nodes) {
    wrong.computeIfAbsent(new Wrong(target, what), key -> new HashSet<>()).add(nodes);
  }
}
