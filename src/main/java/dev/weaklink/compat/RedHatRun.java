package dev.weaklink.compat;

import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.compat.ModuleLinks.LinkBatch;
import dev.weaklink.compat.ModuleLinks.LinkPlace;
import dev.weaklink.compat.ModuleLinks.ModuleLink;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.loader.DependencyGroups;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleBuilds;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Plans the changes of weak-modules and prints its messages; writes nothing. */
final class RedHatRun {
    private final StandardStreams streams;
    private final BaseDirectory base;
    private final SignaturePolicy trust;
    private final boolean verbose;
    private final DialectCommit commit;
    private final int threads = Runtime.getRuntime().availableProcessors();
    private final PendingChanges work = new PendingChanges();

    RedHatRun(
            StandardStreams streams, BaseDirectory base, SignaturePolicy trust, boolean verbose, DialectCommit commit) {
        this.streams = streams;
        this.base = base;
        this.trust = trust;
        this.verbose = verbose;
        this.commit = commit;
    }

    /**
     * Plans links to these modules on every installed kernel, except to modules in the kernel's own directory. A kernel
     * gets none of the links if {@link KernelUpdate#addWhole} rejects them.
     */
    PendingChanges addModules(List<String> paths) throws IOException {
        List<String> there = new ArrayList<>();
        for (String path : paths) {
            if (!base.exists(path)) {
                streams.complain(path + ": no such file; no link is made to it");
            } else if (!Files.isRegularFile(base.host(path))) {
                streams.complain(path + ": not a regular file; no link is made to it");
            } else {
                there.add(path);
            }
        }
        LinkBatch listed = new ModuleLinks(base, threads).to(there, LinkPlace::redHat);
        if (listed.links().isEmpty()) {
            return work;
        }
        for (String kernel : kernels()) {
            addModules(kernel, listed);
        }
        for (ModuleLink link : listed.links()) {
            work.changed(link.release(), link.fileName());
        }
        return work;
    }

    private void addModules(String kernel, LinkBatch listed) throws IOException {
        boolean concerned = !foreign(listed.links(), kernel).isEmpty();
        LinkDraft trial = concerned ? openQuietly(kernel) : null;
        if (trial == null) {
            return;
        }
        List<ModuleLink> foreign = foreign(trial.proven(listed), kernel);
        List<Rejection> rejections = update(trial).addWhole(foreign);
        SignatureWords.sayNotLinked(streams, kernel, rejections);
        add(trial);
    }

    private void add(LinkDraft trial) {
        Set<String> lost = trial.lost();
        if (!lost.isEmpty()) {
            streams.complain("kernel " + trial.release() + ": " + Rejection.lost(lost, base.root()));
        }
        work.add(trial.release(), trial.changes());
    }

    private KernelUpdate update(LinkDraft trial) {
        return new KernelUpdate(streams, trial, verbose, work);
    }

    /**
     * Plans a kernel's links to the modules in {@code extra} of other kernels. Returns null if the kernel has no module
     * directory, or if too little is known about the kernel to judge modules.
     */
    @Nullable
    PendingChanges addKernel(String kernel) throws IOException {
        List<InputProblem> problems = new ArrayList<>();
        boolean there = ModulesDirectory.find(base.root(), kernel) != null;
        ProviderBuilds builds = new ProviderBuilds(base, there ? providers(kernel) : List.of(), threads);
        LinkDraft trial = there ? LinkDraft.open(base, kernel, trust, threads, problems) : null;
        if (trial == null) {
            complainOfSymvers(kernel, problems);
            return null;
        }
        KernelUpdate update = update(trial);
        for (var next = builds.next(); next != null; next = builds.next()) {
            next.problems().forEach(this::complain);
            update.addProvider(trial.proven(next.links()));
        }
        SignatureWords.sayNotLinked(streams, kernel, trial.refused());
        SignatureWords.sayRemoved(streams, kernel, trial.removed());
        add(trial);
        return work;
    }

    private void complain(InputProblem problem) {
        streams.complain(problem.subject() + ": " + problem.message());
    }

    private void complainOfSymvers(String kernel, List<InputProblem> problems) {
        problems.forEach(this::complain);
        String boot = base.spelt("/boot/symvers-" + kernel);
        String modules = base.spelt("/lib/modules/" + kernel + "/symvers");
        streams.log("Symvers dump file is not found in "
                + String.join(" ", boot + ".xz", modules + ".xz", boot + ".gz", modules + ".gz"));
    }

    /**
     * Returns all kernels except {@code kernel}, from newest to oldest, including removed kernels of which modules
     * remain.
     */
    private List<String> providers(String kernel) throws IOException {
        List<String> providers = new ArrayList<>(InstalledKernels.list(base.root()));
        providers.remove(kernel);
        providers.sort(KernelReleaseOrder.INSTANCE.reversed());
        return providers;
    }

    /**
     * Plans the removal of links to these modules if the files no longer exist. On each installed kernel, also plans
     * the removal of links to modules that this kernel would refuse.
     */
    PendingChanges removeModules(List<String> paths) throws IOException {
        LinkBatch listed = new ModuleLinks(base, threads).to(paths, LinkPlace::redHat);
        for (String kernel : paths.isEmpty() ? List.<String>of() : kernels()) {
            removeModules(kernel, listed);
        }
        for (ModuleLink link : listed.links()) {
            work.changed(link.release(), link.fileName());
        }
        return work;
    }

    private void removeModules(String kernel, LinkBatch listed) throws IOException {
        Map<String, WeakLink> links = new TreeMap<>();
        for (WeakLink link : WeakUpdates.scan(base.root(), kernel).links()) {
            links.put(link.place(), link);
        }
        LinkDraft trial = links.isEmpty() ? null : openQuietly(kernel);
        List<Change> gone = new ArrayList<>();
        for (ModuleLink link : listed.links()) {
            WeakLink present = links.get(link.place());
            if (present == null || !present.target().equals(link.target())) {
                sayVerbosely("Skipping symlink " + spelt(kernel, link.place()));
            } else if (!base.exists(link.target())) {
                links.remove(link.place());
                gone.add(new Change.RemoveLink(present.inside(), present.target()));
            }
        }
        if (trial != null) {
            update(trial).clean(trial.proven(listed));
            SignatureWords.sayRemoved(streams, kernel, trial.removed());
            add(trial);
        }
        for (Change change : gone) {
            String file = PathFormat.fileName(change.path());
            sayVerbosely("Removing compatible module " + file + " from kernel " + kernel);
        }
        work.add(kernel, gone);
    }

    private String spelt(String kernel, String place) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
        return base.spelt((directory == null ? "/lib/modules/" + kernel : directory.inside()) + "/" + place);
    }

    PendingChanges removeKernel(String kernel) throws IOException {
        WeakUpdates weak = WeakUpdates.scan(base.root(), kernel);
        for (String file : weak.files()) {
            streams.complain(base.spelt(file) + ": not a link; left where it is");
        }
        work.remove(kernel, weak.links());
        return work;
    }

    private List<String> kernels() throws IOException {
        List<String> kernels = new ArrayList<>();
        for (String kernel : InstalledKernels.list(base.root())) {
            if (commit.isInstalled(kernel)) {
                kernels.add(kernel);
            }
        }
        kernels.sort(null);
        return kernels;
    }

    private @Nullable LinkDraft openQuietly(String kernel) throws IOException {
        return LinkDraft.open(base, kernel, trust, threads, new ArrayList<>());
    }

    private List<ModuleLink> foreign(List<ModuleLink> listed, String kernel) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
        List<ModuleLink> foreign = new ArrayList<>();
        for (ModuleLink link : listed) {
            boolean own = directory != null
                    && base.host(link.target())
                            .toRealPath()
                            .startsWith(directory.host().toRealPath());
            if (!own) {
                foreign.add(link);
            }
        }
        return foreign;
    }

    private void sayVerbosely(String line) throws IOException {
        if (verbose) {
            streams.say(line);
        }
    }

    /**
     * Reads the modules in {@code extra} of other kernels, one kernel after the other. The next kernel's modules are
     * read in the background.
     */
    private static final class ProviderBuilds {
        record ProviderLinks(LinkBatch links, List<InputProblem> problems) {}

        private final BaseDirectory base;
        private final Iterator<String> providers;
        private final int threads;
        private @Nullable BackgroundTask<ProviderLinks> ahead;

        ProviderBuilds(BaseDirectory base, List<String> providers, int threads) {
            this.base = base;
            this.providers = providers.iterator();
            this.threads = threads;
            this.ahead = startNext();
        }

        /**
         * Returns the next kernel's modules, or null after the last.
         *
         * @throws IOException if the kernel's name is invalid, or links form a cycle
         */
        @Nullable
        ProviderLinks next() throws IOException {
            BackgroundTask<ProviderLinks> wanted = ahead;
            if (wanted == null) {
                return null;
            }
            try {
                ProviderLinks builds = wanted.get();
                ahead = startNext();
                return builds;
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        private @Nullable BackgroundTask<ProviderLinks> startNext() {
            if (!providers.hasNext()) {
                return null;
            }
            String provider = providers.next();
            return BackgroundTask.start(new Callable<>() {
                @Override
                public ProviderLinks call() throws IOException {
                    return read(provider);
                }
            });
        }

        private ProviderLinks read(String provider) throws IOException {
            List<InputProblem> problems = new ArrayList<>();
            List<ModuleBuild> builds = ModuleBuilds.below("extra", base.root(), provider, problems);
            List<String> paths = chosen(builds, provider).stream()
                    .map(build -> base.spelt(build.inside()))
                    .toList();
            return new ProviderLinks(new ModuleLinks(base, threads).to(paths, LinkPlace::redHat), problems);
        }

        /**
         * Returns the builds that depmod chooses on their own kernel. The original weak-modules takes its list from
         * modules.dep (make_groups in kmod-28-9.el9), which has one file for each module name.
         */
        private List<ModuleBuild> chosen(List<ModuleBuild> builds, String provider) throws IOException {
            if (builds.isEmpty()) {
                return builds;
            }
            ModuleTree tree = ModuleTree.scan(base.root(), provider);
            List<ModuleBuild> chosen = new ArrayList<>();
            for (ModuleBuild build : builds) {
                ModuleFile file = tree.chosen(build.name());
                if (file != null && file.inside().equals(build.inside())) {
                    chosen.add(build);
                }
            }
            return chosen;
        }
    }

    private static final class KernelUpdate {
        private final StandardStreams streams;
        private final LinkDraft trial;
        private final boolean verbose;
        private final PendingChanges work;
        private final Set<String> linked = new HashSet<>();

        KernelUpdate(StandardStreams streams, LinkDraft trial, boolean verbose, PendingChanges work) {
            this.streams = streams;
            this.trial = trial;
            this.verbose = verbose;
            this.work = work;
        }

        /**
         * Links all modules of a list. If a new link, or a link that loaded before, is rejected, links none of the
         * modules.
         *
         * @return the rejections; empty if the modules were linked
         */
        List<Rejection> addWhole(List<ModuleLink> list) throws IOException {
            Map<String, ModuleLink> earlier = trial.links();
            put(list);
            List<Rejection> rejections = trial.settleWhole();
            sayVerdicts(list, rejections);
            if (trial.areOld(rejections)) {
                remember(list);
                return List.of();
            }
            say("Falling back weak-modules state for kernel " + trial.release());
            trial.restore(earlier);
            return rejections;
        }

        /**
         * Links the compatible modules of another kernel: first the modules without dependencies among each other, then
         * the groups of dependent modules. Modules already linked from a newer kernel are skipped.
         */
        void addProvider(List<ModuleLink> builds) throws IOException {
            List<ModuleLink> singles = new ArrayList<>();
            List<List<ModuleLink>> groups = new ArrayList<>();
            List<KernelModule> modules = builds.stream().map(ModuleLink::module).toList();
            for (List<Integer> places : DependencyGroups.ofUsers(modules)) {
                List<ModuleLink> group = places.stream().map(builds::get).toList();
                if (group.size() == 1) {
                    singles.addAll(group);
                } else {
                    groups.add(group);
                }
            }
            addSingles(unlinked(singles));
            if (groups.size() == 1 || !addTogether(groups)) {
                for (List<ModuleLink> group : groups) {
                    List<ModuleLink> left = unlinked(group);
                    if (!left.isEmpty()) {
                        addWhole(left);
                    }
                }
            }
        }

        private boolean addTogether(List<List<ModuleLink>> groups) throws IOException {
            Map<String, ModuleLink> earlier = trial.links();
            boolean isChanged = false;
            for (List<ModuleLink> group : groups) {
                for (ModuleLink link : unlinked(group)) {
                    trial.put(link);
                    isChanged = true;
                }
            }
            if (isChanged && !trial.settleWhole().isEmpty()) {
                trial.restore(earlier);
                return false;
            }
            for (List<ModuleLink> group : groups) {
                List<ModuleLink> left = unlinked(group);
                for (ModuleLink link : left) {
                    noteUpdate(link, earlier.containsKey(link.place()));
                }
                sayVerdicts(left, List.of());
                remember(left);
            }
            return true;
        }

        /** Links each compatible module. For a rejected module, restores the link that existed before. */
        private void addSingles(List<ModuleLink> singles) throws IOException {
            if (singles.isEmpty()) {
                return;
            }
            Map<String, ModuleLink> earlier = trial.links();
            put(singles);
            List<Rejection> rejections = trial.settle();
            sayVerdicts(singles, rejections);
            boolean restored = false;
            for (Rejection rejection : rejections) {
                ModuleLink before = earlier.get(rejection.link().place());
                if (before != null && !before.equals(rejection.link())) {
                    trial.put(before);
                    restored = true;
                }
            }
            if (restored) {
                trial.settle();
            }
            remember(singles);
            sayRemoved(earlier);
        }

        void clean(List<ModuleLink> listed) throws IOException {
            Map<String, ModuleLink> earlier = trial.links();
            sayVerdicts(listed, trial.settle());
            sayRemoved(earlier);
        }

        private void put(List<ModuleLink> links) throws IOException {
            for (ModuleLink link : links) {
                noteUpdate(link, trial.isTaken(link.place()));
                trial.put(link);
            }
        }

        private void noteUpdate(ModuleLink link, boolean present) throws IOException {
            String kernel = trial.release();
            if (trial.hasOwn(link)) {
                String what = "found " + link.fileName() + " for " + kernel;
                say(what + " while installing for " + link.release() + ", update case?");
            }
            if (present) {
                String what = "weak module for " + link.fileName() + " already exists for kernel ";
                say(what + kernel + ", update case?");
                work.changed(kernel);
            }
        }

        private List<ModuleLink> unlinked(List<ModuleLink> links) {
            return links.stream().filter(link -> !linked.contains(name(link))).toList();
        }

        private void remember(List<ModuleLink> tried) {
            for (ModuleLink link : tried) {
                if (trial.isLinked(link)) {
                    linked.add(name(link));
                }
            }
        }

        private static String name(ModuleLink link) {
            return ModuleNames.ofFile(link.fileName());
        }

        private void sayVerdicts(List<ModuleLink> tried, List<Rejection> rejections) throws IOException {
            String kernel = trial.release();
            for (Rejection rejection : rejections) {
                String symbols = String.join(" ", rejection.symbols());
                if (!rejection.isUnreadable()) {
                    say(subject(rejection.link()) + "not compatible with kernel " + kernel + " in symbols:  "
                            + symbols);
                }
            }
            for (ModuleLink link : tried) {
                if (trial.isLinked(link)) {
                    say(subject(link) + "compatible with kernel " + kernel);
                }
            }
        }

        private static String subject(ModuleLink link) {
            return "Module " + link.fileName() + " from kernel " + link.release() + " is ";
        }

        private void sayRemoved(Map<String, ModuleLink> earlier) throws IOException {
            for (ModuleLink link : earlier.values()) {
                if (trial.isRemoved(link.place())) {
                    say("Removing compatible module " + link.fileName() + " from kernel " + trial.release());
                }
            }
        }

        private void say(String line) throws IOException {
            if (verbose) {
                streams.say(line);
            }
        }
    }
}
