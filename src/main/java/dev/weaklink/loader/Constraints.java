package dev.weaklink.loader;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What follows for a {@link ConstraintProblem} from imports, exports and their CRCs. Each demand is necessary for the
 * two invariants; together they are not sufficient, for the loader looks at more.
 */
final class Constraints {
    private static final int NO_ROW = -1;

    private final Builds builds;
    private final SymbolDependencies influence;
    private final ModuleEnvironment everything;
    private final ExportTable kernel;
    private final ConstraintProblem problem;
    private final VersionCheck versions = new VersionCheck();
    private int[] values = new int[16];
    private int count;

    Constraints(Builds builds, SymbolDependencies influence, ConstraintProblem problem) {
        this.builds = builds;
        this.influence = influence;
        this.everything = influence.everything();
        this.kernel = everything.target().exports();
        this.problem = problem;
    }

    /**
     * What a build demands if it is there, and has to load.
     *
     * @param certainly whether it has to be proven that it loads
     */
    void of(int build, boolean certainly) {
        KernelModule module = builds.module(build);
        Imports imports = module.imports();
        int[] rows = everything.rows().of(module);
        VerdictBuilder scratch = new VerdictBuilder(module, everything.target());
        versions.reset(scratch);
        for (int i = 0; i < rows.length; i++) {
            if (!imports.weak().get(i) && !mayComeFromElsewhere(build, i, rows[i], certainly)) {
                demand(build, i, rows[i], scratch);
            }
        }
    }

    /** What a candidate demands of others that export what it exports: that they are not there. */
    void ofRivals(int candidate) {
        for (int other : influence.rivals(candidate)) {
            if (other > candidate) {
                BitSet satisfying = new BitSet();
                problem.addOthers(satisfying, builds.nameOf(other), problem.value(other));
                problem.demand(satisfying, candidate);
            }
        }
    }

    /** Whether vmlinux has a symbol, or it may be left open who has it. */
    private boolean mayComeFromElsewhere(int build, int index, int row, boolean certainly) {
        if (row >= 0 && kernel.isVmlinux(row)) {
            return true;
        }
        if (!certainly
                && (!everything.target().exportsComplete() || everything.mayNeedUnreadable(builds.module(build)))) {
            return true;
        }
        if (row >= 0 && everything.isUnreadable(Origin.moduleName(kernel.owner(row)))) {
            // an own module may become uncertain through others
            return !certainly || !builds.isCandidate(build);
        }
        return builds.module(build).imports().names().is(index, "_GLOBAL_OFFSET_TABLE_");
    }

    /** Adds the demand of one import: a value that means an exporter with a CRC that fits. */
    private void demand(int build, int index, int row, VerdictBuilder scratch) {
        count = 0;
        SymbolNames names = builds.module(build).imports().names();
        for (int o = everything.offer(names, index); o != ModuleEnvironment.NONE; o = everything.nextOffer(o)) {
            int exporter = everything.memberIndex(o);
            Exports exports = builds.module(exporter).exports();
            int e = everything.export(o);
            if (builds.nameOf(exporter) != builds.nameOf(build)
                    && fits(scratch, index, exports.hasCrc().get(e), exports.crcs()[e])) {
                add(problem.value(exporter));
            }
        }
        if (row >= 0
                && !everything.target().ownModulesKnown()
                && fits(scratch, index, kernel.hasCrc(row), kernel.crc(row))) {
            add(problem.ownValue(builds.number(Origin.moduleName(kernel.owner(row)))));
        }
        if (!problem.isAnyOf(values, count)) {
            BitSet satisfying = new BitSet();
            for (int i = 0; i < count; i++) {
                satisfying.set(values[i]);
            }
            problem.demand(satisfying, build);
        }
    }

    private void add(int value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, 2 * count);
        }
        values[count++] = value;
    }

    private boolean fits(VerdictBuilder scratch, int index, boolean hasCrc, int crc) {
        return !hasCrc
                || !scratch.rules().is(LoaderRule.MODVERSIONS, "yes")
                || versions.check(scratch, scratch.module().imports().names(), index, NO_ROW, crc, "", false)
                        != VersionCheck.Result.REFUSED;
    }
}
