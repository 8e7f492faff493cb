package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Outcome;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The result of an audit. Immutable and ordered, so that audits of the same input have equal reports. Strings come from
 * nodes and files and are not escaped.
 *
 * @param nodes the number of nodes
 * @param targets the requested kernels, newest first; the id of a target is its index
 * @param sets the module sets, by kernel from newest to oldest, then by digest; the id of a set is its index
 * @param groups the nodes with equal modules for one kernel, by kernel from newest to oldest, then the largest first
 * @param running the defects in running kernels, newest kernel first
 * @param libraries the state of RDMA libraries
 * @param verdicts the verdicts on module sets for the targets, in the order of sets, then of targets
 * @param kernels the states of nodes for each target, in the order of targets
 * @param actions the actions, other than installing a kernel, required before nodes are ready, by target and set
 * @param incomplete the nodes that could not read some of their own data, or that report an unknown kind of library
 *     defect
 * @param missing the nodes that did not answer, by reason; no other count includes them
 * @param problems the number of problems with the input
 * @param changes the changes since an earlier audit; null if the audit is not compared with an earlier one
 */
public record AuditReport(
        int nodes,
        List<Target> targets,
        List<AuditedSet> sets,
        List<AuditedGroup> groups,
        List<NodeDefect> running,
        RdmaLibraries libraries,
        List<SetVerdict> verdicts,
        List<KernelStates> kernels,
        List<NodeAction> actions,
        Nodes incomplete,
        List<SilentNodes> missing,
        long problems,
        @Nullable Changes changes) {

    public AuditReport {
        targets = List.copyOf(targets);
        sets = List.copyOf(sets);
        groups = List.copyOf(groups);
        running = List.copyOf(running);
        kernels = List.copyOf(kernels);
        verdicts = verdicts.stream().sorted(SetVerdict.ORDER).toList();
        actions = List.copyOf(actions);
        missing = List.copyOf(missing);
    }

    AuditReport with(List<AuditedSet> others, List<AuditedGroup> those, List<SetVerdict> said, List<NodeAction> fixes) {
        return with(others, those, said, fixes, changes);
    }

    public AuditReport since(Changes earlier) {
        return with(sets, groups, verdicts, actions, earlier);
    }

    private AuditReport with(
            List<AuditedSet> others,
            List<AuditedGroup> those,
            List<SetVerdict> said,
            List<NodeAction> fixes,
            @Nullable Changes earlier) {
        return new AuditReport(
                nodes,
                targets,
                others,
                those,
                running,
                libraries,
                said,
                kernels,
                fixes,
                incomplete,
                missing,
                problems,
                earlier);
    }

    /**
     * A requested kernel.
     *
     * @param id the index in the report; 0 before the report is built
     * @param label the kernel as the user named it
     * @param release the release, null if unknown
     * @param vermagic the vermagic, null if unknown
     * @param source the kind of source that the kernel was read from: installed, package, symvers, image or store
     * @param unchecked the ids of checks ({@code Layer}) that could not be made for some module, sorted; empty before
     *     the report is built
     * @param notes remarks about the kernels whose types explain changed CRCs, and about changed CRCs without a known
     *     cause
     */
    public record Target(
            int id,
            String label,
            @Nullable String release,
            @Nullable String vermagic,
            String source,
            List<String> unchecked,
            List<String> notes) {
        public static Target of(
                String label, @Nullable String release, @Nullable String vermagic, String source, List<String> notes) {
            return new Target(0, label, release, vermagic, source, List.of(), notes);
        }
    }

    /**
     * The out-of-tree modules for one kernel, equal on all nodes that have them. If the signature policies of nodes
     * lead to different results, the set exists once for each different result.
     *
     * @param digest the SHA-256 of all reported facts about the modules, 64 hexadecimal digits
     * @param kernel the release whose directory contains the modules
     * @param product the product of the modules; null if unknown, or if nodes report different products
     * @param policy the signature policy of the nodes, or the first of several policies with the same result; null if
     *     no other set has the same kernel and digest
     * @param modules the modules, sorted by path; may include modules that would be linked from another kernel's
     *     directory
     * @param oldest the id of the oldest target on which the set is READY or LINK, null if there is none
     * @param newest the id of the newest target on which the set is READY or LINK, null if there is none
     */
    public record AuditedSet(
            int id,
            String digest,
            String kernel,
            @Nullable String product,
            @Nullable NodePolicy policy,
            List<Module> modules,
            @Nullable Integer oldest,
            @Nullable Integer newest) {
        private static final int NAMED_MODULES = 3;

        public String title() {
            if (product != null) {
                return product;
            }
            List<String> names = new ArrayList<>();
            for (Module module : modules.subList(0, Math.min(modules.size(), NAMED_MODULES))) {
                names.add(module.name());
            }
            return names.isEmpty()
                    ? "no modules"
                    : String.join(", ", names) + (modules.size() > NAMED_MODULES ? ", ..." : "");
        }
    }

    /**
     * The nodes that have equal modules for one kernel.
     *
     * @param set the id of the nodes' module set
     * @param running the number of these nodes that run this kernel
     * @param defects the current defects of the modules, sorted
     */
    public record AuditedGroup(int set, String kernel, Nodes nodes, int running, List<Defect> defects) {}

    /**
     * The result of a module set on a target.
     *
     * @param state the state of nodes that have the set and on which the target is installed
     */
    public record SetVerdict(int set, int target, NodeState state, SetResult answer) {
        private static final Comparator<SetVerdict> ORDER =
                Comparator.comparingInt(SetVerdict::set).thenComparingInt(SetVerdict::target);

        static @Nullable SetVerdict find(List<SetVerdict> sorted, int set, int target) {
            SetVerdict like = new SetVerdict(set, target, NodeState.READY, SetResult.NONE);
            int place = Collections.binarySearch(sorted, like, ORDER);
            return place < 0 ? null : sorted.get(place);
        }

        public List<ModuleVerdict> modules() {
            return answer.modules();
        }

        public List<AuditedCause> causes() {
            return answer.causes();
        }

        public String reason() {
            boolean isRefused = answer.fails() + answer.undetermined() + answer.breaks() > 0;
            return state.isRefusal() && !isRefused
                    ? "all modules would load, but some builds are only in another kernel's directory, and not in extra"
                            + " or updates; weaklink makes no links to these builds"
                    : answer.reason();
        }
    }

    /**
     * The reasons why a module does not load, is undetermined, or keeps other modules from loading.
     *
     * @param errno the errno with which the kernel refuses the module, or null
     * @param findings at most five findings that decide the outcome, in the loader's order
     * @param more the number of further such findings
     */
    public record ModuleVerdict(
            String module, Outcome outcome, @Nullable String errno, List<AuditedFinding> findings, int more) {}

    /**
     * A reason for the outcome of a module.
     *
     * @param layer the id of the check that made the finding
     * @param id the id of the kind of finding
     * @param wanted the value that the module requires, such as a CRC, or null
     * @param offered the value that the target has instead, or null
     * @param message the kernel's log message or a description
     * @param cause the cause of a changed CRC, null if unknown
     */
    public record AuditedFinding(
            String layer,
            @Nullable String id,
            @Nullable String symbol,
            @Nullable String wanted,
            @Nullable String offered,
            String message,
            @Nullable AuditedCause cause) {
        public String text() {
            return cause == null ? message : message + ": " + cause.clause();
        }
    }

    /**
     * The states of all nodes for a target.
     *
     * @param states the nodes by state; each node has one state
     * @param canaries the first node by name of each group of equal nodes that are ready
     */
    public record KernelStates(int target, Map<NodeState, Nodes> states, Nodes canaries) {
        public KernelStates {
            states = Map.copyOf(states);
        }

        public Nodes in(NodeState state) {
            return states.getOrDefault(state, Nodes.NONE);
        }

        public int count(NodeState state) {
            return in(state).count();
        }

        public boolean loadsAll() {
            return count(NodeState.REBUILD) + count(NodeState.BLOCKED) + count(NodeState.UNDETERMINED) == 0;
        }

        public Nodes refused() {
            return in(NodeState.REBUILD).and(in(NodeState.BLOCKED));
        }
    }

    public record SilentNodes(String reason, Nodes nodes) {
        private static final int MAX_REASONS = 50;

        public static List<SilentNodes> of(Map<String, String> reasons) {
            Map<String, List<String>> names = new TreeMap<>();
            reasons.forEach((node, reason) ->
                    names.computeIfAbsent(reason, key -> new ArrayList<>()).add(node));
            List<SilentNodes> missing = new ArrayList<>();
            names.forEach((reason, nodes) -> missing.add(new SilentNodes(reason, Nodes.of(nodes))));
            missing.sort(Comparator.comparing(one -> -one.nodes.count()));
            if (missing.size() <= MAX_REASONS) {
                return missing;
            }
            List<Nodes> rest = new ArrayList<>();
            missing.subList(MAX_REASONS, missing.size()).forEach(one -> rest.add(one.nodes));
            missing.subList(MAX_REASONS, missing.size()).clear();
            missing.add(new SilentNodes("other reasons", Nodes.union(rest)));
            return missing;
        }
    }

    /**
     * The action that a set requires before its nodes are ready for a target.
     *
     * @param nodes the nodes that require the action
     * @param command the command, null if none is known
     * @param builder a node that can build the set if these nodes cannot; null if none can, or none is needed
     * @param tried the result of trial builds for this kernel from these nodes' sources, in one line; null if unknown
     *     or not needed
     */
    public record NodeAction(
            NodeState state,
            int target,
            int set,
            @Nullable String product,
            Nodes nodes,
            @Nullable String command,
            @Nullable String builder,
            @Nullable String tried) {}

    /**
     * The differences from an earlier audit. Refusals are compared only for targets of both audits.
     *
     * @param appeared the new defects and refusals
     * @param fixed the defects and refusals that no longer exist
     * @param unchanged the number of defects and refusals that still exist on at least one node
     * @param unknown the nodes whose earlier defect or refusal could not be checked this time
     * @param vanished the nodes that only the earlier audit contains
     */
    public record Changes(
            List<DefectChange> appeared, List<DefectChange> fixed, int unchanged, Nodes unknown, Nodes vanished) {}

    public record DefectChange(String what, Nodes nodes) {}

    public @Nullable SetVerdict verdict(int set, int target) {
        return SetVerdict.find(verdicts, set, target);
    }

    public int missingNodes() {
        int count = 0;
        for (SilentNodes one : missing) {
            count += one.nodes().count();
        }
        return count;
    }

    public Set<String> broken() {
        Set<String> names = new TreeSet<>();
        for (AuditedGroup group : groups) {
            names.addAll(group.defects().isEmpty() ? List.of() : group.nodes().names());
        }
        nodeFailures().forEach(defect -> names.addAll(defect.nodes().names()));
        kernels.forEach(kernel -> names.addAll(kernel.refused().names()));
        return names;
    }

    public List<NodeDefect> nodeFailures() {
        return nodeDefects().stream()
                .filter(one -> one.defect().kind().isFailure())
                .toList();
    }

    public List<NodeDefect> nodeDefects() {
        List<NodeDefect> all = new ArrayList<>(running);
        all.addAll(libraries.problems());
        return all;
    }

    public boolean hasDefects() {
        for (AuditedGroup group : groups) {
            if (!group.defects().isEmpty()) {
                return true;
            }
        }
        return !nodeFailures().isEmpty();
    }

    public boolean hasRefusals() {
        return kernels.stream().anyMatch(kernel -> !kernel.refused().isEmpty());
    }

    public boolean hasUnknown() {
        for (KernelStates kernel : kernels) {
            if (kernel.count(NodeState.UNDETERMINED) > 0) {
                return true;
            }
        }
        return problems > 0 || !incomplete.isEmpty() || !missing.isEmpty();
    }

    /**
     * A defect of nodes.
     *
     * @param kernel the running kernel; empty for a library's defect
     */
    public record NodeDefect(String kernel, Defect defect, Nodes nodes) {
        static List<NodeDefect> of(
                List<NodeGroups.AlikeNodes> kinds,
                Function<NodeInventory, String> kernel,
                Function<NodeInventory, List<Defect>> defects) {
            SortedMap<NodeDefect, List<Nodes>> found =
                    new TreeMap<>(Comparator.comparing(NodeDefect::kernel, KernelReleaseOrder.INSTANCE.reversed())
                            .thenComparing(NodeDefect::defect));
            for (NodeGroups.AlikeNodes kind : kinds) {
                for (Defect defect : defects.apply(kind.inventory())) {
                    NodeDefect one = new NodeDefect(kernel.apply(kind.inventory()), defect, Nodes.NONE);
                    found.computeIfAbsent(one, key -> new ArrayList<>()).add(kind.nodes());
                }
            }
            List<NodeDefect> all = new ArrayList<>();
            found.forEach((one, nodes) -> all.add(new NodeDefect(one.kernel, one.defect, Nodes.union(nodes))));
            return all;
        }
    }

    /** The state of a node for a kernel: the action required before the node can boot the kernel with all modules. */
    public enum NodeState implements StableId {
        READY,
        LINK,
        INSTALL,
        /**
         * The state of a node on which some modules need another build. The node can build them, and no trial build
         * failed. A module set has this state if at least one node with the same modules can build them.
         */
        REBUILD,
        /**
         * The state of a node on which some modules need another build. weaklink knows no way to build them there, or a
         * trial build failed.
         */
        BLOCKED,
        UNDETERMINED;

        public boolean loads() {
            return this == READY || this == LINK || this == INSTALL;
        }

        public boolean isRefusal() {
            return this == REBUILD || this == BLOCKED;
        }
    }
}
