package dev.weaklink.links.selection;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.loader.EnvironmentMember;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.ModuleEnvironment;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A graph of the modules that may affect one another's verdicts. A build depends on each module that exports one of its
 * imported symbols, unless vmlinux exports the symbol. A candidate also depends on other candidates that export one of
 * its exported symbols, because the kernel refuses a second module that exports the same symbol.
 */
final class SymbolDependencies {
    private final NumberedModules builds;
    private final ModuleEnvironment everything;
    private final int[][] sources;
    private final List<List<Integer>> users = new ArrayList<>();

    SymbolDependencies(NumberedModules builds, ExportRowCache rows) {
        this.builds = builds;
        List<EnvironmentMember> members = new ArrayList<>();
        for (int b = 0; b < builds.size(); b++) {
            members.add(new EnvironmentMember(builds.module(b), builds.isCandidate(b)));
        }
        SubsetQuestion question = builds.question();
        everything = new ModuleEnvironment(question.target(), members, question.unreadable(), rows);
        sources = new int[builds.size()][];
        for (int n = 0; n < builds.names(); n++) {
            users.add(new ArrayList<>(0));
        }
        for (int b = 0; b < sources.length; b++) {
            sources[b] = findSources(b);
            for (int name : sources[b]) {
                users.get(name).add(b);
            }
        }
    }

    private int[] findSources(int build) {
        KernelModule module = builds.module(build);
        int[] rows = everything.rows().of(module);
        BitSet found = new BitSet();
        for (int i = 0; i < rows.length; i++) {
            addExporters(module, i, rows[i], found);
        }
        for (int rival : rivals(build)) {
            found.set(builds.nameOf(rival));
        }
        found.clear(builds.nameOf(build));
        return found.stream().toArray();
    }

    private int[] rivals(int build) {
        SymbolNames exports = builds.module(build).exports().names();
        BitSet rivals = new BitSet();
        for (int i = 0; builds.isCandidate(build) && i < exports.size(); i++) {
            for (int o = everything.offer(exports, i); o != ModuleEnvironment.NONE; o = everything.nextOffer(o)) {
                int other = everything.memberIndex(o);
                if (builds.isCandidate(other) && builds.nameOf(other) != builds.nameOf(build)) {
                    rivals.set(other);
                }
            }
        }
        return rivals.stream().toArray();
    }

    private void addExporters(KernelModule module, int index, int row, BitSet found) {
        ExportTable exports = everything.target().exports();
        if (row >= 0 && exports.isVmlinux(row)) {
            return;
        }
        SymbolNames imports = module.imports().names();
        for (int o = everything.offer(imports, index); o != ModuleEnvironment.NONE; o = everything.nextOffer(o)) {
            found.set(builds.nameOf(everything.memberIndex(o)));
        }
        int owner = row < 0 ? -1 : builds.number(Origin.moduleName(exports.owner(row)));
        if (owner >= 0) {
            found.set(owner);
        }
    }

    int[] sources(int build) {
        return sources[build];
    }

    /**
     * Returns the given names, and the names of all modules that may affect the verdicts on the named modules.
     *
     * @param choice the candidates that count as linked
     */
    BitSet cone(BitSet names, NameChoice choice) {
        BitSet cone = (BitSet) names.clone();
        ArrayDeque<Integer> waiting = new ArrayDeque<>();
        names.stream().forEach(waiting::add);
        while (!waiting.isEmpty()) {
            for (int build : choice.present(waiting.remove())) {
                for (int source : sources[build]) {
                    if (!cone.get(source)) {
                        cone.set(source);
                        waiting.add(source);
                    }
                }
            }
        }
        return cone;
    }

    /**
     * Returns the given names, and the names of all modules whose verdicts the named modules may affect.
     *
     * @param choice the candidates that count as linked
     */
    BitSet dependants(BitSet names, NameChoice choice) {
        BitSet all = (BitSet) names.clone();
        ArrayDeque<Integer> waiting = new ArrayDeque<>();
        names.stream().forEach(waiting::add);
        while (!waiting.isEmpty()) {
            for (int user : users.get(waiting.remove())) {
                int name = builds.nameOf(user);
                boolean present = choice.isChosen(user) || isOwn(user, name, choice);
                if (present && !all.get(name)) {
                    all.set(name);
                    waiting.add(name);
                }
            }
        }
        return all;
    }

    private boolean isOwn(int build, int name, NameChoice choice) {
        return !builds.isCandidate(build) && !choice.isReplaced(name);
    }
}
