package dev.weaklink.audit;

import dev.weaklink.audit.AuditReport.Action;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.Part;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.AuditReport.Target;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Puts the parts of an audit together: the same as if all had been asked at once. */
public final class MergedParts {
  private MergedParts() {}

  /**
   * The whole audit.
   *
   * @param parts all of them, in any order
   * @throws UnfitPartsException if some are missing, or are of different audits
   */
  public static AuditReport of(List<AuditReport> parts) throws UnfitPartsException {
    requireAll(parts);
    AuditReport first = parts.get(0);
    List<SetVerdict> verdicts = new ArrayList<>();
    List<Action> actions = new ArrayList<>();
    for (AuditReport part : parts) {
      if (!isOfSameAudit(first, part)) {
        throw new UnfitPartsException("these are parts of different audits");
      }
      verdicts.addAll(part.verdicts());
      actions.addAll(part.actions());
    }
    verdicts.sort(Comparator.comparingInt(SetVerdict::set).thenComparingInt(SetVerdict::target));
    actions.sort(Comparator.comparingInt(Action::target).thenComparingInt(Action::set));
    return PolicyMerger.of(
        new AuditReport(
            first.nodes(),
            targets(parts),
            CompatibleRange.applied(first.sets(), verdicts, null),
            first.groups(),
            first.running(),
            verdicts,
            kernels(parts),
            actions,
            first.incomplete(),
            first.missing(),
            first.problems(),
            null,
            null));
  }

  private static void requireAll(List<AuditReport> parts) throws UnfitPartsException {
    BitSet seen = new BitSet();
    for (AuditReport report : parts) {
      Part part = report.part();
      if (part == null) {
        throw new UnfitPartsException("one is no part: it was made without --shard");
      }
      if (part.of() != parts.size()) {
        throw new UnfitPartsException(
            "one is part "
                + part.index()
                + " of "
                + part.of()
                + ", but "
                + parts.size()
                + " were given");
      }
      if (part.index() < 1 || part.index() > part.of() || seen.get(part.index())) {
        throw new UnfitPartsException("part " + part.index() + " is there twice, or cannot be");
      }
      seen.set(part.index());
    }
  }

  private static boolean isOfSameAudit(AuditReport one, AuditReport other) {
    return one.nodes() == other.nodes()
        && withoutLayers(one.targets()).equals(withoutLayers(other.targets()))
        && one.sets().equals(other.sets())
        && one.groups().equals(other.groups())
        && one.running().equals(other.running())
        && one.kernels().size() == other.kernels().size()
        && one.incomplete().equals(other.incomplete())
        && one.missing().equals(other.missing())
        && one.problems() == other.problems();
  }

  private static List<Target> withoutLayers(List<Target> targets) {
    List<Target> without = new ArrayList<>();
    for (Target target : targets) {
      without.add(with(target, List.of()));
    }
    return without;
  }

  private static Target with(Target target, List<String> unchecked) {
    return new Target(
        target.id(),
        target.label(),
        target.release(),
        target.vermagic(),
        target.source(),
        unchecked,
        target.notes());
  }

  private static List<Target> targets(List<AuditReport> parts) {
    List<Target> targets = new ArrayList<>();
    for (int i = 0; i < parts.get(0).targets().size(); i++) {
      SortedSet<String> unchecked = new TreeSet<>();
      for (AuditReport part : parts) {
        unchecked.addAll(part.targets().get(i).unchecked());
      }
      targets.add(with(parts.get(0).targets().get(i), List.copyOf(unchecked)));
    }
    return targets;
  }

  private static List<KernelSafety> kernels(List<AuditReport> parts) {
    List<KernelSafety> kernels = new ArrayList<>();
    for (int i = 0; i < parts.get(0).kernels().size(); i++) {
      int target = parts.get(0).kernels().get(i).target();
      int nodes = 0;
      List<List<String>> names = List.of(of(), of(), of(), of());
      for (AuditReport part : parts) {
        KernelSafety kernel = part.kernels().get(i);
        nodes += kernel.nodes();
        names.get(0).addAll(kernel.ready().names());
        names.get(1).addAll(kernel.unsafe().names());
        names.get(2).addAll(kernel.unknown().names());
        names.get(3).addAll(kernel.canaries().names());
      }
      kernels.add(
          new KernelSafety(
              target,
              nodes,
              Nodes.of(names.get(0)),
              Nodes.of(names.get(1)),
              Nodes.of(names.get(2)),
              Nodes.of(names.get(3))));
    }
    return kernels;
  }

  private static List<String> of() {
    return new ArrayList<>();
  }
}
