package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to do, and in which order. A node would have one set of modules on a kernel, and a set is of one product: what
 * different steps for one kernel are for never overlaps, so that taking the steps with the most nodes first serves the
 * most nodes with any number of steps. Steps for nodes of which nothing is known come last.
 *
 * @param steps one for each kernel, product and thing to do
 * @param choices one for each kernel, in the order of targets
 */
public record Advice(List<Step> steps, List<Choice> choices) {
    private static final String KERNEL = "the kernel";

    private static final Comparator<Choice> BETTER = Comparator.comparingInt(Choice::served)
            .thenComparing(choice -> -choice.rebuilds().size())
            .thenComparing(choice -> choice.count(NodeState.READY) + choice.count(NodeState.LINK))
            .thenComparing(choice -> choice.count(NodeState.READY))
            .thenComparing(choice -> -choice.target());

    private static final Comparator<Step> ORDER = Comparator.comparing(
                    (Step step) -> step.state == NodeState.UNDETERMINED)
            .thenComparing(step -> -step.nodes.count())
            .thenComparing(Step::state)
            .thenComparing(Step::target);

    /**
     * A thing to do.
     *
     * @param product what is to be linked or rebuilt, or is blocked
     * @param sets how many sets of modules that is about; 0 if it is about the kernel
     * @param builder a node that can build the product, if these nodes cannot; null if none is known
     * @param reason of the first of them, in one line
     * @param causes why CRCs changed that they are refused for
     * @param served for how many nodes no module is refused after this and all rebuilds for this kernel that come
     *     before
     */
    public record Step(
            NodeState state,
            int target,
            String product,
            int sets,
            Nodes nodes,
            @Nullable String command,
            @Nullable String builder,
            String reason,
            List<AuditedCause> causes,
            int served) {
        /** A command with more nodes does not fit into an argument (Linux: 128 KiB). */
        private static final int MAX_NODES = 100_000;

        /** Returns the command as clush runs it on the nodes of this step, or null without one. */
        public @Nullable String onNodes() {
            boolean fits = command != null && nodes.folded().length() <= MAX_NODES;
            return fits ? "clush -w '" + nodes.folded() + "' '" + command + "'" : null;
        }
    }

    /**
     * What a kernel would take.
     *
     * @param rebuilds of most nodes first
     */
    public record Choice(KernelStates states, List<Step> rebuilds) {
        /** Its id. */
        public int target() {
            return states.target();
        }

        /** How many nodes are in a state. */
        public int count(NodeState state) {
            return states.count(state);
        }

        /** How many nodes have all their modules in the end. */
        int served() {
            int count = 0;
            for (NodeState state : NodeState.values()) {
                count += state.loads() || state == NodeState.REBUILD ? count(state) : 0;
            }
            return count;
        }
    }

    /** What follows from an audit. */
    public static Advice of(AuditReport report) {
        Map<Key, Row> rows = new LinkedHashMap<>();
        for (Action action : report.actions()) {
            String title = report.sets().get(action.set()).title();
            Key key = new Key(action.target(), action.state(), title, action.command(), action.builder());
            SetVerdict verdict = report.verdict(action.set(), action.target());
            rows.computeIfAbsent(key, one -> new Row(verdict)).add(action.nodes(), verdict);
        }
        Map<List<Nodes>, Nodes> unions = new HashMap<>();
        List<Step> steps = new ArrayList<>();
        rows.forEach((key, row) -> {
            Nodes whole = whole(report, key);
            boolean isWhole = row.count == whole.count();
            steps.add(new Step(
                    key.state,
                    key.target,
                    key.product,
                    row.parts.size(),
                    isWhole ? whole : unions.computeIfAbsent(row.parts, Nodes::union),
                    key.command,
                    key.builder,
                    row.reason,
                    List.copyOf(row.causes),
                    0));
        });
        for (KernelStates kernel : report.kernels()) {
            Nodes nodes = kernel.in(NodeState.INSTALL);
            if (!nodes.isEmpty()) {
                String reason = "not installed there; once it is, 'weaklink apply' links modules";
                steps.add(new Step(
                        NodeState.INSTALL, kernel.target(), KERNEL, 0, nodes, null, null, reason, List.of(), 0));
            }
        }
        steps.sort(ORDER);
        List<Choice> choices =
                report.kernels().stream().map(kernel -> choice(kernel, steps)).toList();
        return new Advice(List.copyOf(steps), List.copyOf(choices));
    }

    /** All nodes in this state on a kernel; what is for as many is for these. */
    private static Nodes whole(AuditReport report, Key key) {
        for (KernelStates kernel : report.kernels()) {
            if (kernel.target() == key.target) {
                return kernel.in(key.state);
            }
        }
        return Nodes.NONE;
    }

    private record Key(
            int target,
            NodeState state,
            String product,
            @Nullable String command,
            @Nullable String builder) {}

    /** The actions that become one step. */
    private static final class Row {
        final String reason;
        final List<Nodes> parts = new ArrayList<>();
        final Set<AuditedCause> causes = new LinkedHashSet<>();
        long count;

        Row(@Nullable SetVerdict first) {
            reason = first == null ? "" : first.reason();
        }

        void add(Nodes nodes, @Nullable SetVerdict verdict) {
            parts.add(nodes);
            causes.addAll(verdict == null ? List.of() : verdict.causes());
            count += nodes.count();
        }
    }

    /** Also writes into the steps how far they lead. */
    private static Choice choice(KernelStates kernel, List<Step> steps) {
        int served = 0;
        for (NodeState state : NodeState.values()) {
            served += state.loads() ? kernel.count(state) : 0;
        }
        List<Step> rebuilds = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            if (step.target == kernel.target() && step.state == NodeState.REBUILD) {
                served += step.nodes.count();
                Step after = new Step(
                        step.state,
                        step.target,
                        step.product,
                        step.sets,
                        step.nodes,
                        step.command,
                        step.builder,
                        step.reason,
                        step.causes,
                        served);
                steps.set(i, after);
                rebuilds.add(after);
            }
        }
        return new Choice(kernel, rebuilds);
    }

    /** The steps for a kernel, in their order. */
    public List<Step> of(int target) {
        return steps.stream().filter(step -> step.target == target).toList();
    }

    /**
     * The kernel that serves the most nodes, those included that a rebuild helps; of equals that with the fewest
     * rebuilds, then that which is installed and loads all modules of the most, then the newest. Null without kernels.
     */
    public @Nullable Choice best() {
        return choices.stream().max(BETTER).orElse(null);
    }

    /** The newest kernel that refuses no module of any node, null if there is none. */
    public @Nullable Choice newestForAll() {
        return choices.stream()
                .filter(choice -> choice.states.loadsAll())
                .findFirst()
                .orElse(null);
    }
}
