package dev.weaklink.hold;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.InstalledUnits;
import dev.weaklink.check.StoreWriter;
import dev.weaklink.hold.OfferAnswer.Fit;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.SourceChooser;
import dev.weaklink.rebuild.run.EvidenceReader;
import dev.weaklink.rebuild.run.HeadersDownload;
import dev.weaklink.rebuild.run.HeadersDownload.PackageContents;
import dev.weaklink.rebuild.run.KeptTrials;
import dev.weaklink.rebuild.run.SiteSettings;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.InstalledModules.InstalledBuild;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers;
import dev.weaklink.system.offers.Offers.Driver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks the offered kernels, and holds kernels that would not load a driver in use. */
public final class HoldRun {
    /** The maximum number of kernels whose headers one run fetches, in the order of {@link #firstToFetch}. */
    private static final int MOST_FETCHED = 6;

    private final CheckRequest request;
    private final Root root;
    private final HeldFiles held;
    private final SiteSettings site;
    private final Map<String, String> environment;
    private final List<InputProblem> problems = new ArrayList<>();

    /**
     * Prepares one run.
     *
     * @param request the request, whose modules and kernels are ignored
     * @throws NotDoneException if weaklink.conf is invalid
     */
    public HoldRun(CheckRequest request, Map<String, String> environment) throws NotDoneException, IOException {
        this.request = request;
        this.root = Root.of(request.root());
        this.held = new HeldFiles(root);
        this.site = SiteSettings.read(root, environment);
        this.environment = environment;
    }

    /**
     * Determines which packages to hold. If the site sets {@code hold = yes}, makes the package manager hold them.
     * Otherwise releases the packages that weaklink holds.
     *
     * @param dry true to write and fetch nothing
     * @param waiting receives the process that is changing the held packages, while this run waits for it
     * @throws NotDoneException if no known package manager has lists of packages, or the lock for the held packages
     *     cannot be acquired
     */
    public HoldReport run(boolean dry, Consumer<LockFile.Holder> waiting) throws NotDoneException, IOException {
        boolean changes = !dry && (site.hold() || held.exist());
        try (LockFile lock = changes ? held.lock(waiting) : null) {
            return locked(lock != null && site.hold(), lock != null && !site.hold());
        }
    }

    private HoldReport locked(boolean acts, boolean releases) throws NotDoneException, IOException {
        OfferJudge judge = new OfferJudge(request, root, problems);
        List<Driver> drivers = judge.drivers();
        Offers offers = Offers.read(root, judge.symbols(), Set.copyOf(InstalledKernels.list(root)), drivers);
        if (offers == null) {
            throw new NotDoneException(root.top()
                    + ": no package lists were found; run 'apt update' first (or 'dnf makecache', 'zypper refresh')");
        }
        problems.addAll(site.obsolete());
        problems.addAll(offers.problems());
        Hold hold = decide(judge, offers, drivers, acts);
        String manager =
                offers.manager().equals(Offers.APT) ? Offers.APT : HeldFiles.hasZypper(root) ? "zypper" : "dnf";
        boolean isIneffective = acts && manager.equals("dnf") && isWithoutActions();
        if (isIneffective) {
            problems.add(new InputProblem(
                    "dnf5",
                    "no kernel is held, because dnf5 needs libdnf5-plugin-actions; run"
                            + " 'dnf5 install libdnf5-plugin-actions', then: weaklink hold"));
            release();
        }
        boolean failed = isIneffective || acts && !write(manager, hold) || releases && !release();
        return new HoldReport(manager, site.hold(), acts && !failed, failed, hold, problems);
    }

    /** Returns whether dnf5 is installed without the plugin that calls weaklink. dnf4 needs no such plugin. */
    private boolean isWithoutActions() {
        RootText text = new RootText(root);
        List<String> libraries = new ArrayList<>(List.of("/usr/lib64", "/usr/lib"));
        text.names("/usr/lib").forEach(name -> libraries.add("/usr/lib/" + name)); // Debian's multiarch directories
        return text.isFile("/usr/bin/dnf5")
                && libraries.stream().noneMatch(library -> text.isFile(library + "/libdnf5/plugins/actions.so"));
    }

    private Hold decide(OfferJudge judge, Offers offers, List<Driver> drivers, boolean acts) throws IOException {
        List<OfferedKernel> kernels = newer(offers.kernels());
        Map<OfferedKernel, String> stored = new LinkedHashMap<>();
        List<OfferAnswer> answers = new ArrayList<>();
        KeptHold before = KeptHold.read(root);
        if (judge.isAnythingInUse()) {
            Map<String, String> kept = new HashMap<>();
            before.kernels().forEach(kernel -> kept.put(kernel.key(), kernel.stored()));
            int fetched = 0;
            for (OfferedKernel kernel : firstToFetch(kernels)) {
                String earlier = kept.getOrDefault(kernel.key(), "");
                String name = judge.stored(kernel, earlier.isEmpty() ? kernel.release() : earlier);
                boolean fetches = acts && root.isHost();
                if (earlier.isEmpty() && (fetches || kept.containsValue(String.valueOf(name)))) {
                    name = null; // the stored kernel is another build of this release, or may be
                }
                OfferedPackage headers = kernel.headers();
                if (name == null && headers != null && fetches && fetched++ < MOST_FETCHED) {
                    name = new HeadersDownload(environment, problems)
                            .fetch(List.of(headers), PackageContents.HEADERS, files -> keep(files.get(0)));
                }
                if (name != null) {
                    stored.put(kernel, name);
                }
            }
            answers = withoutLost(judge.judge(kernels, stored));
        } else {
            for (OfferedKernel kernel : kernels) {
                answers.add(new OfferAnswer(kernel, Fit.FITS, List.of(), "no out-of-tree modules are in use"));
            }
        }
        Map<String, String> since = new HashMap<>();
        before.held().forEach(kernel -> since.put(kernel.key(), kernel.since()));
        String today = LocalDate.now().toString();
        Duration wait = site.hold() && site.trials() && root.isHost() ? site.trialWait() : null;
        TrialAnswers trials = new TrialAnswers(
                new KeptTrials(root), before, wait, offers.manager().equals(Offers.RPM), Instant.now());
        return Hold.of(
                offers, drivers, answers, stored, abilities(answers, trials, newer(offers, drivers)), since, today);
    }

    /**
     * Returns the answers without the modules that the running kernel already refuses: booting another kernel that
     * refuses them loses nothing. If the running kernel is not installed in the root, the newest installed kernel
     * counts as the running kernel.
     */
    private List<OfferAnswer> withoutLost(List<OfferAnswer> answers) throws IOException {
        String running = root.isHost() ? new RootText(root).runningKernel() : "";
        List<String> releases = InstalledKernels.list(root);
        String now = releases.contains(running) ? running : InstalledKernels.newest(root, releases);
        if (now == null || answers.stream().noneMatch(answer -> answer.fit() == Fit.REFUSED)) {
            return answers;
        }
        Set<String> lost = OfferJudge.refused(request, now);
        List<OfferAnswer> without = new ArrayList<>();
        for (OfferAnswer answer : answers) {
            without.add(answer.without(lost, now));
        }
        return without;
    }

    /** Returns first the kernels that an update would install, then all others, both from newest to oldest. */
    private static List<OfferedKernel> firstToFetch(List<OfferedKernel> kernels) {
        List<OfferedKernel> order = new ArrayList<>(kernels);
        Collections.reverse(order);
        order.sort(Comparator.comparing(kernel -> !kernel.wanted()));
        return order;
    }

    /**
     * Returns the offered kernels to check. They are not installed, and at least as new as the newest bootable kernel
     * of their flavour, such as {@code amd64}. A kernel of another series, such as 6.12 instead of 6.1, is included
     * only if an update would install it.
     */
    private List<OfferedKernel> newer(List<OfferedKernel> offered) throws IOException {
        Map<String, String> newest = new HashMap<>();
        for (String release : InstalledKernels.list(root)) {
            if (InstalledKernels.canBeBooted(root, release)) {
                newest.put(OfferedKernel.flavour(release), release);
            }
        }
        List<OfferedKernel> newer = new ArrayList<>();
        for (OfferedKernel kernel : offered) {
            String installed = newest.get(OfferedKernel.flavour(kernel.release()));
            if (installed != null
                    && !kernel.installed()
                    && KernelReleaseOrder.INSTANCE.compare(kernel.release(), installed) >= 0
                    && (kernel.wanted() || OfferedKernel.areOfOneSeries(kernel.release(), installed))) {
                newer.add(kernel);
            }
        }
        return newer;
    }

    private @Nullable String keep(Path headers) {
        try {
            List<StoreEntry> kept = StoreWriter.keep(
                    StoreWriter.open(request.root(), request.store()),
                    request.root(),
                    List.of(headers.toString()),
                    request.reading(),
                    problems);
            return kept.isEmpty() ? null : kept.get(0).name();
        } catch (IOException e) {
            problems.add(new InputProblem(headers.toString(), IoReason.of(e)));
            return null;
        }
    }

    /**
     * Returns the newest offered version of each driver's package, by module name. Drivers without a newer version are
     * left out. Returns an empty map without apt, because weaklink fetches sources from apt only.
     */
    private static Map<String, OfferedPackage> newer(Offers offers, List<Driver> drivers) {
        return offers.manager().equals(Offers.APT) ? offers.newerPackages(drivers) : Map.of();
    }

    private Hold.Site abilities(List<OfferAnswer> answers, TrialAnswers trials, Map<String, OfferedPackage> newer)
            throws IOException {
        Set<String> names = new TreeSet<>();
        answers.forEach(answer -> names.addAll(answer.refused()));
        Set<String> rebuildable = new TreeSet<>();
        Map<String, String> byDkms = new TreeMap<>();
        if (!names.isEmpty()) {
            InstalledModules installed = new InstalledModules(root);
            List<ModuleBuild> builds = new ArrayList<>();
            for (String name : names) {
                InstalledBuild found = installed.build(name, null);
                ModuleBuild build = found == null ? null : installed.asBuild(found);
                if (build != null) {
                    builds.add(build);
                }
            }
            Evidence evidence = EvidenceReader.read(root, null);
            SourceChooser chooser = new SourceChooser(evidence);
            List<RuleUnit> units = InstalledUnits.of(root, builds, problems);
            for (int i = 0; i < builds.size(); i++) {
                ModuleBuild build = builds.get(i);
                String product = evidence.rules()
                        .productOf(units.get(i), List.of(build.name()))
                        .product()
                        .id();
                String backend = chooser.ofUnit(
                                units.get(i).name(),
                                product.equals(Product.GENERIC) ? null : product,
                                List.of(build.inside()))
                        .backend();
                boolean hasImage =
                        !backend.startsWith("mlnx") || !site.bundles().isEmpty();
                if (!backend.isEmpty() && hasImage) {
                    rebuildable.add(build.name());
                }
                DkmsPackage owner = evidence.dkms().ownerOf(build.inside());
                if (owner != null && owner.autoinstall()) {
                    byDkms.put(build.name(), owner.label());
                }
            }
        }
        // Trial builds run on the running system only: symlinks below another root may lead out of that root.
        boolean canBeTried = site.trials() && root.isHost() && !byDkms.isEmpty();
        return new Hold.Site(
                site.rebuilds(),
                rebuildable,
                byDkms.keySet(),
                canBeTried ? trials.of(answers, byDkms, newer) : Map.of());
    }

    private boolean write(String manager, Hold hold) {
        try {
            held.write(manager, new HoldReport(manager, true, true, false, hold, problems).json(), hold);
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    private boolean release() {
        try {
            held.remove();
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    private void fail(IOException e) {
        String state = e.getSuppressed().length == 0
                ? "kernels stay held as before: "
                : "it is unknown which kernels are held now, because the earlier hold lists could not be restored;"
                        + " when this error is fixed, run 'weaklink hold"
                        + root.words() + "' again: ";
        problems.add(new InputProblem("hold", state + HeldFiles.reason(e)));
    }

    public static boolean isAnyHeld(Root root) throws IOException {
        return new HeldFiles(root).holdKernels();
    }

    /**
     * Releases all held packages.
     *
     * @param waiting receives the process that is changing the held packages
     * @return whether any package was held
     * @throws NotDoneException if the lock for the held packages cannot be acquired
     */
    public static boolean off(Root root, Consumer<LockFile.Holder> waiting) throws NotDoneException, IOException {
        HeldFiles held = new HeldFiles(root);
        if (!held.exist()) {
            return false;
        }
        try (LockFile lock = held.lock(waiting)) {
            return held.remove();
        }
    }
}
