package dev.weaklink.load;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import java.util.BitSet;
import java.util.Set;

/**
 * What follows for a {@link Puzzle} from imports, exports and their CRCs. Each demand is necessary
 * for the two laws; together they are not sufficient, for the loader looks at more.
 */
final class Demands {
  private static final int NO_ROW = -1;
  private static final Set<Layer> OF_THE_WORLD =
      Set.of(
          Layer.SYMBOL_MISSING,
          Layer.SYMBOL_GPL,
          Layer.SYMBOL_CRC,
          Layer.SYMBOL_VERSION,
          Layer.NAMESPACE,
          Layer.DEPENDENCY,
          Layer.LICENSE,
          Layer.DUPLICATE_EXPORT);

  private final Builds builds;
  private final World everything;
  private final ExportTable kernel;
  private final Puzzle puzzle;
  private final VersionCheck versions = new VersionCheck();

  Demands(Builds builds, Influence influence, Puzzle puzzle) {
    this.builds = builds;
    this.everything = influence.everything();
    this.kernel = everything.target().exports();
    this.puzzle = puzzle;
  }

  /** What a build demands if it is there, and has to load. */
  void of(int build) {
    KernelModule module = builds.module(build);
    Imports imports = module.imports();
    int[] rows = everything.rows().of(module);
    Judgement scratch = new Judgement(module, everything.target());
    versions.reset(scratch);
    for (int i = 0; i < rows.length; i++) {
      if (!imports.weak().get(i) && !mayComeFromElsewhere(imports.names(), i, rows[i])) {
        puzzle.demand(exporters(build, i, rows[i], scratch), build);
      }
    }
  }

  /** Whether vmlinux has a symbol, or nothing certain can be said of who has it. */
  private boolean mayComeFromElsewhere(SymbolNames names, int index, int row) {
    if (!everything.target().exportsComplete() || names.is(index, "_GLOBAL_OFFSET_TABLE_")) {
      return true;
    }
    return row >= 0
        && (kernel.isVmlinux(row) || everything.isUnreadable(Origin.moduleName(kernel.owner(row))));
  }

  /** Values any of which would satisfy an import. */
  private BitSet exporters(int build, int index, int row, Judgement scratch) {
    SymbolNames names = builds.module(build).imports().names();
    BitSet values = new BitSet();
    for (int o = everything.offer(names, index); o != World.NONE; o = everything.nextOffer(o)) {
      int exporter = everything.memberIndex(o);
      Exports exports = builds.module(exporter).exports();
      int e = everything.export(o);
      if (builds.nameOf(exporter) != builds.nameOf(build)
          && fits(scratch, index, exports.hasCrc().get(e), exports.crcs()[e])) {
        values.set(puzzle.value(exporter));
      }
    }
    if (row >= 0
        && !everything.target().ownModulesKnown()
        && fits(scratch, index, kernel.hasCrc(row), kernel.crc(row))) {
      values.set(puzzle.ownValue(builds.number(Origin.moduleName(kernel.owner(row)))));
    }
    return values;
  }

  private boolean fits(Judgement scratch, int index, boolean hasCrc, int crc) {
    return !hasCrc
        || !scratch.rules().is(LoaderRule.MODVERSIONS, "yes")
        || versions.check(
                scratch, scratch.module().imports().names(), index, NO_ROW, crc, "", false)
            != VersionCheck.Result.REFUSED;
  }

  /** Whether a verdict is a refusal that does not depend on any other module. */
  boolean isFinal(Verdict verdict) {
    for (Finding finding : verdict.findings()) {
      if (finding.effect() == Finding.Effect.REFUSES
          && (!OF_THE_WORLD.contains(finding.layer()) || isOfVmlinux(finding, verdict.module()))) {
        return true;
      }
    }
    return false;
  }

  private boolean isOfVmlinux(Finding finding, KernelModule module) {
    return switch (finding.layer()) {
      case SYMBOL_CRC, SYMBOL_VERSION, NAMESPACE -> "vmlinux".equals(finding.exporter());
      case SYMBOL_GPL -> "vmlinux".equals(finding.exporter()) && isProprietary(module);
      case DUPLICATE_EXPORT -> "kernel".equals(finding.exporter());
      default -> false;
    };
  }

  /** By its own license, not by that of a module it uses. */
  private boolean isProprietary(KernelModule module) {
    return License.isProprietary(
        new Judgement(module, everything.target()).modInfo(), module.name());
  }
}
