package dev.weaklink.compat;

import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.compat.SuseDialect.SuseLog;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Plans the changes of weak-modules2 and prints its messages; changes no files. */
final class SuseRun {
    private final SuseLog log;
    private final BaseDirectory base;
    private final KmpDatabase database;
    private final SignaturePolicy trust;
    private final int threads = Runtime.getRuntime().availableProcessors();
    private final KmpModules modules;
    private final PendingChanges work = new PendingChanges();

    SuseRun(SuseLog log, BaseDirectory base, KmpDatabase database, SignaturePolicy trust) {
        this.log = log;
        this.base = base;
        this.database = database;
        this.trust = trust;
        this.modules = new KmpModules(base, threads);
    }

    /**
     * Plans links to an installed package's modules on the kernels of its flavor that would load them. Keeps links to a
     * newer version of the package.
     *
     * @return null if the package is not installed
     * @throws IOException if packages or kernels cannot be read
     */
    @Nullable
    PendingChanges addKmp(String id) throws IOException {
        String flavor = flavor(id);
        List<Kmp> installed = flavor == null ? List.of() : installed(flavor);
        for (Kmp kmp : installed) {
            if (flavor != null && kmp.id().equals(id)) {
                for (String kernel : kernels(flavor)) {
                    addKmp(kmp, installed, kernel);
                }
                return work;
            }
        }
        log.say("ERROR: " + id + " is not an installed kernel module package");
        return null;
    }

    private void addKmp(Kmp kmp, List<Kmp> installed, String kernel) throws IOException {
        KmpLinks links = new KmpLinks(base, kernel, installed);
        KmpDraft trial = new KmpDraft(base, links, installed, modules, trust, threads);
        if (trial.isPresent(kmp)) {
            log.note("Package " + kmp.id() + " does not need to be added to kernel " + kernel);
            changed(kernel, kmp);
            return;
        }
        Kmp old = trial.linkedVersionOf(kmp);
        List<String> objections = List.of();
        if (old == null || old.isOlderThan(kmp)) {
            objections = trial.add(kmp);
            report(trial.problems());
            if (objections.isEmpty()) {
                sayAdded(old, kmp, kernel);
                work.add(kernel, trial.changes());
                return;
            }
        }
        log.explain(objections);
        log.explain(List.of(
                old == null
                        ? "Package " + kmp.id() + " not added to kernel " + kernel
                        : "Package " + old.id() + " kept in kernel " + kernel + ", not replaced by " + kmp.id()));
    }

    private void sayAdded(@Nullable Kmp old, Kmp kmp, String kernel) {
        log.note(
                old == null
                        ? "Package " + kmp.id() + " added to kernel " + kernel
                        : "Package " + old.id() + " replaced by package " + kmp.id() + " in kernel " + kernel);
    }

    private void changed(String kernel, Kmp kmp) {
        for (String file : kmp.files()) {
            work.changed(kernel, PathFormat.fileName(file));
        }
    }

    /**
     * Plans the removal of the links to a removed package. On each kernel that accepts another version, links to the
     * newest such version replace them. Plans nothing if the package is still installed.
     *
     * @param files the modules that the package contained
     * @return null if the id or the files cannot be those of a package
     * @throws IOException if packages or kernels cannot be read
     */
    @Nullable
    PendingChanges removeKmp(String id, List<String> files) throws IOException {
        String flavor = flavor(id);
        Kmp removed;
        try {
            KmpFiles listed = KmpFiles.of(id, files);
            if (listed == null || flavor == null) {
                log.say("ERROR: " + id + " is not NAME-FLAVOR-VERSION-RELEASE of a kernel module package, or standard"
                        + " input lists no modules");
                return null;
            }
            removed = kmp(id, listed);
        } catch (UnreadableException e) {
            log.say(e.reason());
            return null;
        }
        List<Kmp> installed = installed(flavor);
        boolean listed = installed.removeIf(kmp -> kmp.id().equals(id));
        if (listed && hasFiles(removed, installed)) {
            log.note("Package " + id + " is installed; its links stay");
            return work;
        }
        for (String kernel : kernels(flavor)) {
            removeKmp(removed, installed, kernel);
        }
        return work;
    }

    /**
     * Returns whether at least one of the package's files still exists, and no other package lists any of the package's
     * files. rpm lists a package until its %postun has run (lib/psm.c, rpmPackageErase), so a listed package need not
     * be installed.
     */
    private boolean hasFiles(Kmp kmp, List<Kmp> others) throws IOException {
        for (Kmp other : others) {
            if (!Collections.disjoint(other.files(), kmp.files())) {
                return false;
            }
        }
        for (String file : kmp.files()) {
            if (Files.exists(base.root().resolve(file))) {
                return true;
            }
        }
        return false;
    }

    private void removeKmp(Kmp removed, List<Kmp> installed, String kernel) throws IOException {
        List<Kmp> known = new ArrayList<>(installed);
        known.add(removed);
        KmpLinks links = new KmpLinks(base, kernel, known);
        boolean own = removed.kernel().equals(kernel);
        if (!own && !links.isLinked(removed)) {
            return;
        }
        KmpDraft trial = new KmpDraft(base, links, installed, modules, trust, threads);
        trial.remove(removed);
        Kmp other = successor(removed, installed, trial);
        report(trial.problems());
        log.note(
                other == null
                        ? "Package " + removed.id() + " removed from kernel " + kernel
                        : "Package " + removed.id() + " replaced by package " + other.id() + " in kernel " + kernel);
        if (other == null) {
            log.note("Weak-updates symlinks to no other " + removed.name() + " package could be created");
        }
        work.add(kernel, trial.changes());
        changed(kernel, removed);
    }

    /**
     * Returns the newest installed version that can replace a removed version, and adds its links to the trial if
     * necessary. Returns null if there is no such version. Also returns null if that version is in use already, and one
     * of the two versions was built for this kernel.
     */
    private @Nullable Kmp successor(Kmp removed, List<Kmp> installed, KmpDraft trial) throws IOException {
        String kernel = trial.release();
        for (Kmp kmp : installed) {
            if (!kmp.isVersionOf(removed)) {
                continue;
            }
            if (!trial.isPresent(kmp)) {
                if (add(trial, kmp)) {
                    return kmp;
                }
            } else if (removed.kernel().equals(kernel) || kmp.kernel().equals(kernel)) {
                return null;
            } else if (!trial.isNameTaken(kmp) && !trial.refused().contains(kmp)) {
                return kmp;
            } else {
                trial.remove(kmp);
            }
        }
        return null;
    }

    private boolean add(KmpDraft trial, Kmp kmp) throws IOException {
        List<String> objections = trial.add(kmp);
        log.explain(objections);
        return objections.isEmpty();
    }

    /**
     * Plans the links of a changed kernel: adds compatible packages, and removes packages that the kernel would refuse.
     *
     * @throws IOException if packages or the kernel cannot be read
     */
    PendingChanges kernelChanged(String kernel) throws IOException {
        if (!DialectCommit.isInstalled(base, kernel)) {
            return work;
        }
        work.changed(kernel);
        List<Kmp> installed = installed(kernel.substring(kernel.lastIndexOf('-') + 1));
        if (installed.isEmpty()) {
            return work;
        }
        KmpLinks links = new KmpLinks(base, kernel, installed);
        KmpDraft trial = new KmpDraft(base, links, installed, modules, trust, threads);
        new KmpWalk(log, trial).run(installed);
        report(trial.problems());
        work.add(kernel, trial.changes());
        return work;
    }

    /**
     * Plans the removal of all links of a kernel.
     *
     * @throws IOException if the kernel's module directory cannot be read
     */
    PendingChanges removeKernel(String kernel) throws IOException {
        WeakUpdates weak = WeakUpdates.scan(base.root(), kernel);
        for (String file : weak.files()) {
            log.say(file + ": not a link; left where it is");
        }
        work.remove(kernel, weak.links());
        return work;
    }

    private void report(List<InputProblem> problems) {
        for (InputProblem problem : new LinkedHashSet<>(problems)) {
            log.say("WARNING: " + problem.subject() + ": " + problem.message());
        }
    }

    private List<Kmp> installed(String flavor) throws IOException {
        List<String> problems = new ArrayList<>();
        List<Kmp> installed = database.ofFlavor(flavor, problems);
        problems.forEach(log::say);
        return installed;
    }

    private List<String> kernels(String flavor) throws IOException {
        Set<String> kernels = new TreeSet<>();
        for (String kernel : InstalledKernels.list(base.root())) {
            if (kernel.endsWith("-" + flavor) && DialectCommit.isInstalled(base, kernel)) {
                kernels.add(kernel);
            }
        }
        return new ArrayList<>(kernels);
    }

    /**
     * Returns the part of the package's name after its last dash, given name-version-release; null if the argument has
     * another form.
     */
    private static @Nullable String flavor(String id) {
        int name = nameEnd(id);
        int dash = name < 0 ? -1 : id.lastIndexOf('-', name - 1);
        return dash < 0 ? null : id.substring(dash + 1, name);
    }

    private static int nameEnd(String id) {
        int release = id.lastIndexOf('-');
        return release < 1 ? -1 : id.lastIndexOf('-', release - 1);
    }

    private static Kmp kmp(String id, KmpFiles files) {
        int name = nameEnd(id);
        int version = id.lastIndexOf('-');
        return new Kmp(
                id.substring(0, name),
                id.substring(name + 1, version),
                id.substring(version + 1),
                files.kernel(),
                files.files());
    }

    /**
     * Tries all packages on one kernel, the newest version of each first, until no more can be added. A package can
     * become loadable after another package that it needs has been added.
     */
    private static final class KmpWalk {
        private final SuseLog log;
        private final KmpDraft trial;
        private final Set<Kmp> done = new HashSet<>();
        private final Set<String> explained = new HashSet<>();

        KmpWalk(SuseLog log, KmpDraft trial) {
            this.log = log;
            this.trial = trial;
        }

        /**
         * Removes packages that the kernel refuses, then adds packages in rounds until a round adds none.
         *
         * @param installed the packages sorted by {@link Kmp#NEWEST_FIRST}
         */
        void run(List<Kmp> installed) throws IOException {
            for (Kmp kmp : trial.refused()) {
                trial.remove(kmp);
                String line = "Package " + kmp.id() + " removed from kernel " + trial.release();
                if (trial.isWronglySigned(kmp)) {
                    log.say(line);
                } else {
                    log.note(line);
                }
            }
            List<Kmp> open = new ArrayList<>();
            List<Kmp> older = new ArrayList<>();
            for (Kmp kmp : installed) {
                if (!trial.isPresent(kmp)) {
                    open.add(kmp);
                } else if (open.stream().anyMatch(kmp::isVersionOf)) {
                    older.add(kmp); // a newer version may replace it
                } else {
                    notNeeded(kmp);
                }
            }
            boolean progress = true;
            while (progress) {
                open.removeIf(done::contains);
                progress = round(open);
            }
            older.stream().filter(trial::isPresent).forEach(this::notNeeded);
            open.stream()
                    .filter(kmp -> !done.contains(kmp) && trial.linksAllFilesOf(kmp))
                    .forEach(this::notNeeded);
        }

        private void notNeeded(Kmp kmp) {
            log.note("Package " + kmp.id() + " does not need to be added to kernel " + trial.release());
        }

        /** Tries to add the newest version of every package, then the next older version of each, and so on. */
        private boolean round(List<Kmp> open) throws IOException {
            boolean progress = false;
            List<Kmp> untried = new ArrayList<>(open);
            while (!untried.isEmpty()) {
                List<Kmp> level = newest(untried);
                untried.removeAll(level);
                List<Kmp> fresh = new ArrayList<>();
                for (Kmp kmp : level) {
                    Kmp linked = trial.linkedVersionOf(kmp);
                    if (linked == null) {
                        fresh.add(kmp);
                    } else if (linked.isOlderThan(kmp)) {
                        progress |= replace(linked, kmp);
                    }
                }
                for (Kmp kmp : trial.addAll(fresh, this::explain)) {
                    log.note("Package " + kmp.id() + " added to kernel " + trial.release());
                    done.add(kmp);
                    progress = true;
                }
            }
            return progress;
        }

        private boolean replace(Kmp old, Kmp kmp) throws IOException {
            List<String> objections = trial.add(kmp);
            explain(objections);
            if (!objections.isEmpty()) {
                return false;
            }
            done.add(kmp);
            log.note("Package " + old.id() + " replaced by package " + kmp.id() + " in kernel " + trial.release());
            return true;
        }

        /** Prints objections only once, although each round tries the rejected packages again. */
        private void explain(List<String> objections) {
            log.explain(objections.stream().filter(explained::add).toList());
        }

        private static List<Kmp> newest(List<Kmp> kmps) {
            List<Kmp> newest = new ArrayList<>();
            for (Kmp kmp : kmps) {
                if (newest.isEmpty() || !newest.get(newest.size() - 1).isVersionOf(kmp)) {
                    newest.add(kmp);
                }
            }
            return newest;
        }
    }

    interface KmpDatabase {
        /**
         * Returns the packages for kernels of a flavor, sorted by {@link Kmp#NEWEST_FIRST}. Packages that were built
         * from the kernel's own sources are left out.
         *
         * @param problems receives a line about each unusable package
         * @throws IOException if the database cannot be read
         */
        List<Kmp> ofFlavor(String flavor, List<String> problems) throws IOException;
    }
}
