package dev.weaklink.links.selection;

import dev.weaklink.loader.EnvironmentMember;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.ModuleEnvironment;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The verdicts on the modules that would be installed if the builds in a {@link NameChoice} were linked. The verdicts
 * can be limited to modules of certain names.
 */
final class ChosenEnvironment {
    private final ModuleEnvironment environment;
    private final Map<Integer, EnvironmentMember> members;

    private ChosenEnvironment(ModuleEnvironment environment, Map<Integer, EnvironmentMember> members) {
        this.environment = environment;
        this.members = members;
    }

    static ChosenEnvironment of(NumberedModules builds, NameChoice choice, ExportRowCache rows, int threads) {
        BitSet all = new BitSet();
        all.set(0, builds.names());
        return of(builds, choice, all, rows, threads);
    }

    /**
     * Judges the modules of these names.
     *
     * @param names the numbers of the names, including those of all modules that may affect the verdicts (see
     *     {@link SymbolDependencies#cone})
     */
    static ChosenEnvironment of(
            NumberedModules builds, NameChoice choice, BitSet names, ExportRowCache rows, int threads) {
        Map<Integer, EnvironmentMember> members = new HashMap<>();
        List<EnvironmentMember> order = new ArrayList<>();
        Set<String> unreadable = new HashSet<>(builds.question().unreadable());
        for (boolean given : new boolean[] {true, false}) {
            for (int n = names.nextSetBit(0); n >= 0; n = names.nextSetBit(n + 1)) {
                if (choice.isReplaced(n) == given) {
                    for (int build : choice.present(n)) {
                        EnvironmentMember member = new EnvironmentMember(builds.module(build), given);
                        members.put(build, member);
                        order.add(member);
                    }
                }
                if (given && choice.isReplaced(n)) {
                    unreadable.remove(builds.name(n));
                }
            }
        }
        ModuleEnvironment environment = new ModuleEnvironment(builds.question().target(), order, unreadable, rows);
        LoadSet.judgeRivals(environment, threads);
        return new ChosenEnvironment(environment, members);
    }

    ModuleEnvironment environment() {
        return environment;
    }

    Verdict verdict(int build) {
        EnvironmentMember member = members.get(build);
        if (member == null) {
            throw new IllegalStateException("not there: " + build);
        }
        return member.verdictOrThrow();
    }
}
