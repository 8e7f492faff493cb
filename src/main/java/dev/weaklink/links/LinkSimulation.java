package dev.weaklink.links;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.links.selection.Candidate;
import dev.weaklink.links.selection.MaximalSubset;
import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.links.selection.Selection;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.Dependants;
import dev.weaklink.system.ModulesDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Judges builds on a kernel as if they were linked. The simulation writes nothing. */
public final class LinkSimulation {
    private final InstalledTarget view;
    private final ModulesDirectory directory;
    private final ExportRowCache rows;
    private final int threads;

    /**
     * Creates a simulation.
     *
     * @param directory the directory with {@code modules.dep}; if that file is missing, every module of the kernel
     *     counts as a user of each replaced module that exports symbols
     */
    public LinkSimulation(InstalledTarget view, ModulesDirectory directory, int threads) {
        this.view = view;
        this.directory = directory;
        this.rows = new ExportRowCache(view.kernel().exports());
        this.threads = threads;
    }

    /**
     * Judges builds that are all installed but need not be loaded together, so that several may export the same symbol.
     *
     * @param unreadable the names of modules that could not be read
     */
    public List<Verdict> sideBySide(List<KernelModule> given, Set<String> unreadable) {
        rows.prepare(given, threads);
        return sideBySide(given, neededBy(given), unreadable);
    }

    /**
     * Judges builds as {@link #sideBySide(List, Set)} does. The caller must have read all of the builds without errors.
     */
    public List<Verdict> sideBySide(List<KernelModule> given) {
        rows.prepare(given, threads);
        List<KernelModule> inTreeModules = neededBy(given);
        // neededBy() may fail to read modules, so view.unreadable() is complete only now
        return sideBySide(given, inTreeModules, view.unreadable());
    }

    public List<Verdict> sideBySide(
            List<KernelModule> given, List<KernelModule> inTreeModules, Set<String> unreadable) {
        return LoadSet.sideBySide(view.kernel(), given, inTreeModules, unreadable, rows, threads);
    }

    /**
     * Judges builds that are loaded in this order. If several builds would load and export the same symbol, all but the
     * first are refused.
     */
    public List<Verdict> inOrder(List<KernelModule> given, List<KernelModule> inTreeModules, Set<String> unreadable) {
        return LoadSet.together(view.kernel(), given, inTreeModules, unreadable, rows, threads);
    }

    /**
     * Chooses the builds to link, as {@link MaximalSubset} does.
     *
     * @param involved the result of {@link #involved} for these builds, or for a superset
     * @param mayBreak the names of the kernel's own modules that may stop loading
     */
    public Selection choose(
            List<Candidate> candidates, List<KernelModule> involved, Set<String> unreadable, Set<String> mayBreak) {
        return MaximalSubset.choose(
                new SubsetQuestion(view.kernel(), candidates, involved, unreadable, mayBreak), rows, threads);
    }

    public Selection choose(List<Candidate> candidates, Set<String> mayBreak) {
        List<KernelModule> builds = new ArrayList<>();
        candidates.forEach(candidate -> builds.add(candidate.module()));
        return choose(candidates, involved(builds), view.unreadable(), mayBreak);
    }

    public List<KernelModule> neededBy(List<KernelModule> builds) {
        return view.neededBy(builds, rows);
    }

    /**
     * Returns all of the kernel's own modules that decide which builds can be linked: modules that builds need, users
     * of modules that builds may replace, and modules that these users need.
     */
    public List<KernelModule> involved(Collection<KernelModule> builds) {
        List<KernelModule> asking = new ArrayList<>(builds);
        // A build that is refused whatever else is linked will not be linked, so it replaces no module.
        List<KernelModule> dependants = dependants(MaximalSubset.possible(view.kernel(), builds, rows));
        asking.addAll(dependants);
        Set<KernelModule> involved = new LinkedHashSet<>(dependants);
        involved.addAll(neededBy(asking));
        return List.copyOf(involved);
    }

    public List<KernelModule> dependants(Collection<KernelModule> builds) {
        Set<String> replaced = new TreeSet<>();
        for (KernelModule build : builds) {
            if (view.has(build.name())) {
                replaced.add(build.name());
            }
        }
        if (replaced.isEmpty()) {
            return List.of();
        }
        Set<String> names = Dependants.of(directory, replaced);
        if (names != null) {
            return view.named(names);
        }
        for (KernelModule module : view.named(replaced)) {
            if (module.exports().names().size() == 0) {
                replaced.remove(module.origin().moduleName());
            }
        }
        return replaced.isEmpty() ? List.of() : view.all();
    }
}
