package dev.weaklink.check;

import dev.weaklink.loader.Candidate;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.MaximalSubset;
import dev.weaklink.loader.MaximalSubset.SubsetQuestion;
import dev.weaklink.loader.Selection;
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

/** One kernel on which builds are tried as if they were linked. Read only. */
public final class LinkSimulation {
    private final KernelView view;
    private final ModulesDirectory directory;
    private final KernelRows rows;
    private final int threads;

    /**
     * A simulation on a kernel.
     *
     * @param directory where its {@code modules.dep} is; without it all its modules count as dependants
     */
    public LinkSimulation(KernelView view, ModulesDirectory directory, int threads) {
        this.view = view;
        this.directory = directory;
        this.rows = new KernelRows(view.kernel().exports());
        this.threads = threads;
    }

    /**
     * Verdicts on builds side by side, whichever of several that export the same symbol is loaded.
     *
     * @param unreadable names of modules of which nothing could be read
     */
    public List<Verdict> sideBySide(List<KernelModule> given, Set<String> unreadable) {
        rows.prepare(given, threads);
        return sideBySide(given, neededBy(given), unreadable);
    }

    /** The same where the kernel's unreadable modules are the only ones. */
    public List<Verdict> sideBySide(List<KernelModule> given) {
        rows.prepare(given, threads);
        List<KernelModule> natives = neededBy(given);
        // only now it is known which cannot be read
        return sideBySide(given, natives, view.unreadable());
    }

    /** The same, among these of the kernel's own modules. */
    public List<Verdict> sideBySide(List<KernelModule> given, List<KernelModule> natives, Set<String> unreadable) {
        return LoadSet.sideBySide(view.kernel(), given, natives, unreadable, rows, threads);
    }

    /** Verdicts on builds that are loaded in this order: of several with one export the first is. */
    public List<Verdict> inOrder(List<KernelModule> given, List<KernelModule> natives, Set<String> unreadable) {
        return LoadSet.together(view.kernel(), given, natives, unreadable, rows, threads);
    }

    /**
     * Chooses builds that all load and with which no in-tree module stops loading.
     *
     * @param involved as {@link #involved} finds them for these builds, or for more
     * @param mayBreak names of own modules that need not go on loading
     */
    public Selection choose(
            List<Candidate> candidates, List<KernelModule> involved, Set<String> unreadable, Set<String> mayBreak) {
        return MaximalSubset.choose(
                new SubsetQuestion(view.kernel(), candidates, involved, unreadable, mayBreak), rows, threads);
    }

    /** The same where the kernel's unreadable modules are the only ones. */
    public Selection choose(List<Candidate> candidates, Set<String> mayBreak) {
        List<KernelModule> builds = new ArrayList<>();
        candidates.forEach(candidate -> builds.add(candidate.module()));
        return choose(candidates, involved(builds), view.unreadable(), mayBreak);
    }

    /** The kernel's own modules that builds need, directly or through others. */
    public List<KernelModule> neededBy(List<KernelModule> builds) {
        return view.neededBy(builds, rows);
    }

    /**
     * Own modules that builds need, those that use what a build could replace, and what all these need: all that
     * decides which builds can be linked.
     */
    public List<KernelModule> involved(Collection<KernelModule> builds) {
        List<KernelModule> asking = new ArrayList<>(builds);
        // what vmlinux alone refuses replaces nothing, and no module stops loading for it
        List<KernelModule> dependants = dependants(MaximalSubset.possible(view.kernel(), builds, rows));
        asking.addAll(dependants);
        Set<KernelModule> involved = new LinkedHashSet<>(dependants);
        involved.addAll(neededBy(asking));
        return List.copyOf(involved);
    }

    /** Own modules that use symbols of one that a build would replace. */
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
