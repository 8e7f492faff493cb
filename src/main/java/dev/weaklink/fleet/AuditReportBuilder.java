package dev.weaklink.fleet;

import dev.weaklink.fleet.Audit.Gathered;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Group;
import dev.weaklink.fleet.AuditReport.Missing;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.kernel.KernelReleaseOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Puts together what nodes have and what targets say to it. */
public final class AuditReportBuilder {
  /** Newest first; those whose release is not known come last. */
  static final Comparator<TargetAnswers> TARGETS =
      Comparator.comparing(
              (TargetAnswers asked) -> asked.target().release(),
              Comparator.nullsLast(KernelReleaseOrder.INSTANCE.reversed()))
          .thenComparing(asked -> asked.target().label());

  static final Comparator<Group> GROUPS =
      Comparator.comparing(Group::kernel, KernelReleaseOrder.INSTANCE.reversed())
          .thenComparing(group -> -group.nodes().count())
          .thenComparing(Group::set);

  private final NodeGroups census;
  private final List<TargetAnswers> answers;

  private AuditReportBuilder(NodeGroups census, List<TargetAnswers> answers) {
    this.census = census;
    this.answers = answers;
  }

  /**
   * The whole audit.
   *
   * @param answers of targets, in any order
   * @param missing nodes that did not answer
   * @param problems how many pieces of input were left aside
   */
  public static AuditReport of(
      NodeGroups census, List<TargetAnswers> answers, List<Missing> missing, long problems) {
    List<TargetAnswers> sorted = new ArrayList<>(answers);
    sorted.sort(TARGETS);
    AuditReportBuilder conclusion = new AuditReportBuilder(census, sorted);
    List<SetVerdict> verdicts = verdicts(census, sorted);
    KernelStatesFinder found = new KernelStatesFinder(census, sorted, verdicts);
    return PolicyMerger.of(
        new AuditReport(
            census.nodes(),
            conclusion.targets(),
            conclusion.sets(verdicts),
            conclusion.groups(),
            census.running(),
            census.libraries(),
            verdicts,
            found.kernels(),
            found.actions(),
            census.incomplete(),
            missing,
            problems,
            null));
  }

  private List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    for (TargetAnswers asked : answers) {
      Target target = asked.target();
      SortedSet<String> unchecked = new TreeSet<>();
      List<String> added = List.of();
      for (SetAnswer answer : asked.answers().values()) {
        if (!answer.unchecked().equals(added)) {
          added = answer.unchecked();
          unchecked.addAll(added);
        }
      }
      targets.add(
          new Target(
              targets.size(),
              target.label(),
              target.release(),
              target.vermagic(),
              target.source(),
              List.copyOf(unchecked),
              target.notes()));
    }
    return targets;
  }

  private static List<SetVerdict> verdicts(NodeGroups census, List<TargetAnswers> asked) {
    List<SetVerdict> verdicts = new ArrayList<>();
    for (Gathered gathered : census.gathered()) {
      for (int target = 0; target < asked.size(); target++) {
        SetAnswer answer = asked.get(target).answers().get(gathered.place);
        if (answer != null) {
          NodeState state = state(gathered, asked.get(target).target().release(), answer);
          verdicts.add(new SetVerdict(gathered.place, target, state, answer));
        }
      }
    }
    return verdicts;
  }

  private static NodeState state(Gathered gathered, @Nullable String release, SetAnswer answer) {
    if (answer.fails() + answer.breaks() > 0) {
      return gathered.provenance.builds() ? NodeState.REBUILD : NodeState.BLOCKED;
    }
    if (answer.undetermined() > 0) {
      return NodeState.UNDETERMINED;
    }
    boolean isThere = gathered.set.kernel().equals(release) && !gathered.set.isJoined();
    return isThere ? NodeState.READY : NodeState.LINK;
  }

  /** With the oldest and the newest target that loads all of each. */
  private List<AuditedSet> sets(List<SetVerdict> verdicts) {
    Integer[] oldest = new Integer[census.gathered().size()];
    Integer[] newest = new Integer[oldest.length];
    for (SetVerdict verdict : verdicts) {
      if (verdict.state().loads()) {
        int set = verdict.set();
        int target = verdict.target();
        oldest[set] = oldest[set] == null ? target : Math.max(oldest[set], target);
        newest[set] = newest[set] == null ? target : Math.min(newest[set], target);
      }
    }
    List<AuditedSet> sets = new ArrayList<>();
    for (Gathered gathered : census.gathered()) {
      sets.add(
          new AuditedSet(
              sets.size(),
              gathered.set.digest(),
              gathered.set.kernel(),
              gathered.provenance.product(),
              gathered.set.policy(),
              gathered.set.modules(),
              oldest[gathered.place],
              newest[gathered.place]));
    }
    return sets;
  }

  private List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (Gathered gathered : census.gathered()) {
      if (gathered.set.isJoined()) {
        continue;
      }
      List<Defect> defects = new ArrayList<>(gathered.set.defects());
      Collections.sort(defects);
      groups.add(
          new Group(
              gathered.place,
              gathered.set.kernel(),
              Nodes.of(gathered.names),
              gathered.running,
              List.copyOf(defects)));
    }
    groups.sort(GROUPS);
    return groups;
  }
}
