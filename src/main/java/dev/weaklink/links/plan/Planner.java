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
 * Makes of what is there, and of what may be linked, what should be done. Pure.
 *
 * <p>A link is touched only if it is known whose it is: it leads to one of the candidates, or to where such a build
 * once was.
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

    /** The plan for one kernel. */
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
                gone.isEmpty() ? build.reason() : "the kernel has a build of its own: " + build.file(),
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
                "a link of unknown origin is in its place: " + link.inside() + " -> " + link.target(),
                null,
                null);
    }

    /** No build may be linked; links to those that would be refused go. */
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
        // Built again it would export the same symbols.
        Verdict verdict = nearest.decision().verdict();
        boolean refused = nearest.decision().outcome() == Outcome.INCOMPATIBLE
                && (verdict == null || !verdict.onlyExportsTwice());
        Action open = blocker == null ? Action.BLOCKED : blocker.action();
        Action action = refused ? Action.REBUILD : open;
        boolean isLeft = (action == Action.REBUILD || action == Action.BUILD)
                && situation.onlyNewer().contains(nearest.module());
        return plan(nearest, isLeft ? Action.LEAVE : action, null, breaks ? unseen(nearest) : List.of());
    }

    /** Removes links to a build that depmod has not put into effect; the next depmod would. */
    private List<LinkEdit> unseen(LinkCandidate breaking) {
        return removals(breaking.present().stream()
                .filter(link -> situation.unseen().contains(link.inside()))
                .toList());
    }

    /** The first that is not refused outright, else the first: what is said of it helps most. */
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
                "the module it pointed to is gone, and no other build of it is installed",
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

    /** A build that merely cannot be proven to load keeps the link it has. */
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

    /** It dangles, and what it pointed to was a build in some kernel's directory. */
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
     * All that a kernel's plan is made of.
     *
     * @param kernel its release
     * @param own builds in its own directory
     * @param candidates builds of other kernels; of one module the preferred first
     * @param links the links below its weak-updates
     * @param unseen paths that depmod has not seen, or that are gone and it has
     * @param onlyNewer names of modules of which all builds are for newer kernels, and none is wanted
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
     * A build of another kernel that a link could point to, and what was decided about it.
     *
     * @param module the module's name
     * @param unit what it belongs to
     * @param file its path as seen from inside the root
     * @param link the path its link belongs at, as seen from inside the root
     * @param present links that lead to it now
     * @param decision whether it may be linked
     */
    public record LinkCandidate(
            String module, Unit unit, String file, String link, List<WeakLink> present, Decision decision) {
        public LinkCandidate {
            present = List.copyOf(present);
        }
    }

    /**
     * An out-of-tree module in the kernel's own directory: built for this very kernel.
     *
     * @param module its name
     * @param unit what it belongs to
     * @param file its path as seen from inside the root
     * @param outcome what the loader would say to it
     * @param verdict the loader's verdict in full, null if the file could not be read
     * @param reason one sentence
     * @param shadowed links to builds of other kernels that it makes superfluous
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
