package dev.weaklink.check.result;

import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.source.TargetKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What modules were checked against.
 *
 * @param label the name verdicts call it by: a release, or a path as given
 * @param release kernel release, null if it is not known
 * @param kind what it was given as
 * @param symvers the symvers file read, null if there was none
 * @param vmlinuxExports number of symbols the kernel image itself exports
 * @param ownModules number of the target's own modules
 * @param rules how its loader decides
 * @param notes sentences worth reading before the verdicts
 */
public record TargetSummary(
    String label,
    @Nullable String release,
    TargetKind kind,
    @Nullable String symvers,
    int vmlinuxExports,
    int ownModules,
    LoaderRules rules,
    List<String> notes) {

  /** Takes a copy of the notes. */
  public TargetSummary {
    notes = List.copyOf(notes);
  }

  /** The same target with other rules. */
  public TargetSummary with(LoaderRules others) {
    return new TargetSummary(
        label, release, kind, symvers, vmlinuxExports, ownModules, others, notes);
  }

  /** The same target with more notes. */
  public TargetSummary with(List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, all);
  }
}
