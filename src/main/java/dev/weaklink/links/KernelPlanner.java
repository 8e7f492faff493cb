package dev.weaklink.links;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.ModulesInUse.GoneModule;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.links.LinkRules.SymbolNotes;
import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Unused;
import dev.weaklink.links.plan.Planner;
import dev.weaklink.links.plan.Planner.KernelPlanInput;
import dev.weaklink.links.plan.Planner.LinkCandidate;
import dev.weaklink.links.plan.Planner.OwnBuild;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ListedModules;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

final class KernelPlanner {
    private final Root root;
    private final String release;
    private final LinkLayout layout;
    private final Products products;
    private final SignaturePolicy trust;
    private final ReadOptions reading;
    private final boolean isWanted;
    private final boolean overrides;
    private final boolean explains;
    private final List<InputProblem> problems;

    /**
     * Creates a planner for one kernel.
     *
     * @param isWanted true to plan a rebuild even if all builds are for newer kernels, and to report modules that are
     *     no longer installed
     */
    KernelPlanner(
            Root root,
            String release,
            LinkLayout layout,
            Products products,
            SignaturePolicy trust,
            PlanRequest request,
            boolean isWanted,
            List<InputProblem> problems) {
        this.root = root;
        this.release = release;
        this.layout = layout;
        this.products = products;
        this.trust = trust;
        this.reading = request.reading();
        this.overrides = request.overrides();
        this.explains = request.explain();
        this.isWanted = isWanted;
        this.problems = problems;
    }

    /**
     * Plans the kernel's links.
     *
     * @return the plan; null if weaklink knows too little about the kernel to check modules
     * @throws IOException if the kernel's directory cannot be read
     */
    @Nullable
    KernelPlan plan(OutOfTreeBuilds offers) throws IOException {
        WeakUpdates weak = WeakUpdates.scan(root, release);
        List<WeakLink> links = planned(weak.links(), offers);
        List<String> unseen = ListedModules.unseen(root, release);
        boolean nothing = isNothingToPlan(offers, links);
        InstalledTarget.Opening opening = nothing ? null : InstalledTarget.open(root, release);
        ModuleTree tree = ModuleTree.scan(root, release);
        problems.addAll(tree.problems());
        problems.addAll(weak.problems());
        if (opening == null) {
            return withGone(new KernelPlan(release, List.of()).withoutDepmod(unseen), tree, offers);
        }
        ModuleTree ownTree = tree.changed(file -> isOurs(file, links, offers), List.of());
        InstalledTarget view = opening.with(ownTree, trust, reading, problems);
        return view == null ? null : withGone(plan(view, tree, offers.provenOn(view), links, unseen), tree, offers);
    }

    private KernelPlan withGone(KernelPlan plan, ModuleTree tree, OutOfTreeBuilds offers) {
        Set<String> present = new HashSet<>();
        offers.all().forEach(offer -> present.add(offer.build().name()));
        plan.modules().forEach(module -> present.add(module.module()));
        List<ModulePlan> modules = new ArrayList<>(plan.modules());
        for (GoneModule gone : isWanted ? RemovedLinks.of(root, problems) : List.<GoneModule>of()) {
            String name = gone.name();
            if (!present.contains(name) && tree.chosen(name) == null && !isIgnored(name, null)) {
                String reason = "was in use (" + gone.detail()
                        + "), but is no longer installed; install it again, or add an 'ignore' rule for it to "
                        + root.named("/etc/weaklink/local.yaml");
                modules.add(ModulePlan.gone(name, reason));
            }
        }
        modules.sort(Comparator.comparing(ModulePlan::module));
        return plan.with(modules);
    }

    private boolean isNothingToPlan(OutOfTreeBuilds offers, List<WeakLink> links) {
        List<Offer> own = planned(offers.of(release));
        return own.isEmpty()
                && links.isEmpty()
                && withoutOwnNames(planned(offers.forKernel(release)), own).isEmpty();
    }

    private KernelPlan plan(
            InstalledTarget view, ModuleTree tree, OutOfTreeBuilds offers, List<WeakLink> links, List<String> unseen) {
        List<Offer> own = planned(offers.of(release));
        own.removeIf(offer -> isHidden(offer, tree));
        List<Offer> others =
                unblocked(withoutOwnNames(planned(offers.forKernel(release)), own), links, tree.directory());
        LinkRules rules = new LinkRules(
                products,
                release,
                new SymbolNotes(products.rules(), view.kernel().exports()));
        CandidateFilter list = CandidateFilter.make(rules, readable(others), unreadable(others), own);
        SubsetPlanner choice = SubsetPlanner.make(view, offers, list, tree.directory(), reading.threads());
        KernelPlanInput situation = new KernelPlanInput(
                release,
                ownBuilds(
                        view,
                        tree.directory(),
                        own,
                        others,
                        choice,
                        offers.unreadableOn(view),
                        shadowed(links, offers)),
                candidates(
                        rules.inOrder(others), choice, links, tree.directory().inside()),
                links,
                unseen,
                isWanted ? Set.of() : OutOfTreeBuilds.onlyNewer(others, release));
        for (var failure : view.failures().entrySet()) {
            problems.add(new InputProblem(failure.getKey(), failure.getValue()));
        }
        KernelPlan plan = Planner.plan(situation);
        List<String> left = new ArrayList<>(unseen);
        plan.edits().forEach(edit -> left.remove(edit.path()));
        plan = plan.withoutDepmod(left);
        return DepmodChoice.add(explains ? explained(plan, view) : plan, tree, overrides);
    }

    private KernelPlan explained(KernelPlan plan, InstalledTarget view) {
        List<Verdict> verdicts = new ArrayList<>();
        for (ModulePlan module : plan.modules()) {
            if (module.verdict() != null) {
                verdicts.add(module.verdict());
            }
        }
        List<String> notes = new ArrayList<>(plan.notes());
        Iterator<Verdict> explained =
                view.explained(root, verdicts, reading, notes).iterator();
        List<ModulePlan> modules = new ArrayList<>();
        for (ModulePlan module : plan.modules()) {
            modules.add(module.verdict() == null ? module : module.withVerdict(explained.next()));
        }
        return plan.with(modules, notes);
    }

    private static boolean isHidden(Offer offer, ModuleTree tree) {
        ModuleFile chosen = tree.chosen(offer.build().name());
        return !offer.build().isLinkable()
                && chosen != null
                && !chosen.inside().equals(offer.build().inside());
    }

    private List<Offer> planned(List<Offer> offers) {
        List<Offer> planned = new ArrayList<>(offers);
        planned.removeIf(offer -> isIgnored(offer.build().name(), offer.unit()));
        return planned;
    }

    private List<WeakLink> planned(List<WeakLink> links, OutOfTreeBuilds offers) {
        List<WeakLink> planned = new ArrayList<>();
        for (WeakLink link : links) {
            Offer offer = link.host() == null ? null : offers.at(link.host());
            if (!isIgnored(link.name(), offer == null ? null : offer.unit())) {
                planned.add(link);
            }
        }
        return planned;
    }

    private boolean isIgnored(String module, @Nullable RuleUnit unit) {
        return products.rules().isIgnored(module, unit, release).value();
    }

    /**
     * Returns whether the file is a link to an out-of-tree build in extra or updates, so that the plan may change it.
     */
    private static boolean isOurs(ModuleFile file, List<WeakLink> links, OutOfTreeBuilds offers) {
        for (WeakLink link : links) {
            if (link.leadsTo(file)) {
                return link.host() != null && offers.at(link.host()) != null;
            }
        }
        return false;
    }

    private static List<Offer> readable(List<Offer> offers) {
        List<Offer> readable = new ArrayList<>(offers);
        readable.removeIf(offer -> offer.failure() != null);
        return readable;
    }

    private static List<Offer> unreadable(List<Offer> offers) {
        List<Offer> unreadable = new ArrayList<>(offers);
        unreadable.removeIf(offer -> offer.failure() == null);
        return unreadable;
    }

    private static List<Offer> withoutOwnNames(List<Offer> others, List<Offer> own) {
        Set<String> names = OutOfTreeBuilds.names(own);
        return others.stream()
                .filter(offer -> !names.contains(offer.build().name()))
                .toList();
    }

    /**
     * Returns the builds whose links exist or can be made. An obstacle to a link is reported as a problem and does not
     * block the links of other builds.
     */
    private List<Offer> unblocked(List<Offer> offers, List<WeakLink> links, ModulesDirectory directory) {
        List<Offer> unblocked = new ArrayList<>();
        for (Offer offer : offers) {
            String path = directory.inside() + "/" + layout.place(offer.build());
            String obstacle = present(offer, links).isEmpty()
                    ? new Change.PutLink(path, offer.build().inside()).obstacle(root)
                    : null;
            if (obstacle == null) {
                unblocked.add(offer);
            } else {
                problems.add(new InputProblem(
                        release,
                        obstacle + "; " + offer.build().name()
                                + " is not linked; move the obstacle away, then run: weaklink apply" + root.words()));
            }
        }
        return unblocked;
    }

    private List<LinkCandidate> candidates(
            List<Offer> offers, SubsetPlanner choice, List<WeakLink> links, String directory) {
        return offers.stream()
                .map(offer -> new LinkCandidate(
                        offer.build().name(),
                        products.unit(offer),
                        offer.build().inside(),
                        directory + "/" + layout.place(offer.build()),
                        present(offer, links),
                        choice.decision(offer)))
                .toList();
    }

    private static List<WeakLink> present(Offer offer, List<WeakLink> links) {
        return links.stream()
                .filter(link -> offer.build().host().equals(link.host())
                        && link.name().equals(offer.build().name()))
                .toList();
    }

    private List<OwnBuild> ownBuilds(
            InstalledTarget view,
            ModulesDirectory directory,
            List<Offer> own,
            List<Offer> others,
            SubsetPlanner choice,
            Set<String> unknown,
            List<WeakLink> shadowed) {
        List<KernelModule> given = new ArrayList<>();
        Set<String> unreadable = new HashSet<>(unknown);
        List<Path> files = new ArrayList<>();
        for (Offer offer : own) {
            if (offer.failure() == null) {
                files.add(offer.build().host());
                given.add(offer.module());
            } else {
                unreadable.add(offer.build().name());
            }
        }
        int readable = given.size();
        for (Offer offer : others) {
            if (choice.decision(offer).chosen()) {
                files.add(offer.build().host());
                given.add(offer.module());
            }
        }
        List<Verdict> verdicts = readable == 0
                ? List.of()
                : new LinkSimulation(view, directory, reading.threads()).sideBySide(given, unreadable);
        return ownBuilds(own, view.withBroken(files, verdicts, reading.threads()), shadowed);
    }

    private List<WeakLink> shadowed(List<WeakLink> links, OutOfTreeBuilds offers) {
        List<WeakLink> shadowed = new ArrayList<>();
        for (WeakLink link : links) {
            Offer offer = link.host() == null ? null : offers.at(link.host());
            if (offer != null && !offer.build().release().equals(release)) {
                shadowed.add(link);
            }
        }
        return shadowed;
    }

    private static List<WeakLink> ofName(List<WeakLink> links, String module) {
        List<WeakLink> named = new ArrayList<>(links);
        named.removeIf(link -> !link.name().equals(module));
        return named;
    }

    private List<OwnBuild> ownBuilds(List<Offer> own, List<Verdict> verdicts, List<WeakLink> shadowed) {
        List<OwnBuild> builds = new ArrayList<>();
        int next = 0;
        for (Offer offer : own) {
            String failure = offer.failure();
            Verdict verdict = failure == null ? verdicts.get(next++) : null;
            builds.add(new OwnBuild(
                    offer.build().name(),
                    products.unit(offer),
                    offer.build().inside(),
                    verdict == null ? Outcome.UNDETERMINED : verdict.outcome(),
                    verdict,
                    verdict == null ? String.valueOf(failure) : VerdictReason.ofReplacement(verdict),
                    ofName(shadowed, offer.build().name())));
        }
        return builds;
    }

    /**
     * Finds the planned modules that depmod would not choose, and the depmod.d(5) lines that change depmod's choice.
     */
    private static final class DepmodChoice {
        private DepmodChoice() {}

        /**
         * Returns the plan, with {@link ModulePlan#unused} set for each module for which depmod would choose another
         * file than planned.
         *
         * @param fixed true if weaklink will write the override lines
         */
        static KernelPlan add(KernelPlan plan, ModuleTree now, boolean fixed) {
            ModuleTree after = after(plan, now);
            List<ModulePlan> modules = new ArrayList<>();
            for (ModulePlan module : plan.modules()) {
                String file = fileInUse(module, now);
                Unused unused = file == null ? null : unused(file, module, after, fixed);
                modules.add(unused == null ? module : module.withUnused(unused));
            }
            return plan.with(modules);
        }

        private static ModuleTree after(KernelPlan plan, ModuleTree now) {
            Set<String> gone = new HashSet<>();
            List<ModuleFile> made = new ArrayList<>();
            for (LinkEdit edit : plan.edits()) {
                gone.add(edit.path());
                if (edit.after() != null) {
                    String name = edit.path().substring(edit.path().lastIndexOf('/') + 1);
                    made.add(new ModuleFile(ModuleNames.ofFile(name), edit.path(), Path.of(edit.after())));
                }
            }
            return now.changed(file -> gone.contains(file.inside()), made);
        }

        private static @Nullable String fileInUse(ModulePlan module, ModuleTree now) {
            if (module.outcome() == Outcome.INCOMPATIBLE) {
                return null;
            }
            if (module.link() != null) {
                return module.link();
            }
            return module.build().startsWith(now.directory().inside() + "/") ? module.build() : null;
        }

        private static @Nullable Unused unused(String file, ModulePlan module, ModuleTree after, boolean fixed) {
            ModuleFile chosen = after.chosen(module.module());
            if (chosen == null || chosen.inside().equals(file)) {
                return null;
            }
            String base = after.directory().inside();
            if (!file.startsWith(base + "/") || chosen.host().toString().equals(module.build())) {
                return null;
            }
            String override = override(file.substring(base.length() + 1));
            return new Unused(chosen.inside(), override, fixed && override != null);
        }

        /**
         * Returns the depmod.d(5) line that makes depmod choose the file; null if no line can name the file, for
         * example because of a blank in its path.
         */
        private static @Nullable String override(String place) {
            int slash = place.lastIndexOf('/');
            String name = place.substring(slash + 1);
            boolean isPlain = place.chars().allMatch(c -> c > ' ' && c != '\\' && c != 0x7f);
            return slash < 0 || !isPlain
                    ? null
                    : "override " + name.substring(0, name.indexOf('.')) + " * " + place.substring(0, slash);
        }
    }

    /** A distribution's layout of links below {@code weak-updates}. */
    enum LinkLayout {
        /** The layout of Red Hat's weak-modules: the module's path without its first directory (extra or updates). */
        RED_HAT {
            @Override
            public String place(ModuleBuild build) {
                return WeakUpdates.NAME + "/"
                        + build.place().substring(build.place().indexOf('/') + 1);
            }
        },
        /** The layout of SUSE's weak-modules2: the whole path below the kernel's directory. */
        SUSE {
            @Override
            public String place(ModuleBuild build) {
                return WeakUpdates.NAME + "/" + build.place();
            }
        };

        /** Returns the link's path below the kernel's directory, such as {@code weak-updates/a/a.ko}. */
        public abstract String place(ModuleBuild build);
    }
}
