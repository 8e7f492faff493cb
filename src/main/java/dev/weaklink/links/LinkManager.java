package dev.weaklink.links;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.links.KernelPlanner.LinkLayout;
import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.CheckedLink;
import dev.weaklink.links.plan.CheckedLink.LinkDefect;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.Planner;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ListedModules;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inspects the weak-updates links below a root directory and plans changes to them. */
public final class LinkManager {
    /**
     * Plans the links of the requested kernels. The result reports unreadable files as problems. A kernel that cannot
     * be checked gets no plan.
     *
     * @throws IOException if the root directory or a kernel's module directory cannot be read
     */
    public PlanResult plan(PlanRequest request) throws IOException {
        Root root = root(request);
        List<InputProblem> problems = new ArrayList<>();
        InputProblem interrupted = Interruption.in(root, problems);
        if (interrupted != null) {
            problems.add(interrupted);
        }
        Rules rules = rules(root, problems);
        if (rules == null) {
            return new PlanResult(root, new Plan(List.of()), false, interrupted != null, problems);
        }
        if (LinkLayouts.knowsNoLinks(root)) {
            return UnsupportedLayoutPlan.plan(request, root, interrupted != null, problems);
        }
        List<String> releases = InstalledKernels.list(root);
        OutOfTreeBuilds offers = OutOfTreeBuilds.read(root, releases, request.reading(), problems);
        Products products = new Products(rules, offers.all(), DkmsReader.read(root));
        LinkLayout layout = LinkLayouts.of(root);
        SignaturePolicy trust = request.trust(root, problems);
        List<KernelPlan> plans = new ArrayList<>();
        String next = NextKernel.of(root, installed(root, releases));
        if (request.kernels().isEmpty()) {
            problems.addAll(InstalledKernels.passedOver(root, InstalledKernels.newest(root, releases)));
        }
        for (String kernel : targets(request, root, releases, problems)) {
            boolean isWanted = !request.kernels().isEmpty() || kernel.equals(next);
            try {
                KernelPlan plan = new KernelPlanner(root, kernel, layout, products, trust, request, isWanted, problems)
                        .plan(offers);
                if (plan != null) {
                    plans.add(isWanted ? plan.unfinished(UnfinishedInstallation.of(kernel, root)) : plan);
                }
            } catch (IOException e) {
                problems.add(new InputProblem(kernel, IoReason.of(e)));
            }
        }
        return new PlanResult(root, new Plan(plans, next), false, interrupted != null, problems);
    }

    /**
     * Returns the rules in force; null if any rule is invalid, because such a rule might be meant to forbid a change.
     */
    static @Nullable Rules rules(Root root, List<InputProblem> problems) {
        RulesResult result = RulesReader.read(root);
        if (result instanceof RulesResult.Bad bad) {
            for (RuleProblem problem : bad.problems()) {
                problems.add(new InputProblem(problem.place(), problem.message()));
            }
        }
        return result instanceof RulesResult.Good good ? good.rules() : null;
    }

    static Root root(PlanRequest request) throws IOException {
        return Root.of(request.root());
    }

    /**
     * Checks the links of the requested kernels, including links that removed kernels left behind.
     *
     * @throws IOException if the root directory or a kernel's module directory cannot be read
     */
    public LinkDefects audit(PlanRequest request) throws IOException {
        Root root = root(request);
        List<InputProblem> problems = new ArrayList<>();
        InputProblem interrupted = Interruption.in(root, problems);
        List<String> releases = InstalledKernels.list(root);
        OutOfTreeBuilds offers = OutOfTreeBuilds.read(root, releases, request.reading(), problems);
        SignaturePolicy trust = request.trust(root, problems);
        List<String> linked = linked(root);
        Set<String> known = new LinkedHashSet<>(releases);
        known.addAll(linked);
        List<String> meant = request.among(List.copyOf(known), root, releases, problems);
        List<CheckedLink> links = new ArrayList<>();
        List<String> needsDepmod = new ArrayList<>();
        List<InputProblem> listed = new ArrayList<>();
        for (String release : linked) {
            if (meant.contains(release)) {
                try {
                    LinkInspector auditor = new LinkInspector(root, release, offers);
                    links.addAll(auditor.audit(trust, request.reading(), problems));
                    if (auditor.needsDepmod(listed)) {
                        needsDepmod.add(release);
                    }
                } catch (IOException e) {
                    problems.add(new InputProblem(release, IoReason.of(e)));
                }
            }
        }
        return new LinkDefects(root, meant.size(), links, needsDepmod, listed, interrupted, problems);
    }

    /**
     * Returns one line for each link or own build of a kernel that keeps other modules from loading, now or after the
     * next depmod run.
     *
     * @throws IOException if the root directory or a kernel's module directory cannot be read
     */
    public List<String> breaking(PlanRequest request) throws IOException {
        List<String> lines = new ArrayList<>();
        for (CheckedLink link : audit(request).links()) {
            boolean unseen = link.defects().contains(LinkDefect.BREAKS_WHEN_SEEN);
            if (unseen || link.defects().contains(LinkDefect.BREAKS_OTHERS)) {
                String when = unseen ? ", once depmod sees it" : "";
                lines.add(link.path() + ": " + link.reason() + when);
            }
        }
        for (InputProblem build : breakingBuilds(plan(request).plan())) {
            lines.add(build.subject() + ": " + build.message());
        }
        return lines;
    }

    private static List<InputProblem> breakingBuilds(Plan plan) {
        List<InputProblem> builds = new ArrayList<>();
        for (KernelPlan kernel : plan.kernels()) {
            for (ModulePlan module : kernel.modules()) {
                if (module.own() && module.breaksOthers()) {
                    builds.add(new InputProblem(module.build(), module.reason()));
                }
            }
        }
        return builds;
    }

    /**
     * Returns a problem for each build in a kernel's own directory that keeps other modules from loading. Also returns
     * a problem for each path outside weak-updates for which modules.dep is out of date.
     *
     * @throws IOException if the root directory or a kernel's module directory cannot be read
     */
    public List<InputProblem> defectiveBuilds(PlanRequest request) throws IOException {
        PlanResult planned = plan(request);
        Plan plan = planned.plan();
        List<InputProblem> builds = breakingBuilds(plan);
        for (KernelPlan kernel : plan.kernels()) {
            for (String file : kernel.needsDepmod()) {
                if (!file.contains("/" + WeakUpdates.NAME + "/")) {
                    String step = planned.root().depmod(kernel.kernel());
                    builds.add(new InputProblem(file, "modules.dep is out of date for this file; run '" + step + "'"));
                }
            }
        }
        return builds;
    }

    private static List<String> targets(
            PlanRequest request, Root root, List<String> releases, List<InputProblem> problems) throws IOException {
        // If the user names a kernel, its module directory is enough: the kernel's package may have been removed.
        List<String> there = request.kernels().isEmpty() ? installed(root, releases) : releases;
        return request.among(there, root, releases, problems);
    }

    private static List<String> installed(Root root, List<String> releases) throws IOException {
        List<String> installed = new ArrayList<>();
        for (String release : releases) {
            if (InstalledKernels.canBeBooted(root, release)) {
                installed.add(release);
            }
        }
        return installed;
    }

    /**
     * Returns the releases whose directory contains weak-updates, from old to new, including kernels that were removed.
     *
     * @throws IOException if {@code lib/modules} exists but cannot be listed
     */
    static List<String> linked(Root root) throws IOException {
        List<String> linked = new ArrayList<>();
        for (String release : InstalledKernels.directories(root)) {
            ModulesDirectory directory = InstalledKernels.directory(root, release);
            if (directory != null
                    && Files.exists(directory.host().resolve(WeakUpdates.NAME), LinkOption.NOFOLLOW_LINKS)) {
                linked.add(release);
            }
        }
        return linked;
    }

    private static final class LinkLayouts {
        private static final List<String> FILES = List.of("/etc/os-release", "/usr/lib/os-release");
        private static final int MAX_SIZE = 1 << 16;

        private LinkLayouts() {}

        static LinkLayout of(Root root) {
            return isCalled(root, "suse") ? LinkLayout.SUSE : LinkLayout.RED_HAT;
        }

        /**
         * Returns whether the system is OpenWrt or a derivative, which have no weak-updates links. Their modules belong
         * to one kernel and are stored in one directory. The loader (ubox:kmodloader.c) searches no other directory.
         */
        static boolean knowsNoLinks(Root root) {
            return isCalled(root, "openwrt");
        }

        private static boolean isCalled(Root root, String word) {
            RootText text = new RootText(root);
            String file = text.isFile(FILES.get(0)) ? FILES.get(0) : FILES.get(1);
            for (String line : text.read(file, MAX_SIZE).split("\n", -1)) {
                boolean names = line.startsWith("ID=") || line.startsWith("ID_LIKE=");
                if (names && line.contains(word)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Makes the empty plan for a system without weak-updates links, with advice for each kernel. */
    private static final class UnsupportedLayoutPlan {
        private UnsupportedLayoutPlan() {}

        static PlanResult plan(PlanRequest request, Root root, boolean interrupted, List<InputProblem> problems)
                throws IOException {
            List<String> releases = InstalledKernels.list(root);
            List<String> kernels = request.among(releases, root, releases, problems);
            for (String kernel : kernels) {
                problems.add(new InputProblem(kernel, advice(kernel, root)));
            }
            return new PlanResult(root, new Plan(List.of()), !kernels.isEmpty(), interrupted, problems);
        }

        private static String advice(String kernel, Root root) {
            String words = " --kernel " + ShellWord.of(kernel) + root.words();
            return "on OpenWrt modules belong to one kernel, so there is nothing to link; use"
                    + " 'weaklink check MODULE"
                    + words
                    + "' to see whether a module loads, and 'weaklink rebuild"
                    + words
                    + "' to see what has to be built";
        }
    }

    private static final class Interruption {
        private static final String REBUILD = "weaklink apply --rebuild";

        private Interruption() {}

        /**
         * Returns the interrupted transaction or rebuild below a root directory, with the commands to run next; null if
         * there is none or the journal cannot be read.
         *
         * @param problems receives the reason if the journal cannot be read
         */
        static @Nullable InputProblem in(Root root, List<InputProblem> problems) {
            try {
                HistoryEntry entry = History.interrupted(root);
                boolean rebuilding = TransactionGroup.isInterrupted(root);
                if (entry != null) {
                    String what = "was interrupted (" + entry.title() + "); ";
                    return new InputProblem(
                            "transaction " + entry.number(), what + advice(entry, rebuilding || entry.open(), root));
                }
                return rebuilding ? new InputProblem(REBUILD, "was interrupted; " + advice(REBUILD, root)) : null;
            } catch (IOException e) {
                problems.add(new InputProblem("history", IoReason.of(e)));
                return null;
            }
        }

        private static String advice(HistoryEntry entry, boolean rebuilding, Root root) {
            return entry.undoes() > 0
                    ? "to finish it: weaklink undo " + entry.undoes() + root.words()
                    : advice(rebuilding ? REBUILD : "weaklink apply", root);
        }

        private static String advice(String finish, Root root) {
            return "to finish it: " + finish + root.words() + "; to take it back: weaklink undo" + root.words();
        }
    }

    private static final class LinkInspector {
        private final Root root;
        private final String release;
        private final OutOfTreeBuilds offers;
        private final ModuleTree tree;
        private final WeakUpdates weak;
        private final List<WeakLink> links;
        private final boolean onlyLinks;
        private final Map<WeakLink, Verdict> verdicts = new HashMap<>();

        LinkInspector(Root root, String release, OutOfTreeBuilds offers) throws IOException {
            this.root = root;
            this.release = release;
            this.offers = offers;
            this.tree = ModuleTree.scan(root, release);
            this.weak = WeakUpdates.scan(root, release);
            this.links = weak.links();
            this.onlyLinks = !tree.directory().isKernel() && own(tree).all().isEmpty();
        }

        private ModuleTree own(ModuleTree whole) {
            return whole.changed(weak::leadTo, List.of());
        }

        List<CheckedLink> audit(SignaturePolicy trust, ReadOptions reading, List<InputProblem> problems)
                throws IOException {
            problems.addAll(weak.problems());
            for (Path leftover : History.withoutJournal(root, weak.leftovers())) {
                boolean isLink = Files.isSymbolicLink(leftover);
                problems.add(new InputProblem(
                        root.inside(leftover),
                        "left by a transaction whose journal no longer exists; run: "
                                + (isLink ? "weaklink repair" + root.words() : "rm " + ShellWord.of(leftover + ""))));
            }
            for (String file : weak.files()) {
                if (ModuleNames.isModuleFile(file.substring(file.lastIndexOf('/') + 1))) {
                    problems.add(new InputProblem(file, "is a file, not a symbolic link; weaklink leaves it alone"));
                }
            }
            judge(trust, reading, problems);
            Set<String> listed = ListedModules.of(tree.directory());
            List<CheckedLink> audited = new ArrayList<>();
            for (WeakLink link : links) {
                Set<LinkDefect> defects = defects(link, listed);
                Verdict verdict = verdicts.get(link);
                String reason = verdict != null
                                && (verdict.outcome() != Outcome.COMPATIBLE
                                        || defects.contains(LinkDefect.BREAKS_OTHERS)
                                        || defects.contains(LinkDefect.BREAKS_WHEN_SEEN))
                        ? VerdictReason.ofReplacement(verdict)
                        : reason(link, defects);
                audited.add(new CheckedLink(
                        release, link.inside(), link.target(), link.name(), List.copyOf(defects), reason));
            }
            return audited;
        }

        /**
         * Returns whether depmod must run: modules.dep still lists a removed link, or lacks a link that depmod would
         * choose and that breaks no other module.
         *
         * @param listed receives a problem for removed links that modules.dep still lists
         */
        boolean needsDepmod(List<InputProblem> listed) throws IOException {
            List<String> unseen = new ArrayList<>(onlyLinks ? List.of() : ListedModules.unseen(root, release));
            unseen.removeIf(file -> !file.contains("/" + WeakUpdates.NAME + "/"));
            verdicts.forEach((link, verdict) -> {
                if (verdict.breaksOthers()) {
                    unseen.remove(link.inside());
                }
            });
            List<String> gone = new ArrayList<>(unseen);
            for (WeakLink link : links) {
                gone.remove(link.inside());
            }
            if (!gone.isEmpty()) {
                listed.add(new InputProblem(
                        release,
                        "depmod has not run since links were removed; modules.dep still lists "
                                + gone.get(0)
                                + (gone.size() == 1 ? "" : " and " + (gone.size() - 1) + " more")));
            }
            return !unseen.isEmpty();
        }

        private void judge(SignaturePolicy trust, ReadOptions reading, List<InputProblem> problems) throws IOException {
            List<WeakLink> judged = readable();
            if (onlyLinks || judged.isEmpty()) {
                return;
            }
            InstalledTarget view = InstalledTarget.open(root, release).with(own(tree), trust, reading, problems);
            if (view == null) {
                return;
            }
            OutOfTreeBuilds proven = offers.provenOn(view);
            List<KernelModule> modules = new ArrayList<>();
            for (WeakLink link : judged) {
                Offer offer = offer(link, proven);
                modules.add(Objects.requireNonNull(offer).module());
            }
            LinkSimulation kernel = new LinkSimulation(view, tree.directory(), reading.threads());
            List<KernelModule> inTreeModules = kernel.neededBy(modules);
            List<Verdict> given = kernel.inOrder(modules, inTreeModules, proven.unreadableOn(view));
            List<Path> files = new ArrayList<>();
            judged.forEach(link -> files.add(Objects.requireNonNull(link.host())));
            List<Verdict> whole = view.withBroken(files, given, reading.threads());
            for (int i = 0; i < whole.size(); i++) {
                verdicts.put(judged.get(i), whole.get(i));
            }
        }

        private List<WeakLink> readable() {
            List<WeakLink> readable = new ArrayList<>();
            for (WeakLink link : links) {
                Offer offer = offer(link, offers);
                if (offer != null && offer.failure() == null) {
                    readable.add(link);
                }
            }
            return readable;
        }

        private static @Nullable Offer offer(WeakLink link, OutOfTreeBuilds among) {
            return link.host() == null ? null : among.at(link.host());
        }

        private Set<LinkDefect> defects(WeakLink link, Set<String> listed) {
            if (link.dangles()) {
                return EnumSet.of(dangling(link));
            }
            Set<LinkDefect> defects = EnumSet.noneOf(LinkDefect.class);
            if (onlyLinks) {
                defects.add(LinkDefect.ONLY_LINKS);
            }
            if (link.directory()) {
                defects.add(LinkDefect.LINK_TO_DIRECTORY);
                return defects;
            }
            addOrigin(link, defects);
            if (!onlyLinks) {
                addUse(link, listed, defects);
            }
            return defects;
        }

        private LinkDefect dangling(WeakLink link) {
            if (onlyLinks) {
                return LinkDefect.ONLY_LINKS;
            }
            if (!root.isHost() && link.target().startsWith(root.top() + "/")) {
                return LinkDefect.LEAVES_IMAGE;
            }
            return Planner.isLeftOver(link) ? LinkDefect.LEFT_BEHIND : LinkDefect.DANGLING;
        }

        private void addOrigin(WeakLink link, Set<LinkDefect> defects) {
            Offer offer = offer(link, offers);
            if (offer == null) {
                defects.add(LinkDefect.FOREIGN_TREE);
            } else if (offer.build().release().equals(release)) {
                defects.add(LinkDefect.OWN_KERNEL);
            } else if (KernelReleaseOrder.INSTANCE.compare(offer.build().release(), release) > 0) {
                defects.add(LinkDefect.NEWER_KERNEL);
            }
            Verdict verdict = verdicts.get(link);
            if (!onlyLinks && (verdict == null || verdict.outcome() == Outcome.UNDETERMINED)) {
                defects.add(LinkDefect.UNDETERMINED);
            } else if (verdict != null && verdict.outcome() == Outcome.INCOMPATIBLE) {
                defects.add(LinkDefect.INCOMPATIBLE);
            }
        }

        private void addUse(WeakLink link, Set<String> listed, Set<LinkDefect> defects) {
            ModuleFile chosen = tree.chosen(link.name());
            if (chosen == null || !chosen.inside().equals(link.inside())) {
                defects.add(hasOwn(link) ? LinkDefect.SHADOWED : LinkDefect.UNUSED);
                return;
            }
            Verdict verdict = verdicts.get(link);
            if (verdict != null && verdict.breaksOthers()) {
                // The report must not advise running depmod, because depmod would activate the link.
                boolean isSeen = listed.contains(link.place());
                defects.add(isSeen ? LinkDefect.BREAKS_OTHERS : LinkDefect.BREAKS_WHEN_SEEN);
            } else if (!listed.contains(link.place())) {
                defects.add(LinkDefect.UNSEEN);
            }
        }

        private boolean hasOwn(WeakLink link) {
            return offers.of(release).stream()
                    .anyMatch(offer -> offer.build().name().equals(link.name()));
        }

        private String reason(WeakLink link, Set<LinkDefect> defects) {
            ModuleFile chosen = tree.chosen(link.name());
            boolean other = defects.contains(LinkDefect.UNUSED) || defects.contains(LinkDefect.SHADOWED);
            return other && chosen != null ? "depmod chooses " + chosen.inside() : "";
        }
    }

    /**
     * A guess at the kernel that boots next: the kernel of GRUB's {@code next_entry} or, if GRUB's default is
     * {@code saved}, its {@code saved_entry}; else the newest kernel.
     */
    static final class NextKernel {
        private static final int MOST = 64 << 10;
        private static final List<String> ENVIRONMENTS = List.of("/boot/grub2/grubenv", "/boot/grub/grubenv");

        private NextKernel() {}

        /**
         * Returns the release that probably boots next; null if the list is empty.
         *
         * @param releases the installed releases, from old to new
         */
        public static @Nullable String of(Root root, List<String> releases) {
            boolean isSaved = "saved".equals(value(root, "/etc/default/grub", "GRUB_DEFAULT"));
            for (String file : ENVIRONMENTS) {
                String found = named(value(root, file, "next_entry"), releases);
                if (found == null && isSaved) {
                    found = named(value(root, file, "saved_entry"), releases);
                }
                if (found != null) {
                    return found;
                }
            }
            return releases.isEmpty() ? null : releases.get(releases.size() - 1);
        }

        private static @Nullable String named(@Nullable String entry, List<String> releases) {
            String found = null;
            for (String release : releases) {
                boolean isIn = entry != null && entry.contains(release);
                if (isIn && (found == null || release.length() > found.length())) {
                    found = release;
                }
            }
            return found;
        }

        private static @Nullable String value(Root root, String file, String name) {
            String value = null;
            for (String line : new RootText(root).read(file, MOST).split("\n")) {
                if (line.startsWith(name + "=")) {
                    value = line.substring(name.length() + 1)
                            .strip()
                            .replace("\"", "")
                            .replace("'", "");
                }
            }
            return value;
        }
    }
}
