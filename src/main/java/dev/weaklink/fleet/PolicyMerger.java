package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Group;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes one again of sets that were judged by several policies about signatures, where all targets
 * say the same to them, and leaves out those that nobody asked about.
 */
final class PolicyMerger {
  private final AuditReport report;

  /** By the id of a set, the place of that which stands for it. */
  private final int[] places;

  private final List<AuditedSet> sets = new ArrayList<>();

  private PolicyMerger(AuditReport report) {
    this.report = report;
    this.places = new int[report.sets().size()];
  }

  /**
   * The audit in which policies are reported only where they make a difference; it must be whole.
   */
  static AuditReport of(AuditReport report) {
    return new PolicyMerger(report).joined();
  }

  private AuditReport joined() {
    BitSet used = new BitSet();
    report.groups().forEach(group -> used.set(group.set()));
    report.verdicts().forEach(verdict -> used.set(verdict.set()));
    int end;
    for (int start = 0; start < places.length; start = end) {
      end = start + 1;
      // What nodes would have on a kernel that was not asked about.
      if (!used.get(start)) {
        continue;
      }
      while (end < places.length && used.get(end) && areSame(start, end)) {
        end++;
      }
      join(start, end);
    }
    boolean joins = sets.size() < places.length;
    return joins
        ? report.with(sets, groups(), verdicts(), actions(), null)
        : report.with(sets, report.groups(), report.verdicts(), report.actions(), null);
  }

  /** Sets of the same modules follow one another. */
  private boolean areSame(int one, int other) {
    AuditedSet first = report.sets().get(one);
    AuditedSet second = report.sets().get(other);
    return first.digest().equals(second.digest()) && first.kernel().equals(second.kernel());
  }

  private void join(int start, int end) {
    if (end == start + 1) {
      places[start] = sets.size();
      sets.add(with(sets.size(), report.sets().get(start), true));
      return;
    }
    Map<List<SetVerdict>, Integer> distinct = new HashMap<>();
    int first = sets.size();
    for (int set = start; set < end; set++) {
      Integer known = distinct.putIfAbsent(comparable(set), sets.size());
      places[set] = known == null ? sets.size() : known;
      if (known == null) {
        sets.add(with(sets.size(), report.sets().get(set), false));
      }
    }
    if (sets.size() == first + 1) {
      sets.set(first, with(first, sets.get(first), true));
    }
  }

  private static AuditedSet with(int id, AuditedSet set, boolean alone) {
    return new AuditedSet(
        id,
        set.digest(),
        set.kernel(),
        set.product(),
        alone ? null : set.policy(),
        set.modules(),
        set.oldest(),
        set.newest());
  }

  /** As if of one set, and all had been checked. */
  private List<SetVerdict> comparable(int set) {
    List<SetVerdict> same = new ArrayList<>();
    for (int target = 0; target < report.targets().size(); target++) {
      SetVerdict verdict = report.verdict(set, target);
      if (verdict == null) {
        continue;
      }
      SetAnswer of = verdict.answer();
      SetAnswer answer =
          new SetAnswer(
              of.loads(),
              of.fails(),
              of.undetermined(),
              of.breaks(),
              of.modules(),
              of.causes(),
              List.of());
      same.add(new SetVerdict(0, verdict.target(), verdict.state(), answer));
    }
    return same;
  }

  /** Those of the first of the sets that have become one. */
  private List<SetVerdict> verdicts() {
    List<SetVerdict> kept = new ArrayList<>();
    int last = -1;
    int next = 0;
    for (SetVerdict one : report.verdicts()) {
      int place = places[one.set()];
      if (one.set() == last || place >= next) {
        last = one.set();
        next = place + 1;
        kept.add(new SetVerdict(place, one.target(), one.state(), one.answer()));
      }
    }
    return kept;
  }

  private List<Group> groups() {
    Map<Integer, Group> joined = new TreeMap<>();
    for (Group group : report.groups()) {
      joined.merge(places[group.set()], with(places[group.set()], group), PolicyMerger::sum);
    }
    List<Group> groups = new ArrayList<>(joined.values());
    groups.sort(AuditReportBuilder.GROUPS);
    return groups;
  }

  private static Group with(int set, Group group) {
    return new Group(set, group.kernel(), group.nodes(), group.running(), group.defects());
  }

  private static Group sum(Group one, Group other) {
    return new Group(
        one.set(),
        one.kernel(),
        one.nodes().and(other.nodes()),
        one.running() + other.running(),
        one.defects());
  }

  /** Those for one target follow one another. */
  private List<Action> actions() {
    List<Action> actions = new ArrayList<>();
    SortedMap<Integer, Action> joined = new TreeMap<>();
    int target = 0;
    for (Action action : report.actions()) {
      if (action.target() != target) {
        actions.addAll(joined.values());
        joined.clear();
        target = action.target();
      }
      int set = places[action.set()];
      joined.merge(
          set,
          with(set, action, action.nodes()),
          (one, other) -> with(set, one, one.nodes().and(other.nodes())));
    }
    actions.addAll(joined.values());
    return actions;
  }

  private static Action with(int set, Action action, Nodes nodes) {
    return new Action(
        action.state(), action.target(), set, action.product(), nodes, action.command());
  }
}
