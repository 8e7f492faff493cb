package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.NeededModules;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the target's own modules that a verdict depends on, and judges the given modules together with them. */
public final class Judge {
    private Judge() {}

    /**
     * Judges modules on one target and returns the verdicts in order.
     *
     * @param unreadable the names of given modules that could not be read
     */
    static List<Verdict> judge(
            OpenTarget target, List<KernelModule> given, Set<String> unreadable, CheckRequest request) {
        int threads = request.reading().threads();
        ExportRowCache rows = new ExportRowCache(target.kernel().exports());
        rows.prepare(given, threads);
        if (request.sideBySide()) {
            List<KernelModule> inTreeModules = inTreeModules(target, given, given, rows);
            Set<String> unknown = withNatives(unreadable, target.inTreeModules(), given);
            return LoadSet.sideBySide(
                    kernel(target, given, inTreeModules), given, inTreeModules, unknown, rows, threads);
        }
        if (request.alone()) {
            List<KernelModule> inTreeModules = inTreeModules(target, List.of(), given, rows);
            Set<String> unknown = withNatives(Set.of(), target.inTreeModules(), List.of());
            return LoadSet.alone(kernel(target, given, inTreeModules), given, inTreeModules, unknown, rows, threads);
        }
        return together(target, given, unreadable, rows, threads);
    }

    /**
     * Judges the modules as if all were installed, including modules that would no longer load then.
     *
     * @param rows the cached symbol lookups, shared between calls
     */
    public static List<Verdict> withReplaced(
            OpenTarget target, List<KernelModule> given, Set<String> unreadable, ExportRowCache rows, int threads) {
        List<Verdict> verdicts = together(target, given, unreadable, rows, threads);
        return Replacements.judged(null, target, List.of(), verdicts, threads);
    }

    private static List<Verdict> together(
            OpenTarget target, List<KernelModule> given, Set<String> unreadable, ExportRowCache rows, int threads) {
        List<KernelModule> inTreeModules = inTreeModules(target, given, given, rows);
        Set<String> unknown = withNatives(unreadable, target.inTreeModules(), given);
        TargetKernel kernel = kernel(target, given, inTreeModules);
        return LoadSet.together(kernel, given, inTreeModules, unknown, rows, threads);
    }

    /**
     * Returns the kernel with the build ids of its in-tree modules: if the loader compares no CRCs, the verdict depends
     * on them.
     */
    static TargetKernel kernel(OpenTarget target, List<KernelModule> given, List<KernelModule> inTreeModules) {
        InTreeModules own = target.inTreeModules();
        TargetKernel kernel = target.kernel();
        if (own == null || kernel.rules().is(LoaderRule.MODVERSIONS, "yes")) {
            return kernel;
        }
        Set<String> names = new HashSet<>();
        given.forEach(module -> addNames(module, names));
        inTreeModules.forEach(module -> addNames(module, names));
        Set<String> builds = new HashSet<>();
        for (KernelModule module : own.inTree(names)) {
            // in a flat directory, the path does not show which modules are in-tree
            if (module.buildId() != null && module.origin().file().contains("/kernel/")) {
                builds.add(module.buildId());
            }
        }
        return kernel.withOwnBuilds(builds);
    }

    /**
     * Adds both names of a module. They differ if the file name contains a comma, which the kernel build replaces by an
     * underscore.
     */
    private static void addNames(KernelModule module, Set<String> names) {
        names.add(module.name());
        names.add(module.origin().moduleName());
    }

    /** Returns the unreadable modules, including the target's own that no given module replaces. */
    private static Set<String> withNatives(
            Set<String> unreadable, @Nullable InTreeModules inTreeModules, List<KernelModule> given) {
        if (inTreeModules == null || inTreeModules.failures().isEmpty()) {
            return unreadable;
        }
        Set<String> all = new HashSet<>();
        for (String file : inTreeModules.failures().keySet()) {
            all.add(Origin.moduleName(file));
        }
        for (KernelModule module : given) {
            all.remove(module.name());
        }
        all.addAll(unreadable);
        return all;
    }

    private static List<KernelModule> inTreeModules(
            OpenTarget target, List<KernelModule> replacing, Collection<KernelModule> needing, ExportRowCache rows) {
        InTreeModules own = target.inTreeModules();
        if (own == null) {
            return List.of();
        }
        NeededModules demand = new NeededModules(target.kernel(), replacing, target.known(), rows);
        List<String> inTreeModules = new ArrayList<>();
        Collection<KernelModule> asking = needing;
        while (!asking.isEmpty()) {
            Collection<String> wanted = demand.wantedBy(asking);
            inTreeModules.addAll(wanted);
            asking = own.named(wanted);
        }
        return own.proven(inTreeModules);
    }
}
