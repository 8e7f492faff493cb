package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Workers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Judges sets of modules on one target kernel. Pure. */
public final class LoadSet {
    private static final int WORTH_A_THREAD = 128;

    private LoadSet() {}

    /**
     * Judges modules that would be installed together. Each given module replaces the target's module of its name. A
     * refused module provides no symbols. If several given modules would load and export the same symbol, all but the
     * first are refused.
     *
     * <p>To judge modules together with other modules, such as existing links, pass the other modules too and ignore
     * their verdicts. Pass only one build of each name.
     *
     * @param inTreeModules the target's own modules that the given modules may need, with all of their dependencies
     * @param unreadable the names of modules that could not be read, among the given modules or the target's own
     * @param rows the cache of symbol lookups, shared with {@link NeededModules}
     * @return one verdict for each given module, in order
     */
    public static List<Verdict> together(
            TargetKernel target,
            List<KernelModule> given,
            List<KernelModule> inTreeModules,
            Set<String> unreadable,
            ExportRowCache rows,
            int threads) {
        ModuleEnvironment environment = environment(target, given, inTreeModules, unreadable, rows);
        judgeRivals(environment, threads);
        return verdicts(environment, given.size());
    }

    /**
     * Judges modules as {@link #together} does, but stops as soon as a given module is refused, and then returns only
     * the verdict on that module. So the worst outcome is the same as that of {@link #together}.
     */
    public static List<Verdict> untilRefused(
            TargetKernel target,
            List<KernelModule> given,
            List<KernelModule> inTreeModules,
            Set<String> unreadable,
            ExportRowCache rows,
            int threads) {
        ModuleEnvironment environment = environment(target, given, inTreeModules, unreadable, rows);
        do {
            EnvironmentMember refused = judgeAll(environment, threads, true);
            if (refused != null) {
                return List.of(refused.verdictOrThrow());
            }
        } while (environment.refuseRivals());
        return verdicts(environment, given.size());
    }

    /**
     * Judges all members of an environment. If several of the modules being checked would load and export the same
     * symbol, refuses all but the first.
     */
    public static void judgeRivals(ModuleEnvironment environment, int threads) {
        do {
            judgeAll(environment, threads);
        } while (environment.refuseRivals());
    }

    /**
     * Judges modules as {@link #together} does, but does not refuse given modules because another given module exports
     * the same symbol.
     */
    public static List<Verdict> sideBySide(
            TargetKernel target,
            List<KernelModule> given,
            List<KernelModule> inTreeModules,
            Set<String> unreadable,
            ExportRowCache rows,
            int threads) {
        ModuleEnvironment environment = environment(target, given, inTreeModules, unreadable, rows);
        judgeAll(environment, threads);
        return verdicts(environment, given.size());
    }

    private static ModuleEnvironment environment(
            TargetKernel target,
            List<KernelModule> given,
            List<KernelModule> inTreeModules,
            Set<String> unreadable,
            ExportRowCache rows) {
        Set<String> replaced = new HashSet<>(unreadable);
        List<EnvironmentMember> members = new ArrayList<>();
        for (KernelModule module : given) {
            members.add(new EnvironmentMember(module, true));
            replaced.add(module.name());
        }
        for (KernelModule module : inTreeModules) {
            if (!replaced.contains(module.name())) {
                members.add(new EnvironmentMember(module, false));
            }
        }
        return new ModuleEnvironment(target, members, unreadable, rows);
    }

    private static List<Verdict> verdicts(ModuleEnvironment environment, int given) {
        List<Verdict> verdicts = new ArrayList<>();
        for (EnvironmentMember member : environment.members().subList(0, given)) {
            verdicts.add(member.verdictOrThrow());
        }
        return verdicts;
    }

    /**
     * Judges each given module as if no other given module were installed: against the target and the target's own
     * modules. The parameters are those of {@link #together}.
     *
     * @return one verdict for each given module, in order
     */
    public static List<Verdict> alone(
            TargetKernel target,
            List<KernelModule> given,
            List<KernelModule> inTreeModules,
            Set<String> unreadable,
            ExportRowCache rows,
            int threads) {
        List<EnvironmentMember> members = new ArrayList<>();
        for (KernelModule module : inTreeModules) {
            members.add(new EnvironmentMember(module, false));
        }
        ModuleEnvironment environment = new ModuleEnvironment(target, members, unreadable, rows);
        judgeAll(environment, threads);
        Verdict[] verdicts = new Verdict[given.size()];
        Workers.start(given.size(), given.size() < WORTH_A_THREAD ? 1 : threads, () -> {
                    Loader loader = new Loader(environment);
                    return i -> {
                        KernelModule module = given.get(i);
                        verdicts[i] = loader.judge(module, module.name()).verdict();
                    };
                })
                .finish();
        return new ArrayList<>(List.of(verdicts));
    }

    public static boolean looksAtRelocations(TargetKernel target) {
        return RelocationTypes.of(target) != null;
    }

    /**
     * Returns whether a verdict that ignores the relocations stays valid. It stays valid if the target's loader accepts
     * all of them, or if weaklink does not know which relocations the loader accepts.
     */
    public static boolean acceptsRelocations(TargetKernel target, Relocations relocations) {
        return RelocationStep.accepts(target, relocations);
    }

    /**
     * Judges all members in waves. Each wave contains the members whose possible dependencies were judged in earlier
     * waves. If no such member is left, {@link Dependencies#inCircles} chooses the next wave.
     */
    static void judgeAll(ModuleEnvironment environment, int threads) {
        judgeAll(environment, threads, false);
    }

    /**
     * Judges all members. If {@code untilRefused} is true, stops as soon as a given module is refused.
     *
     * @return the refused module at which the judging stopped; null if all members were judged
     */
    private static @Nullable EnvironmentMember judgeAll(
            ModuleEnvironment environment, int threads, boolean untilRefused) {
        Dependencies dependencies = new Dependencies(environment);
        Loaders loaders = new Loaders(environment, untilRefused);
        List<Integer> wave = dependencies.free();
        int left = environment.members().size();
        while (left > 0) {
            if (wave.isEmpty()) {
                wave = dependencies.inCircles();
            }
            EnvironmentMember refused = judgeWave(environment, wave, loaders, threads, untilRefused);
            if (refused != null) {
                return refused;
            }
            left -= wave.size();
            List<Integer> freed = new ArrayList<>();
            for (int m : wave) {
                dependencies.judged(m, freed);
            }
            wave = freed;
        }
        return null;
    }

    /**
     * Judges the members of a wave in parallel. Until the whole wave is judged, its members count as modules that do
     * not load.
     */
    private static @Nullable EnvironmentMember judgeWave(
            ModuleEnvironment environment, List<Integer> wave, Loaders loaders, int threads, boolean untilRefused) {
        @Nullable VerdictBuilder[] judgements = new VerdictBuilder[wave.size()];
        AtomicReference<@Nullable EnvironmentMember> refused = new AtomicReference<>();
        Workers.start(judgements.length, judgements.length < WORTH_A_THREAD ? 1 : threads, () -> {
                    Loader loader = loaders.take();
                    return i -> {
                        EnvironmentMember member = environment.members().get(wave.get(i));
                        if (refused.get() == null) {
                            VerdictBuilder judgement = loader.judge(member.module(), null);
                            judgements[i] = judgement;
                            if (untilRefused && member.given() && judgement.refused()) {
                                refused.set(member);
                            }
                        }
                    };
                })
                .finish();
        loaders.returnAll();
        for (int i = 0; i < judgements.length; i++) {
            VerdictBuilder judgement = judgements[i];
            if (judgement != null) {
                environment.members().get(wave.get(i)).judged(judgement);
            }
        }
        return refused.get();
    }

    private static final class Dependencies {
        private final ModuleEnvironment environment;
        private final List<EnvironmentMember> members;
        private final int[] waitsFor;
        private final List<List<Integer>> dependants = new ArrayList<>();

        Dependencies(ModuleEnvironment environment) {
            this.environment = environment;
            members = environment.members();
            waitsFor = new int[members.size()];
            for (int m = 0; m < members.size(); m++) {
                dependants.add(List.of());
            }
            int[] seenBy = new int[members.size()];
            for (int m = 0; m < members.size(); m++) {
                connect(m, seenBy);
            }
        }

        private void connect(int m, int[] seenBy) {
            KernelModule module = members.get(m).module();
            SymbolNames imports = module.imports().names();
            int[] rows = environment.rows().of(module);
            for (int i = 0; i < imports.size(); i++) {
                if (rows[i] >= 0 && environment.target().exports().isVmlinux(rows[i])) {
                    // the kernel would refuse any module that exports this symbol too
                    continue;
                }
                for (int offer = environment.offer(imports, i);
                        offer != ModuleEnvironment.NONE;
                        offer = environment.nextOffer(offer)) {
                    int provider = environment.memberIndex(offer);
                    if (provider != m && seenBy[provider] != m + 1) {
                        seenBy[provider] = m + 1;
                        addDependant(provider, m);
                    }
                }
            }
        }

        private void addDependant(int provider, int m) {
            if (dependants.get(provider).isEmpty()) {
                dependants.set(provider, new ArrayList<>(4));
            }
            dependants.get(provider).add(m);
            waitsFor[m]++;
        }

        List<Integer> free() {
            List<Integer> free = new ArrayList<>();
            for (int m = 0; m < waitsFor.length; m++) {
                if (waitsFor[m] == 0) {
                    free.add(m);
                }
            }
            return free;
        }

        void judged(int m, List<Integer> freed) {
            for (int dependant : dependants.get(m)) {
                if (--waitsFor[dependant] == 0 && members.get(dependant).verdict() == null) {
                    freed.add(dependant);
                }
            }
        }

        /**
         * Returns the next members to judge when only dependency cycles and their users are left. Prefers a single
         * member if each of its imports has an exporter that loads, or no exporter among the members. Otherwise returns
         * a cycle that depends on no other cycle.
         */
        List<Integer> inCircles() {
            BitSet waiting = new BitSet();
            for (int m = 0; m < members.size(); m++) {
                if (members.get(m).verdict() == null) {
                    if (hasAllItNeeds(m)) {
                        return List.of(m);
                    }
                    waiting.set(m);
                }
            }
            List<List<Integer>> providers = providers(waiting);
            int m = waiting.nextSetBit(0);
            while (true) {
                BitSet above = reachable(m, providers, waiting);
                BitSet outside = (BitSet) above.clone();
                outside.andNot(reachable(m, dependants, waiting));
                if (outside.isEmpty()) {
                    return above.stream().boxed().toList();
                }
                m = outside.nextSetBit(0);
            }
        }

        private List<List<Integer>> providers(BitSet waiting) {
            List<List<Integer>> providers = new ArrayList<>();
            for (int m = 0; m < members.size(); m++) {
                providers.add(waiting.get(m) ? new ArrayList<>(4) : List.of());
            }
            for (int p = waiting.nextSetBit(0); p >= 0; p = waiting.nextSetBit(p + 1)) {
                for (int dependant : dependants.get(p)) {
                    if (waiting.get(dependant)) {
                        providers.get(dependant).add(p);
                    }
                }
            }
            return providers;
        }

        private static BitSet reachable(int from, List<List<Integer>> edges, BitSet waiting) {
            BitSet found = new BitSet();
            found.set(from);
            ArrayDeque<Integer> next = new ArrayDeque<>(List.of(from));
            while (!next.isEmpty()) {
                for (int m : edges.get(next.remove())) {
                    if (waiting.get(m) && !found.get(m)) {
                        found.set(m);
                        next.add(m);
                    }
                }
            }
            return found;
        }

        private boolean hasAllItNeeds(int m) {
            SymbolNames imports = members.get(m).module().imports().names();
            for (int i = 0; i < imports.size(); i++) {
                int offer = environment.offer(imports, i);
                boolean loaded = offer == ModuleEnvironment.NONE;
                for (; offer != ModuleEnvironment.NONE && !loaded; offer = environment.nextOffer(offer)) {
                    loaded = environment.member(offer).loads();
                }
                if (!loaded) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The loaders for one environment. Each thread takes one loader for a wave; later waves reuse the loaders. */
    private static final class Loaders {
        private final ModuleEnvironment environment;
        private final boolean untilRefused;
        private final List<Loader> idle = new ArrayList<>();
        private final List<Loader> busy = new ArrayList<>();

        Loaders(ModuleEnvironment environment, boolean untilRefused) {
            this.environment = environment;
            this.untilRefused = untilRefused;
        }

        synchronized Loader take() {
            Loader loader = idle.isEmpty() ? new Loader(environment, untilRefused) : idle.remove(idle.size() - 1);
            busy.add(loader);
            return loader;
        }

        synchronized void returnAll() {
            idle.addAll(busy);
            busy.clear();
        }
    }
}
