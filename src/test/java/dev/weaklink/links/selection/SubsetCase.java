package dev.weaklink.links.selection;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.loader.Judged;
import dev.weaklink.loader.Kernels;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A random question about modules m0, m1, … that use each other's symbols. There are in-tree modules and up to three
 * other builds of each, made from sources in which some symbols differ. Rarely, two modules export one symbol, a module
 * is proprietary or in a cycle, or a fact is unknown.
 */
final class SubsetCase {
    private static final int BUILDS = 3;

    private final Random random;
    private final int names;
    private final boolean circles;
    private final boolean proprietary;
    private final int drift;
    private final int[][] versions = new int[BUILDS + 1][];
    private final int[][] uses;

    private final Kernels kernel = Kernels.version("6.1").exportingGpl("k_gpl", 1);
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<KernelModule> inTreeModules = new ArrayList<>();
    private final Set<String> unreadable = new HashSet<>();
    private final Set<String> mayBreak = new HashSet<>();

    private SubsetCase(Random random, int names) {
        this.random = random;
        this.names = names;
        circles = one(4);
        proprietary = one(2);
        drift = 2 + random.nextInt(6);
        uses = new int[names][];
        kernel.exporting("k", 1);
    }

    /** Returns a question with at most {@code mostNames} module names and {@code mostCandidates} candidates. */
    static SubsetQuestion random(Random random, int mostNames, int mostCandidates) {
        SubsetCase it = new SubsetCase(random, 1 + random.nextInt(mostNames));
        return it.question(mostCandidates);
    }

    private boolean one(int in) {
        return random.nextInt(in) == 0;
    }

    private SubsetQuestion question(int mostCandidates) {
        for (int n = 0; n < names; n++) {
            uses[n] = uses(n);
        }
        for (int build = 0; build <= BUILDS; build++) {
            versions[build] = new int[names];
            for (int n = 0; n < names; n++) {
                versions[build][n] = one(drift) ? 1 : 0;
            }
        }
        for (int n = 0; n < names; n++) {
            own(n);
        }
        int builds = 1 + random.nextInt(BUILDS);
        for (int build = 1; build <= builds; build++) {
            @Nullable String group = one(5) ? "set" + build : null;
            boolean acceptUndetermined = one(3);
            for (int n = 0; n < names; n++) {
                if (!one(3) && candidates.size() < mostCandidates) {
                    candidates.add(new Candidate(Judged.read(module(n, build).spec()), group, acceptUndetermined));
                }
            }
        }
        TargetKernel target = kernel.build();
        return new SubsetQuestion(target, candidates, inTreeModules, unreadable, mayBreak);
    }

    private int[] uses(int name) {
        Set<Integer> used = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            int other = random.nextInt(circles ? names : name + 1);
            if (other != name && (names < 20 || Math.abs(name - other) < 20)) {
                used.add(other);
            }
        }
        return used.stream().mapToInt(Integer::intValue).toArray();
    }

    private void own(int name) {
        kernel.row(new Row(version(name, 0), "s" + name, "drivers/m" + name, Kind.EXPORT_SYMBOL, null));
        if (one(10)) {
            mayBreak.add("m" + name);
        }
        if (one(12)) {
            unreadable.add("m" + name);
        } else if (!one(6)) {
            inTreeModules.add(Judged.read(module(name, 0).spec()));
        }
    }

    private int version(int name, int build) {
        return 0x100 * (name + 1) + versions[build][name];
    }

    private ModuleBuilder module(int name, int build) {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m" + name);
        if (proprietary && one(6)) {
            module.withoutModInfo("license").modInfo("license=Proprietary");
        }
        if (one(4)) {
            module.importing("k_gpl", 1);
        }
        for (int used : uses[name]) {
            int crc = version(used, build) + (one(12) ? 1 : 0);
            if (one(15)) {
                module.importing("s" + used, true).version("s" + used, crc);
            } else {
                module.importing("s" + used, crc);
            }
        }
        if (one(8)) {
            module.importing("both" + name / 8, 1);
        } else if (one(8)) {
            module.exporting("both" + name / 8, Export.Table.NORMAL, one(5) ? 2 : 1);
        }
        if (one(20)) {
            module.importing("k", false);
        }
        if (!one(15)) {
            Export.Table table = one(8) ? Export.Table.GPL : Export.Table.NORMAL;
            module.exporting("s" + name, table, version(name, build));
        }
        return module;
    }
}
