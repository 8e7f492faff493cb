package dev.weaklink.links.plan;

import dev.weaklink.links.plan.Decision.LinkBlocker;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unit;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Plans link changes from the present links and the decisions about builds. Pure functions.
 *
 * <p>The planner changes a link only if its origin is known: its target is an installed build, or the former path of a
 * build.
 */
public final class Planner {
    private final KernelPlanInput situation;
    private final Set<String> own = new HashSet<>();
    private final Map<String, List<LinkCandidate>> candidates = new TreeMap<>();
    private final Map<String, List<WeakLink>> links = new TreeMap<>();

    private Planner(KernelPlanInput situation) {
        this.situation = situation;
        for (OwnBuild build : situation.own()) {
            own.add(build.module());
        }
        for (LinkCandidate candidate : situation.candidates()) {
            candidates
                    .computeIfAbsent(candidate.module(), name -> new ArrayList<>())
                    .add(candidate);
        }
        for (WeakLink link : situation.links()) {
            links.computeIfAbsent(link.name(), name -> new ArrayList<>()).add(link);
        }
    }

    public static KernelPlan plan(KernelPlanInput situation) {
        return new Planner(situation).plan();
    }

    private KernelPlan plan() {
        Map<String, ModulePlan> modules = new TreeMap<>();
        for (OwnBuild build : situation.own()) {
            modules.put(build.module(), own(build));
        }
        for (Map.Entry<String, List<LinkCandidate>> named : candidates.entrySet()) {
            if (!own.contains(named.getKey())) {
                modules.put(named.getKey(), linked(named.getValue()));
            }
        }
        for (Map.Entry<String, List<WeakLink>> named : links.entrySet()) {
            List<LinkEdit> gone = removals(leftOver(named.getValue()));
            if (!gone.isEmpty() && !modules.containsKey(named.getKey())) {
                modules.put(
                        named.getKey(),
                        leftBehind(named.getKey(), named.getValue().get(0), gone));
            }
        }
        return new KernelPlan(situation.kernel(), new ArrayList<>(modules.values()));
    }

    private static ModulePlan own(OwnBuild build) {
        boolean refused = build.outcome() == Outcome.INCOMPATIBLE;
        boolean served = build.outcome() == Outcome.COMPATIBLE;
        List<LinkEdit> gone = served ? removals(build.shadowed()) : List.of();
        Action kept = gone.isEmpty() ? Action.KEEP : Action.UNLINK;
        return new ModulePlan(
                build.module(),
                build.unit(),
                refused ? Action.REBUILD : kept,
                null,
                true,
                build.file(),
                gone,
                build.outcome(),
                build.verdict(),
                gone.isEmpty() ? build.reason() : "the kernel has its own build: " + build.file(),
                null,
                null);
    }

    private ModulePlan linked(List<LinkCandidate> builds) {
        for (LinkCandidate candidate : builds) {
            if (candidate.decision().chosen()) {
                return chosen(candidate, builds);
            }
        }
        return unfit(nearest(builds), builds);
    }

    private ModulePlan chosen(LinkCandidate candidate, List<LinkCandidate> builds) {
        if (!candidate.present().isEmpty()) {
            return plan(candidate, Action.KEEP, candidate.present().get(0).inside(), List.of());
        }
        List<LinkEdit> edits = new ArrayList<>();
        WeakLink inTheWay = null;
        for (WeakLink link : ofName(candidate.module())) {
            if (link.inside().equals(candidate.link())) {
                inTheWay = link;
            } else if (isKnown(link, builds)) {
                edits.add(new LinkEdit(link.inside(), link.target(), null));
            }
        }
        if (inTheWay != null && !isKnown(inTheWay, builds)) {
            return blockedBy(inTheWay, candidate);
        }
        String before = inTheWay == null ? null : inTheWay.target();
        boolean replaces = before != null || !edits.isEmpty();
        edits.add(new LinkEdit(candidate.link(), before, candidate.file()));
        return plan(candidate, replaces ? Action.REPLACE : Action.LINK, candidate.link(), edits);
    }

    private static ModulePlan blockedBy(WeakLink link, LinkCandidate candidate) {
        Decision decision = candidate.decision();
        return new ModulePlan(
                candidate.module(),
                candidate.unit(),
                Action.BLOCKED,
                null,
                false,
                candidate.file(),
                List.of(),
                decision.outcome(),
                decision.verdict(),
                "a link that weaklink does not replace is in the way: " + link.inside() + " -> " + link.target(),
                null,
                null);
    }

    private ModulePlan unfit(LinkCandidate nearest, List<LinkCandidate> builds) {
        List<LinkEdit> edits = new ArrayList<>();
        for (WeakLink link : ofName(nearest.module())) {
            if (hasToGo(link, builds) || isLeftOver(link)) {
                edits.add(new LinkEdit(link.inside(), link.target(), null));
            }
        }
        if (!edits.isEmpty()) {
            return plan(nearest, Action.UNLINK, null, edits);
        }
        LinkBlocker blocker = nearest.decision().blocker();
        boolean breaks = blocker == LinkBlocker.BREAKING;
        if (blocker != null && !breaks && !nearest.present().isEmpty()) {
            return plan(nearest, Action.KEEP, nearest.present().get(0).inside(), List.of())
                    .withAdvice("is linked, although " + nearest.decision().reason());
        }
        // If the kernel refuses a build only because its symbols are exported already, a rebuild would be refused too.
        Verdict verdict = nearest.decision().verdict();
        boolean refused = nearest.decision().outcome() == Outcome.INCOMPATIBLE
                && (verdict == null || !verdict.onlyExportsTwice());
        Action open = blocker == null ? Action.BLOCKED : blocker.action();
        Action action = refused ? Action.REBUILD : open;
        boolean isLeft = (action == Action.REBUILD || action == Action.BUILD)
                && situation.onlyNewer().contains(nearest.module());
        return plan(nearest, isLeft ? Action.LEAVE : action, null, breaks ? unseen(nearest) : List.of());
    }

    private List<LinkEdit> unseen(LinkCandidate breaking) {
        return removals(breaking.present().stream()
                .filter(link -> situation.unseen().contains(link.inside()))
                .toList());
    }

    /**
     * Returns the build whose reason helps the user most: the first build that is not refused, else the first build.
     */
    private static LinkCandidate nearest(List<LinkCandidate> builds) {
        for (LinkCandidate candidate : builds) {
            if (candidate.decision().outcome() != Outcome.INCOMPATIBLE) {
                return candidate;
            }
        }
        return builds.get(0);
    }

    private static ModulePlan plan(
            LinkCandidate candidate, Action action, @Nullable String link, List<LinkEdit> edits) {
        Decision decision = candidate.decision();
        return new ModulePlan(
                candidate.module(),
                candidate.unit(),
                action,
                link,
                false,
                candidate.file(),
                edits,
                decision.outcome(),
                decision.verdict(),
                decision.reason(),
                decision.note(),
                null);
    }

    private static ModulePlan leftBehind(String name, WeakLink link, List<LinkEdit> edits) {
        return new ModulePlan(
                name,
                new Unit(name, null),
                Action.UNLINK,
                null,
                false,
                link.target(),
                edits,
                Outcome.UNDETERMINED,
                null,
                "the link's target was removed, and no other build of the module is installed",
                null,
                null);
    }

    private List<WeakLink> ofName(String module) {
        return links.getOrDefault(module, List.of());
    }

    private static boolean isKnown(WeakLink link, List<LinkCandidate> builds) {
        for (LinkCandidate candidate : builds) {
            if (candidate.present().contains(link)) {
                return true;
            }
        }
        return isLeftOver(link);
    }

    /**
     * Returns whether the link must be removed because of its target build. An undetermined verdict alone does not
     * remove a link.
     */
    private static boolean hasToGo(WeakLink link, List<LinkCandidate> builds) {
        for (LinkCandidate candidate : builds) {
            if (candidate.present().contains(link)) {
                LinkBlocker blocker = candidate.decision().blocker();
                return candidate.decision().outcome() == Outcome.INCOMPATIBLE
                        || (blocker != null && blocker.removesLinks());
            }
        }
        return false;
    }

    private static List<WeakLink> leftOver(List<WeakLink> links) {
        return links.stream().filter(link -> isLeftOver(link)).toList();
    }

    private static List<LinkEdit> removals(List<WeakLink> links) {
        return links.stream()
                .map(link -> new LinkEdit(link.inside(), link.target(), null))
                .toList();
    }

    /**
     * Returns whether the link dangles and its target is an absolute path in the extra or updates directory of some
     * kernel.
     */
    public static boolean isLeftOver(WeakLink link) {
        if (!link.dangles()) {
            return false;
        }
        String target = link.target();
        for (String parent : List.of("/lib/modules/", "/usr/lib/modules/")) {
            if (target.startsWith(parent)) {
                int release = target.indexOf('/', parent.length());
                return release > 0
                        && (target.startsWith("/extra/", release) || target.startsWith("/updates/", release));
            }
        }
        return false;
    }

    /**
     * The input for a kernel's plan.
     *
     * @param own the builds in the kernel's own directory
     * @param candidates the builds of other kernels, the preferred build of each module first
     * @param links the links below the kernel's weak-updates
     * @param unseen the paths for which modules.dep is outdated
     * @param onlyNewer the names of modules whose builds are all for newer kernels; empty if the user requested the
     *     kernel or the kernel boots next
     */
    public record KernelPlanInput(
            String kernel,
            List<OwnBuild> own,
            List<LinkCandidate> candidates,
            List<WeakLink> links,
            List<String> unseen,
            Set<String> onlyNewer) {
        public KernelPlanInput {
            own = List.copyOf(own);
            candidates = List.copyOf(candidates);
            links = List.copyOf(links);
            unseen = List.copyOf(unseen);
            onlyNewer = Set.copyOf(onlyNewer);
        }
    }

    /**
     * A build of another kernel that a link could point to, with the decision whether to link the build.
     *
     * @param unit the package or directory to which the build belongs
     * @param file the build's path as seen inside the root directory
     * @param link the path of the build's link, as seen inside the root directory
     * @param present the existing links to the build
     */
    public record LinkCandidate(
            String module, Unit unit, String file, String link, List<WeakLink> present, Decision decision) {
        public LinkCandidate {
            present = List.copyOf(present);
        }
    }

    /**
     * An out-of-tree module in the kernel's own directory.
     *
     * @param unit the package or directory to which the module belongs
     * @param file the module's path as seen inside the root directory
     * @param outcome the verdict's outcome; {@code UNDETERMINED} if there is no verdict
     * @param verdict the loader's whole verdict, null if the file could not be read
     * @param reason the reason for the outcome in one sentence
     * @param shadowed the links to the module's builds for other kernels
     */
    public record OwnBuild(
            String module,
            Unit unit,
            String file,
            Outcome outcome,
            @Nullable Verdict verdict,
            String reason,
            List<WeakLink> shadowed) {
        public OwnBuild {
            shadowed = List.copyOf(shadowed);
        }
    }
}
