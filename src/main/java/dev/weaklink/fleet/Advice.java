package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.KernelSafety;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to do, and in which order. A node would have one set of modules on a kernel, and a set is of
 * one product: what different steps for one kernel are for never overlaps, so that taking the steps
 * with the most nodes first makes the most nodes safe with any number of steps.
 *
 * @param steps one for each kernel, product and thing to do, the most nodes first
 * @param choices one for each kernel, in the order of targets
 */
public record Advice(List<Step> steps, List<Choice> choices) {
  private static final Comparator<Choice> BETTER =
      Comparator.comparingInt(Choice::served)
          .thenComparing(choice -> -choice.rebuilds().size())
          .thenComparing(Choice::ready)
          .thenComparing(choice -> -choice.target());

  /**
   * A thing to do.
   *
   * @param product what is to be linked or rebuilt, or is blocked
   * @param sets how many sets of modules that is about
   * @param reason of the first of them, in one line
   * @param causes why CRCs changed that they are refused for
   * @param safe for how many nodes the kernel is safe after this and all rebuilds for it that come
   *     before
   */
  public record Step(
      SetStatus fate,
      int target,
      String product,
      int sets,
      Nodes nodes,
      @Nullable String command,
      String reason,
      List<AuditedCause> causes,
      int safe) {}

  /**
   * What a kernel would take.
   *
   * @param nodes how many it was asked for
   * @param linked how many nodes are safe only once their modules are linked
   * @param ready how many are safe, these among them
   * @param rebuilds of most nodes first
   * @param blocked how many are not helped by any rebuild
   * @param unknown of how many it is not known
   */
  public record Choice(
      int target, int nodes, int ready, int linked, List<Step> rebuilds, int blocked, int unknown) {
    /** How many nodes are safe in the end. */
    int served() {
      return nodes - blocked - unknown;
    }

    /** How many nodes are safe after the rebuilds only. */
    public int rebuilt() {
      int count = 0;
      for (Step step : rebuilds) {
        count += step.nodes.count();
      }
      return count;
    }

    /** Whether all nodes are safe as they are, or once they are linked. */
    public boolean servesAll() {
      return rebuilds.isEmpty() && blocked == 0 && unknown == 0;
    }
  }

  /** What follows from an audit. */
  public static Advice of(AuditReport report) {
    Map<Key, Row> rows = new LinkedHashMap<>();
    for (Action action : report.actions()) {
      String title = report.sets().get(action.set()).title();
      Key key = new Key(action.target(), action.fate(), title, action.command());
      SetVerdict verdict = report.verdict(action.set(), action.target());
      rows.computeIfAbsent(key, one -> new Row(verdict)).add(action.nodes(), verdict);
    }
    Map<List<Nodes>, Nodes> unions = new HashMap<>();
    List<Step> steps = new ArrayList<>();
    rows.forEach(
        (key, row) -> {
          Nodes whole = whole(report, key);
          boolean isWhole = row.count == whole.count();
          steps.add(
              new Step(
                  key.fate,
                  key.target,
                  key.product,
                  row.parts.size(),
                  isWhole ? whole : unions.computeIfAbsent(row.parts, Nodes::union),
                  key.command,
                  row.reason,
                  List.copyOf(row.causes),
                  0));
        });
    steps.sort(
        Comparator.comparing((Step step) -> -step.nodes.count()).thenComparing(Step::target));
    List<Choice> choices = report.kernels().stream().map(kernel -> choice(kernel, steps)).toList();
    return new Advice(List.copyOf(steps), List.copyOf(choices));
  }

  /** All nodes that fare like this on a kernel; what is for as many is for these. */
  private static Nodes whole(AuditReport report, Key key) {
    for (KernelSafety kernel : report.kernels()) {
      if (kernel.target() == key.target) {
        return key.fate.isRefusal()
            ? kernel.unsafe()
            : key.fate.loads() ? kernel.ready() : kernel.unknown();
      }
    }
    return Nodes.NONE;
  }

  private record Key(int target, SetStatus fate, String product, @Nullable String command) {}

  /** The actions that become one step. */
  private static final class Row {
    final String reason;
    final List<Nodes> parts = new ArrayList<>();
    final Set<AuditedCause> causes = new LinkedHashSet<>();
    long count;

    Row(@Nullable SetVerdict first) {
      reason = first == null ? "" : first.reason();
    }

    void add(Nodes nodes, @Nullable SetVerdict verdict) {
      parts.add(nodes);
      causes.addAll(verdict == null ? List.of() : verdict.causes());
      count += nodes.count();
    }
  }

  /** Also writes into the steps how far they lead. */
  private static Choice choice(KernelSafety kernel, List<Step> steps) {
    int linked = 0;
    int blocked = 0;
    int safe = kernel.ready().count();
    List<Step> rebuilds = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if (step.target != kernel.target()) {
        continue;
      }
      switch (step.fate) {
        case LINK -> linked += step.nodes.count();
        case BLOCKED -> blocked += step.nodes.count();
        case REBUILD -> {
          safe += step.nodes.count();
          Step after =
              new Step(
                  step.fate,
                  step.target,
                  step.product,
                  step.sets,
                  step.nodes,
                  step.command,
                  step.reason,
                  step.causes,
                  safe);
          steps.set(i, after);
          rebuilds.add(after);
        }
        default -> {}
      }
    }
    int unknown = kernel.unknown().count();
    return new Choice(
        kernel.target(),
        kernel.nodes(),
        kernel.ready().count(),
        linked,
        rebuilds,
        blocked,
        unknown);
  }

  /** The steps for a kernel, the most nodes first. */
  public List<Step> of(int target) {
    return steps.stream().filter(step -> step.target == target).toList();
  }

  /**
   * The kernel that serves the most nodes, those included that a rebuild helps; of equals that with
   * the fewest rebuilds, then that which is safe for the most as they are, then the newest. Null
   * without kernels.
   */
  public @Nullable Choice best() {
    return choices.stream().max(BETTER).orElse(null);
  }

  /** The newest kernel that is safe for all nodes without a rebuild, null if none is. */
  public @Nullable Choice newestForAll() {
    return choices.stream().filter(Choice::servesAll).findFirst().orElse(null);
  }
}
