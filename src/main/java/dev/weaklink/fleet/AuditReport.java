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
 * The result of an audit. Immutable and ordered, so that equal audits are equal; texts are as they came from nodes and
 * files, and not escaped.
 *
 * @param nodes how many there were
 * @param targets the kernels that were asked about, newest first; each one's id is its place
 * @param sets the modules there are, newest kernel first, then by digest; each one's id is its place
 * @param groups nodes that are alike for one kernel, newest kernel first, then the most nodes
 * @param running what is wrong in running kernels, newest kernel first
 * @param libraries what is wrong with RDMA's libraries
 * @param verdicts one for each set that has modules, on each target, in the order of sets
 * @param kernels one for each target, in the order of targets
 * @param actions what comes before nodes are ready, by target and set
 * @param incomplete nodes that could not read something of theirs
 * @param missing nodes that did not answer, by reason, the most nodes first; they are not counted elsewhere
 * @param problems how many pieces of input were left aside
 * @param changes since an earlier audit, null if it was not compared
 */
public record AuditReport(
        int nodes,
        List<Target> targets,
        List<AuditedSet> sets,
        List<Group> groups,
        List<NodeDefect> running,
        RdmaLibraries libraries,
        List<SetVerdict> verdicts,
        List<KernelStates> kernels,
        List<Action> actions,
        Nodes incomplete,
        List<Missing> missing,
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

    /** The same of other sets. */
    AuditReport with(List<AuditedSet> others, List<Group> those, List<SetVerdict> said, List<Action> fixes) {
        return with(others, those, said, fixes, changes);
    }

    /** The same with its difference to an earlier one. */
    public AuditReport since(Changes earlier) {
        return with(sets, groups, verdicts, actions, earlier);
    }

    private AuditReport with(
            List<AuditedSet> others,
            List<Group> those,
            List<SetVerdict> said,
            List<Action> fixes,
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
     * A kernel that was asked about.
     *
     * @param id 0 before there is a report
     * @param label as it was given
     * @param release null if it is not known
     * @param vermagic null if it is not known
     * @param source where it came from: installed, package, symvers, image or store
     * @param unchecked layers that could not be checked for some module, stable ids, sorted; none before there is a
     *     report
     * @param notes where causes of changed CRCs come from, and why others are not known
     */
    public record Target(
            int id,
            String label,
            @Nullable String release,
            @Nullable String vermagic,
            String source,
            List<String> unchecked,
            List<String> notes) {
        /** One that is of no report yet. */
        public static Target of(
                String label, @Nullable String release, @Nullable String vermagic, String source, List<String> notes) {
            return new Target(0, label, release, vermagic, source, List.of(), notes);
        }
    }

    /**
     * The modules that were added to one kernel, alike on all nodes that have them. They are there once for each policy
     * that makes a difference.
     *
     * @param digest of all that is reported of them, 64 hexadecimal digits
     * @param kernel release whose directories hold them
     * @param product what they belong to, null if unknown or nodes report different things
     * @param policy about signatures, of the nodes; null if it makes no difference to any target
     * @param modules sorted by path; those that would be linked from another kernel's directory among them, if that is
     *     what nodes would have on a target
     * @param oldest id of the oldest target that loads all of them, null if none does
     * @param newest id of the newest such target
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

        /** The product, or else the first modules. */
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
     * Nodes that are alike for one kernel.
     *
     * @param set id of its modules
     * @param running how many of the nodes run this kernel
     * @param defects what is wrong with the modules today, sorted
     */
    public record Group(int set, String kernel, Nodes nodes, int running, List<Defect> defects) {}

    /**
     * What a target would say to a set.
     *
     * @param state what that means to nodes that have the set
     */
    public record SetVerdict(int set, int target, NodeState state, SetResult answer) {
        private static final Comparator<SetVerdict> ORDER =
                Comparator.comparingInt(SetVerdict::set).thenComparingInt(SetVerdict::target);

        /** That on a set and a target, null if there is none; the list is in order. */
        static @Nullable SetVerdict find(List<SetVerdict> sorted, int set, int target) {
            SetVerdict like = new SetVerdict(set, target, NodeState.READY, SetResult.NONE);
            int place = Collections.binarySearch(sorted, like, ORDER);
            return place < 0 ? null : sorted.get(place);
        }

        /** The modules that would not load, or of which it is not known, sorted by name. */
        public List<ModuleVerdict> modules() {
            return answer.modules();
        }

        /** Why CRCs changed that modules are refused for, as far as that was looked for. */
        public List<AuditedCause> causes() {
            return answer.causes();
        }

        /** One line. */
        public String reason() {
            return answer.reason();
        }
    }

    /**
     * Why a module does not load.
     *
     * @param errno of the refusal, null if there is none
     * @param findings the first of them, in the loader's order
     * @param more how many were left out
     */
    public record ModuleVerdict(
            String module, Outcome outcome, @Nullable String errno, List<Finding> findings, int more) {}

    /**
     * One reason.
     *
     * @param layer stable id
     * @param id of the kind of finding, stable; null in audits made before there were any
     * @param wanted what the module demands, such as a CRC
     * @param offered what the target has instead
     * @param message the line the kernel would log, or else what is wrong in words
     * @param cause why the CRC it is about changed; null if that is not known
     */
    public record Finding(
            String layer,
            @Nullable String id,
            @Nullable String symbol,
            @Nullable String wanted,
            @Nullable String offered,
            String message,
            @Nullable AuditedCause cause) {
        /** The message, and the cause behind it. */
        public String text() {
            return cause == null ? message : message + ": " + cause.clause();
        }
    }

    /**
     * How all nodes stand to a target.
     *
     * @param states each node is in one
     * @param canaries of those that are ready, one for each set of modules
     */
    public record KernelStates(int target, Map<NodeState, Nodes> states, Nodes canaries) {
        public KernelStates {
            states = Map.copyOf(states);
        }

        /** The nodes in a state. */
        public Nodes in(NodeState state) {
            return states.getOrDefault(state, Nodes.NONE);
        }

        /** How many nodes are in a state. */
        public int count(NodeState state) {
            return in(state).count();
        }

        /** Whether modules of no node are refused, or not known to load. */
        public boolean loadsAll() {
            return count(NodeState.REBUILD) + count(NodeState.BLOCKED) + count(NodeState.UNDETERMINED) == 0;
        }

        /** The nodes of which a module is refused. */
        public Nodes refused() {
            return in(NodeState.REBUILD).and(in(NodeState.BLOCKED));
        }
    }

    /** Nodes that did not answer for one reason, in words. */
    public record Missing(String reason, Nodes nodes) {
        /** At most this many reasons have an entry of their own. */
        private static final int MAX_REASONS = 50;

        /** Folds nodes, each with its reason. */
        public static List<Missing> of(Map<String, String> reasons) {
            Map<String, List<String>> names = new TreeMap<>();
            reasons.forEach((node, reason) ->
                    names.computeIfAbsent(reason, key -> new ArrayList<>()).add(node));
            List<Missing> missing = new ArrayList<>();
            names.forEach((reason, nodes) -> missing.add(new Missing(reason, Nodes.of(nodes))));
            missing.sort(Comparator.comparing(one -> -one.nodes.count()));
            if (missing.size() <= MAX_REASONS) {
                return missing;
            }
            List<String> rest = new ArrayList<>();
            missing.subList(MAX_REASONS, missing.size()).forEach(one -> rest.addAll(one.nodes.names()));
            missing.subList(MAX_REASONS, missing.size()).clear();
            missing.add(new Missing("other reasons", Nodes.of(rest)));
            return missing;
        }
    }

    /**
     * What fixes a set on a target.
     *
     * @param product as in the set
     * @param nodes those it is for
     * @param command what does it, null if nothing is known to
     * @param builder a node that can build the set, if these cannot; null if none can, or they need no build
     */
    public record Action(
            NodeState state,
            int target,
            int set,
            @Nullable String product,
            Nodes nodes,
            @Nullable String command,
            @Nullable String builder) {}

    /**
     * The difference to an earlier audit, as far as both asked about the same.
     *
     * @param appeared what is wrong now and was not
     * @param fixed what was wrong and is not any more
     * @param unchanged how many things are wrong that were before, on at least one node
     * @param unknown nodes on which something was wrong of which nothing is known today
     * @param vanished nodes of the earlier audit that are not in this one
     */
    public record Changes(List<Change> appeared, List<Change> fixed, int unchanged, Nodes unknown, Nodes vanished) {}

    /** Something wrong, and the nodes where that changed. */
    public record Change(String what, Nodes nodes) {}

    /** What a target says to a set, null if it was not asked. */
    public @Nullable SetVerdict verdict(int set, int target) {
        return SetVerdict.find(verdicts, set, target);
    }

    /** How many nodes did not answer. */
    public int missingNodes() {
        int count = 0;
        for (Missing one : missing) {
            count += one.nodes().count();
        }
        return count;
    }

    /** The nodes that something is wrong with, today or on a target. */
    public Set<String> broken() {
        Set<String> names = new TreeSet<>();
        for (Group group : groups) {
            names.addAll(group.defects().isEmpty() ? List.of() : group.nodes().names());
        }
        nodeFailures().forEach(defect -> names.addAll(defect.nodes().names()));
        kernels.forEach(kernel -> names.addAll(kernel.refused().names()));
        return names;
    }

    /** What does not work in running kernels, then of RDMA's libraries. */
    public List<NodeDefect> nodeFailures() {
        return nodeDefects().stream()
                .filter(one -> one.defect().kind().isFailure())
                .toList();
    }

    /** What is wrong with nodes and not with their sets: in running kernels, then with libraries. */
    public List<NodeDefect> nodeDefects() {
        List<NodeDefect> all = new ArrayList<>(running);
        all.addAll(libraries.problems());
        return all;
    }

    /** Whether anything is wrong today. */
    public boolean hasDefects() {
        for (Group group : groups) {
            if (!group.defects().isEmpty()) {
                return true;
            }
        }
        return !nodeFailures().isEmpty();
    }

    /** Whether a module is refused, for nodes that would have it on that target. */
    public boolean hasRefusals() {
        return kernels.stream().anyMatch(kernel -> !kernel.refused().isEmpty());
    }

    /** Whether something was not checked. */
    public boolean hasUnknown() {
        for (KernelStates kernel : kernels) {
            if (kernel.count(NodeState.UNDETERMINED) > 0) {
                return true;
            }
        }
        return problems > 0 || !incomplete.isEmpty() || !missing.isEmpty();
    }

    /**
     * Something wrong, and where.
     *
     * @param kernel the running kernel; empty for libraries, which are of none
     */
    public record NodeDefect(String kernel, Defect defect, Nodes nodes) {
        /** What is wrong with nodes alike, each thing once, newest kernel first. */
        static List<NodeDefect> of(
                List<NodeGroups.Kind> kinds,
                Function<NodeInventory, String> kernel,
                Function<NodeInventory, List<Defect>> defects) {
            SortedMap<NodeDefect, List<String>> found =
                    new TreeMap<>(Comparator.comparing(NodeDefect::kernel, KernelReleaseOrder.INSTANCE.reversed())
                            .thenComparing(NodeDefect::defect));
            for (NodeGroups.Kind kind : kinds) {
                for (Defect defect : defects.apply(kind.inventory())) {
                    NodeDefect one = new NodeDefect(kernel.apply(kind.inventory()), defect, Nodes.NONE);
                    found.computeIfAbsent(one, key -> new ArrayList<>()).addAll(kind.names());
                }
            }
            List<NodeDefect> all = new ArrayList<>();
            found.forEach((one, names) -> all.add(new NodeDefect(one.kernel, one.defect, Nodes.of(names))));
            return all;
        }
    }

    /** How nodes stand to a kernel: what comes before they can boot it with all their modules. */
    public enum NodeState implements StableId {
        /** The kernel is installed, and all modules load from its own directory. */
        READY,
        /** The kernel is installed, and all modules would load once they are linked to it. */
        LINK,
        /** All modules would load, and the kernel is not installed. */
        INSTALL,
        /**
         * Some modules are refused, or keep the kernel's own from loading, and something is there to rebuild them with.
         * Of a set: on one of its nodes.
         */
        REBUILD,
        /** The same, and nothing is there that is known to build them. */
        BLOCKED,
        /** Something decisive could not be checked. */
        UNDETERMINED;

        /** Whether no module is refused, and none keeps others from loading. */
        public boolean loads() {
            return this == READY || this == LINK || this == INSTALL;
        }

        /** Whether some module is refused, or keeps others from loading. */
        public boolean isRefusal() {
            return this == REBUILD || this == BLOCKED;
        }
    }
}
