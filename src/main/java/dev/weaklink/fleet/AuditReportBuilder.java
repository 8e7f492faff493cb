package dev.weaklink.fleet;

import dev.weaklink.fleet.Audit.Gathered;
import dev.weaklink.fleet.AuditReport.AuditedFinding;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.NodeAction;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.SilentNodes;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.NodeList.SortedNodes;
import dev.weaklink.kernel.KernelReleaseOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

public final class AuditReportBuilder {
    /** The order of targets: newest first. Targets with an unknown release come last. */
    static final Comparator<TargetAnswers> TARGETS = Comparator.comparing(
                    (TargetAnswers asked) -> asked.target().release(),
                    Comparator.nullsLast(KernelReleaseOrder.INSTANCE.reversed()))
            .thenComparing(asked -> asked.target().label());

    static final Comparator<AuditedGroup> GROUPS = Comparator.comparing(
                    AuditedGroup::kernel, KernelReleaseOrder.INSTANCE.reversed())
            .thenComparing(group -> -group.nodes().count())
            .thenComparing(AuditedGroup::set);

    private final NodeGroups census;
    private final List<TargetAnswers> answers;

    private AuditReportBuilder(NodeGroups census, List<TargetAnswers> answers) {
        this.census = census;
        this.answers = answers;
    }

    /**
     * Builds the report of an audit.
     *
     * @param answers the results of targets, in any order
     * @param missing the nodes that did not answer
     * @param problems the number of problems with the input
     */
    public static AuditReport of(
            NodeGroups census, List<TargetAnswers> answers, List<SilentNodes> missing, long problems) {
        List<TargetAnswers> sorted = new ArrayList<>(answers);
        sorted.sort(TARGETS);
        AuditReportBuilder conclusion = new AuditReportBuilder(census, sorted);
        List<SetVerdict> verdicts = verdicts(census, sorted);
        KernelStatesFinder found = new KernelStatesFinder(census, sorted, verdicts);
        return PolicyMerger.of(new AuditReport(
                census.nodes().size(),
                conclusion.targets(),
                conclusion.sets(verdicts),
                conclusion.groups(),
                census.running(),
                census.libraries(),
                verdicts,
                found.kernels(),
                found.actions(),
                census.incomplete(),
                missing,
                problems,
                null));
    }

    private List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (TargetAnswers asked : answers) {
            Target target = asked.target();
            SortedSet<String> unchecked = new TreeSet<>();
            List<String> added = List.of();
            for (SetResult answer : asked.answers().values()) {
                if (!answer.unchecked().equals(added)) {
                    added = answer.unchecked();
                    unchecked.addAll(added);
                }
            }
            targets.add(new Target(
                    targets.size(),
                    target.label(),
                    target.release(),
                    target.vermagic(),
                    target.source(),
                    List.copyOf(unchecked),
                    target.notes()));
        }
        return targets;
    }

    private static List<SetVerdict> verdicts(NodeGroups census, List<TargetAnswers> asked) {
        List<SetVerdict> verdicts = new ArrayList<>();
        for (Gathered gathered : census.gathered()) {
            for (int target = 0; target < asked.size(); target++) {
                SetResult answer = asked.get(target).answers().get(gathered.place);
                if (answer != null) {
                    String release = asked.get(target).target().release();
                    NodeState state = state(gathered, release, answer, census.tried());
                    verdicts.add(new SetVerdict(gathered.place, target, state, answer));
                }
            }
        }
        return verdicts;
    }

    private static NodeState state(Gathered gathered, @Nullable String release, SetResult answer, TriedBuilds tried) {
        if (answer.fails() + answer.breaks() > 0
                || !gathered.stuckOutside(release).isEmpty()) {
            return gathered.builder(answer, release, tried) == null ? NodeState.BLOCKED : NodeState.REBUILD;
        }
        if (answer.undetermined() > 0) {
            return NodeState.UNDETERMINED;
        }
        boolean isThere = gathered.set.kernel().equals(release) && !gathered.set.isJoined();
        return isThere ? NodeState.READY : NodeState.LINK;
    }

    private List<AuditedSet> sets(List<SetVerdict> verdicts) {
        Integer[] oldest = new Integer[census.gathered().size()];
        Integer[] newest = new Integer[oldest.length];
        for (SetVerdict verdict : verdicts) {
            if (verdict.state().loads()) {
                int set = verdict.set();
                int target = verdict.target();
                oldest[set] = oldest[set] == null ? target : Math.max(oldest[set], target);
                newest[set] = newest[set] == null ? target : Math.min(newest[set], target);
            }
        }
        List<AuditedSet> sets = new ArrayList<>();
        for (Gathered gathered : census.gathered()) {
            sets.add(new AuditedSet(
                    sets.size(),
                    gathered.set.digest(),
                    gathered.set.kernel(),
                    gathered.product,
                    gathered.set.policy(),
                    gathered.set.modules(),
                    oldest[gathered.place],
                    newest[gathered.place]));
        }
        return sets;
    }

    private List<AuditedGroup> groups() {
        List<AuditedGroup> groups = new ArrayList<>();
        for (Gathered gathered : census.gathered()) {
            if (gathered.set.isJoined()) {
                continue;
            }
            List<Defect> defects = new ArrayList<>(gathered.set.defects());
            Collections.sort(defects);
            groups.add(new AuditedGroup(
                    gathered.place, gathered.set.kernel(), gathered.nodes(), gathered.running, List.copyOf(defects)));
        }
        groups.sort(GROUPS);
        return groups;
    }

    private static final class KernelStatesFinder {
        private final NodeGroups census;
        private final List<TargetAnswers> targets;
        private final List<SetVerdict> verdicts;
        private final Set<String> releases = new HashSet<>();
        private final Map<@Nullable String, Booted> booted = new HashMap<>();
        private final List<KernelStates> kernels = new ArrayList<>();
        private final List<NodeAction> actions = new ArrayList<>();

        KernelStatesFinder(NodeGroups census, List<TargetAnswers> targets, List<SetVerdict> verdicts) {
            this.census = census;
            this.targets = targets;
            this.verdicts = verdicts;
            for (Gathered gathered : census.gathered()) {
                releases.add(gathered.set.kernel());
            }
            releases.addAll(census.tried().kernels());
            for (int target = 0; target < targets.size(); target++) {
                find(target);
            }
        }

        List<KernelStates> kernels() {
            return kernels;
        }

        List<NodeAction> actions() {
            return actions;
        }

        private void find(int target) {
            String release = targets.get(target).target().release();
            // Kernels that are on no node all give the same groups, so they share one entry, whose key is null.
            Booted on = booted.computeIfAbsent(
                    release != null && releases.contains(release) ? release : null, key -> new Booted(census, key));
            Map<NodeState, BitSet> states = new EnumMap<>(NodeState.class);
            List<String> canaries = new ArrayList<>();
            for (int i = 0; i < on.alike.size(); i++) {
                Alike alike = on.alike.get(i);
                SetVerdict verdict = alike.set < 0 ? null : SetVerdict.find(verdicts, alike.set, target);
                Set<String> rebuilt = verdict == null
                        ? Set.of()
                        : census.gathered().get(alike.set).toRebuild(verdict.answer(), release);
                TriedBuilds.Tried tried = TriedBuilds.Tried.of(alike.tried, rebuilt);
                NodeState state = state(verdict, alike, rebuilt, tried);
                states.computeIfAbsent(state, key -> new BitSet()).set(i);
                if (state == NodeState.READY) {
                    canaries.add(alike.first);
                } else if (verdict != null && state != NodeState.INSTALL) {
                    Gathered set = census.gathered().get(alike.set);
                    String command = command(state, verdict, release);
                    String builder =
                            state == NodeState.BLOCKED ? set.builder(verdict.answer(), release, census.tried()) : null;
                    String words = tried == null || !state.isRefusal() ? null : tried.text();
                    actions.add(new NodeAction(
                            state, target, alike.set, set.product, alike.nodes, command, builder, words));
                }
            }
            Map<NodeState, Nodes> nodes = new EnumMap<>(NodeState.class);
            states.forEach((state, places) -> nodes.put(state, on.nodes(places)));
            kernels.add(new KernelStates(target, nodes, Nodes.of(canaries)));
        }

        private static NodeState state(
                @Nullable SetVerdict verdict, Alike alike, Set<String> rebuilt, TriedBuilds.@Nullable Tried tried) {
            if (verdict != null && verdict.state().isRefusal()) {
                boolean fails = tried != null && !tried.works();
                return !fails && alike.built.containsAll(rebuilt) ? NodeState.REBUILD : NodeState.BLOCKED;
            }
            if (verdict != null && !verdict.state().loads()) {
                return verdict.state();
            }
            return !alike.installed ? NodeState.INSTALL : verdict == null ? NodeState.READY : verdict.state();
        }

        /**
         * The nodes that are equal in {@code set}, {@code installed}, {@code built} and {@code tried} for one kernel.
         *
         * @param set the index of the nodes' module set; -1 for nodes without any modules
         * @param installed whether the kernel is installed
         * @param built the names of the modules that these nodes can build
         * @param tried the results of trial builds for the kernel, by module
         * @param kinds the indexes of their inventories in {@link NodeGroups#kinds}
         * @param first the first node by name, so that the order of the input does not matter
         */
        private record Alike(
                int set,
                boolean installed,
                Set<String> built,
                Map<String, TriedBuilds.Tried> tried,
                List<Integer> kinds,
                Nodes nodes,
                String first) {}

        /**
         * All nodes, grouped by {@link Alike} for one kernel. Kernels with neither a module set nor trial builds share
         * one instance.
         */
        private static final class Booted {
            private final List<Alike> alike = new ArrayList<>();
            private final SortedNodes members;
            private final int[] places;
            private final Map<BitSet, Nodes> unions = new HashMap<>();

            private record Key(int set, boolean installed, Set<String> built, Map<String, TriedBuilds.Tried> tried) {}

            Booted(NodeGroups census, @Nullable String release) {
                Map<Key, List<Integer>> kinds = new HashMap<>();
                for (int i = 0; i < census.kinds().size(); i++) {
                    NodeGroups.AlikeNodes kind = census.kinds().get(i);
                    Gathered deciding = kind.deciding(release);
                    int set = deciding == null ? -1 : deciding.place;
                    Key key = new Key(
                            set,
                            kind.hasInstalled(release),
                            kind.built(deciding),
                            census.tried().of(kind.inventory(), release));
                    kinds.computeIfAbsent(key, one -> new ArrayList<>()).add(i);
                }
                kinds.forEach((key, all) -> {
                    Nodes nodes = Nodes.union(all.stream()
                            .map(kind -> census.kinds().get(kind).nodes())
                            .toList());
                    alike.add(new Alike(key.set, key.installed, key.built, key.tried, all, nodes, nodes.first()));
                });
                alike.sort(Comparator.comparingInt(Alike::set)
                        .thenComparing(Alike::installed)
                        .thenComparing(same -> !same.built.isEmpty())
                        .thenComparing(Alike::first));
                members = census.nodes();
                places = new int[census.kinds().size()];
                for (int place = 0; place < alike.size(); place++) {
                    for (int kind : alike.get(place).kinds) {
                        places[kind] = place;
                    }
                }
            }

            Nodes nodes(BitSet included) {
                return unions.computeIfAbsent(included, key -> members.ofKinds(kind -> key.get(places[kind])));
            }
        }

        private static @Nullable String command(NodeState state, SetVerdict verdict, @Nullable String release) {
            if (state == NodeState.UNDETERMINED) {
                return lacksTables(verdict) ? "weaklink-collect --full" : null;
            }
            if (release == null || !isPlain(release)) {
                return null;
            }
            return switch (state) {
                case LINK -> "weaklink apply --kernel " + release;
                case REBUILD -> "weaklink apply --rebuild --kernel " + release;
                default -> null;
            };
        }

        private static boolean lacksTables(SetVerdict verdict) {
            for (ModuleVerdict module : verdict.modules()) {
                for (AuditedFinding finding : module.findings()) {
                    if (finding.layer().equals(SetResult.INPUT)) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** Returns whether the release is safe in a command that people paste into a shell. */
        private static boolean isPlain(String release) {
            for (int i = 0; i < release.length(); i++) {
                char c = release.charAt(i);
                boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
                if (!letter && "-_.+~".indexOf(c) < 0) {
                    return false;
                }
            }
            return !release.isEmpty() && release.charAt(0) != '-';
        }
    }

    /**
     * Merges sets of the same modules under different signature policies if the results on all targets are the same.
     * The comparison ignores unchecked steps. Also removes combined sets without a verdict.
     */
    private static final class PolicyMerger {
        private static final Comparator<NodeAction> ACTIONS = Comparator.comparingInt(NodeAction::set)
                .thenComparing(NodeAction::state)
                .thenComparing(NodeAction::tried, Comparator.nullsFirst(Comparator.naturalOrder()));

        private final AuditReport report;

        private final int[] places;

        private final List<AuditedSet> sets = new ArrayList<>();

        private PolicyMerger(AuditReport report) {
            this.report = report;
            this.places = new int[report.sets().size()];
        }

        static AuditReport of(AuditReport report) {
            return new PolicyMerger(report).joined();
        }

        private AuditReport joined() {
            BitSet used = new BitSet();
            report.groups().forEach(group -> used.set(group.set()));
            report.verdicts().forEach(verdict -> used.set(verdict.set()));
            int end;
            for (int start = 0; start < places.length; start = end) {
                end = start + 1;
                // This combined set belongs to a kernel that is not a target.
                if (!used.get(start)) {
                    continue;
                }
                while (end < places.length && used.get(end) && areSame(start, end)) {
                    end++;
                }
                join(start, end);
            }
            boolean joins = sets.size() < places.length;
            return joins
                    ? report.with(sets, groups(), verdicts(), actions())
                    : report.with(sets, report.groups(), report.verdicts(), report.actions());
        }

        private boolean areSame(int one, int other) {
            AuditedSet first = report.sets().get(one);
            AuditedSet second = report.sets().get(other);
            return first.digest().equals(second.digest()) && first.kernel().equals(second.kernel());
        }

        private void join(int start, int end) {
            if (end == start + 1) {
                places[start] = sets.size();
                sets.add(with(sets.size(), report.sets().get(start), true));
                return;
            }
            Map<List<SetVerdict>, Integer> distinct = new HashMap<>();
            int first = sets.size();
            for (int set = start; set < end; set++) {
                Integer known = distinct.putIfAbsent(comparable(set), sets.size());
                places[set] = known == null ? sets.size() : known;
                if (known == null) {
                    sets.add(with(sets.size(), report.sets().get(set), false));
                }
            }
            if (sets.size() == first + 1) {
                sets.set(first, with(first, sets.get(first), true));
            }
        }

        private static AuditedSet with(int id, AuditedSet set, boolean alone) {
            return new AuditedSet(
                    id,
                    set.digest(),
                    set.kernel(),
                    set.product(),
                    alone ? null : set.policy(),
                    set.modules(),
                    set.oldest(),
                    set.newest());
        }

        private List<SetVerdict> comparable(int set) {
            List<SetVerdict> same = new ArrayList<>();
            for (int target = 0; target < report.targets().size(); target++) {
                SetVerdict verdict = report.verdict(set, target);
                if (verdict == null) {
                    continue;
                }
                SetResult of = verdict.answer();
                SetResult answer = new SetResult(
                        of.loads(), of.fails(), of.undetermined(), of.breaks(), of.modules(), of.causes(), List.of());
                same.add(new SetVerdict(0, verdict.target(), verdict.state(), answer));
            }
            return same;
        }

        private List<SetVerdict> verdicts() {
            List<SetVerdict> kept = new ArrayList<>();
            int last = -1;
            int next = 0;
            for (SetVerdict one : report.verdicts()) {
                int place = places[one.set()];
                if (one.set() == last || place >= next) {
                    last = one.set();
                    next = place + 1;
                    kept.add(new SetVerdict(place, one.target(), one.state(), one.answer()));
                }
            }
            return kept;
        }

        private List<AuditedGroup> groups() {
            Map<Integer, AuditedGroup> joined = new TreeMap<>();
            for (AuditedGroup group : report.groups()) {
                joined.merge(places[group.set()], with(places[group.set()], group), PolicyMerger::sum);
            }
            List<AuditedGroup> groups = new ArrayList<>(joined.values());
            groups.sort(AuditReportBuilder.GROUPS);
            return groups;
        }

        private static AuditedGroup with(int set, AuditedGroup group) {
            return new AuditedGroup(set, group.kernel(), group.nodes(), group.running(), group.defects());
        }

        private static AuditedGroup sum(AuditedGroup one, AuditedGroup other) {
            return new AuditedGroup(
                    one.set(),
                    one.kernel(),
                    one.nodes().and(other.nodes()),
                    one.running() + other.running(),
                    one.defects());
        }

        private List<NodeAction> actions() {
            List<NodeAction> actions = new ArrayList<>();
            SortedMap<NodeAction, NodeAction> joined = new TreeMap<>(ACTIONS);
            int target = 0;
            for (NodeAction action : report.actions()) {
                if (action.target() != target) {
                    actions.addAll(joined.values());
                    joined.clear();
                    target = action.target();
                }
                int set = places[action.set()];
                NodeAction placed = with(set, action, action.nodes());
                joined.merge(
                        placed,
                        placed,
                        (one, other) -> with(set, one, one.nodes().and(other.nodes())));
            }
            actions.addAll(joined.values());
            return actions;
        }

        private static NodeAction with(int set, NodeAction action, Nodes nodes) {
            return new NodeAction(
                    action.state(),
                    action.target(),
                    set,
                    action.product(),
                    nodes,
                    action.command(),
                    action.builder(),
                    action.tried());
        }
    }

    /**
     * The results of module sets on one target.
     *
     * @param target the target, which has no id yet
     * @param answers the results by set index; sets without modules, and {@link ModuleSet#isJoined combined} sets of
     *     other kernels, have none
     */
    public record TargetAnswers(Target target, Map<Integer, SetResult> answers) {}
}
