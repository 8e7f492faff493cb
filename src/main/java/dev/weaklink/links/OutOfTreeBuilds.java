package dev.weaklink.links;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ModuleBatch;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.Units;
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

/** Every out-of-tree build in a root, in whichever kernel's directory it lies, and its facts. */
final class OutOfTreeBuilds {
    /**
     * One build.
     *
     * @param module its facts; of a file that cannot be read, nothing but where it is
     * @param failure why it cannot be read, null if it can
     * @param unit what it was installed with
     */
    record Offer(
            ModuleBuild build,
            KernelModule module,
            @Nullable String failure,
            RuleUnit unit) {}

    /** Names of modules that there are builds of. */
    static Set<String> names(Collection<Offer> offers) {
        Set<String> names = new HashSet<>();
        offers.forEach(offer -> names.add(offer.build().name()));
        return names;
    }

    /**
     * Names of modules of which nothing is known on a kernel: those of its own that could not be read so far, and those
     * of builds that cannot be read where it has none of the name, nor there is another build.
     */
    Set<String> unreadableOn(KernelView view) {
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

    /** The facts of builds, in their order. */
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

    /**
     * Reads the builds of these kernels.
     *
     * @param problems takes what cannot be read
     */
    static OutOfTreeBuilds read(Root root, List<String> releases, ReadOptions options, List<InputProblem> problems) {
        List<ModuleBuild> builds = new ArrayList<>();
        List<ModuleSource> files = new ArrayList<>();
        for (String release : releases) {
            for (ModuleBuild build : builds(root, release, problems)) {
                builds.add(build);
                files.add(new ModuleSource(build.host(), build.inside()));
            }
        }
        List<RuleUnit> units = Units.of(root, builds, problems);
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

    /** The same, with what the keys that this kernel trusts say of their signatures. */
    OutOfTreeBuilds provenOn(KernelView view) {
        List<KernelModule> modules = batch.provenOn(view);
        List<Offer> proven = new ArrayList<>(offers.size());
        for (int i = 0; i < modules.size(); i++) {
            Offer offer = offers.get(i);
            proven.add(new Offer(offer.build(), modules.get(i), offer.failure(), offer.unit()));
        }
        return new OutOfTreeBuilds(proven, batch);
    }

    /** All of them, by kernel and path. */
    List<Offer> all() {
        return List.copyOf(offers);
    }

    /** The build with this file to which links are made, or null. */
    @Nullable
    Offer at(Path host) {
        return byHost.get(host);
    }

    /** Builds in this kernel's own directory, by path. */
    List<Offer> of(String release) {
        return offers.stream()
                .filter(offer -> offer.build().release().equals(release))
                .toList();
    }

    /**
     * Builds of other kernels, the preferred first: those of the newest kernel that is not newer than this one, and so
     * on to the oldest; then those of newer kernels, the oldest first.
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

    /** Names of modules of which all these builds are for kernels newer than this one. */
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
