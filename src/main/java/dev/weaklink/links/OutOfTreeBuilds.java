package dev.weaklink.links;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.InstalledUnits;
import dev.weaklink.check.ModuleBatch;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.module.KernelModule;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleBuilds;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All out-of-tree builds below a root directory, from every kernel's module directory, with the facts read from their
 * files.
 */
final class OutOfTreeBuilds {
    /**
     * An out-of-tree build of a module.
     *
     * @param module the facts read from the file; only the file's path if the file cannot be read
     * @param failure the reason why the file cannot be read, null if it can be read
     * @param unit the unit to which the build belongs, such as a package or a directory
     */
    record Offer(
            ModuleBuild build,
            KernelModule module,
            @Nullable String failure,
            RuleUnit unit) {}

    static Set<String> names(Collection<Offer> offers) {
        Set<String> names = new HashSet<>();
        offers.forEach(offer -> names.add(offer.build().name()));
        return names;
    }

    /**
     * Returns the names of modules whose facts are unknown on a kernel: unreadable modules of the kernel itself, and
     * modules that exist only as unreadable out-of-tree builds.
     */
    Set<String> unreadableOn(InstalledTarget view) {
        Set<String> unreadable = new HashSet<>();
        for (Offer offer : offers) {
            if (offer.failure() != null && !view.has(offer.build().name())) {
                unreadable.add(offer.build().name());
            }
        }
        for (Offer offer : offers) {
            if (offer.failure() == null) {
                unreadable.remove(offer.build().name());
            }
        }
        unreadable.addAll(view.unreadable());
        return unreadable;
    }

    static List<KernelModule> modules(Collection<Offer> offers) {
        return offers.stream().map(Offer::module).toList();
    }

    private final List<Offer> offers;
    private final Map<Path, Offer> byHost = new HashMap<>();

    private final ModuleBatch batch;

    private OutOfTreeBuilds(List<Offer> offers, ModuleBatch batch) {
        this.offers = offers;
        this.batch = batch;
        for (Offer offer : offers) {
            if (offer.build().isLinkable()) {
                byHost.putIfAbsent(offer.build().host(), offer);
            }
        }
    }

    static OutOfTreeBuilds read(Root root, List<String> releases, ReadOptions options, List<InputProblem> problems) {
        List<ModuleBuild> builds = new ArrayList<>();
        List<ModuleSource> files = new ArrayList<>();
        for (String release : releases) {
            for (ModuleBuild build : builds(root, release, problems)) {
                builds.add(build);
                files.add(new ModuleSource(build.host(), build.inside()));
            }
        }
        List<RuleUnit> units = InstalledUnits.of(root, builds, problems);
        ModuleBatch batch = ModuleBatch.read(files, options);
        List<Offer> offers = new ArrayList<>();
        for (int i = 0; i < builds.size(); i++) {
            String failure = batch.failure(i);
            if (failure != null) {
                problems.add(new InputProblem(builds.get(i).inside(), failure));
            }
            offers.add(new Offer(builds.get(i), batch.module(i), failure, units.get(i)));
        }
        return new OutOfTreeBuilds(offers, batch);
    }

    static List<ModuleBuild> builds(Root root, String release, List<InputProblem> problems) {
        List<InputProblem> met = new ArrayList<>();
        List<ModuleBuild> builds = List.of();
        try {
            builds = ModuleBuilds.of(root, release, met);
        } catch (IOException e) {
            problems.add(new InputProblem(release, String.valueOf(e.getMessage())));
        }
        problems.addAll(met);
        return builds;
    }

    OutOfTreeBuilds provenOn(InstalledTarget view) {
        List<KernelModule> modules = batch.provenOn(view);
        List<Offer> proven = new ArrayList<>(offers.size());
        for (int i = 0; i < modules.size(); i++) {
            Offer offer = offers.get(i);
            proven.add(new Offer(offer.build(), modules.get(i), offer.failure(), offer.unit()));
        }
        return new OutOfTreeBuilds(proven, batch);
    }

    List<Offer> all() {
        return List.copyOf(offers);
    }

    /** Returns the build at this path; null if the file is not a build that links may point to. */
    @Nullable
    Offer at(Path host) {
        return byHost.get(host);
    }

    List<Offer> of(String release) {
        return offers.stream()
                .filter(offer -> offer.build().release().equals(release))
                .toList();
    }

    /**
     * Returns the builds for other kernels, the preferred builds first. Builds for older kernels precede builds for
     * newer kernels, and the nearest release comes first in both groups.
     */
    List<Offer> forKernel(String release) {
        List<Offer> others = new ArrayList<>();
        for (Offer offer : offers) {
            if (!offer.build().release().equals(release)) {
                others.add(offer);
            }
        }
        others.sort(
                Comparator.comparing((Offer offer) -> offer.build().release(), KernelReleaseOrder.preferredFor(release))
                        .thenComparing(Offer::build));
        return others;
    }

    static Set<String> onlyNewer(List<Offer> offers, String release) {
        Set<String> newer = new HashSet<>();
        Set<String> others = new HashSet<>();
        for (Offer offer : offers) {
            int order = KernelReleaseOrder.INSTANCE.compare(offer.build().release(), release);
            (order > 0 ? newer : others).add(offer.build().name());
        }
        newer.removeAll(others);
        return newer;
    }
}
