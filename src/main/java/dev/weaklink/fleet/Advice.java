package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.NodeAction;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The recommended steps and their order. For each kernel, a node is in at most one step. Steps for more nodes come
 * first, but steps for UNDETERMINED nodes come last.
 *
 * @param steps the steps; two steps for one kernel differ in the state, product, command, builder or trial results
 * @param choices the node states and rebuilds for each target kernel, in the order of targets
 */
public record Advice(List<AdvisedStep> steps, List<AdvisedKernel> choices) {
    private static final String KERNEL = "the kernel";

    private static final Comparator<AdvisedKernel> BETTER = Comparator.comparingInt(AdvisedKernel::served)
            .thenComparing(choice -> -choice.rebuilds().size())
            .thenComparing(choice -> choice.count(NodeState.READY) + choice.count(NodeState.LINK))
            .thenComparing(choice -> choice.count(NodeState.READY))
            .thenComparing(choice -> -choice.target());

    private static final Comparator<AdvisedStep> ORDER = Comparator.comparing(
                    (AdvisedStep step) -> step.state == NodeState.UNDETERMINED)
            .thenComparing(step -> -step.nodes.count())
            .thenComparing(AdvisedStep::state)
            .thenComparing(AdvisedStep::target);

    /**
     * A recommended action.
     *
     * @param product the product, or the names of up to three modules if the product is unknown; "the kernel" if the
     *     step is to install the kernel
     * @param sets the number of module sets that require this step; 0 if the step is to install the kernel
     * @param builder a node that can build the modules if the nodes of this step cannot; null if none is known or
     *     needed
     * @param tried the result of trial builds from these nodes' sources; null if unknown or not needed
     * @param reason the reason for the step; if the step combines several module sets, the reason for the first
     * @param causes the known causes of changed CRCs in the findings on these modules
     * @param served the number of nodes that would load all modules after this step and all earlier rebuilds for this
     *     kernel; 0 if the step is not a rebuild
     */
    public record AdvisedStep(
            NodeState state,
            int target,
            String product,
            int sets,
            Nodes nodes,
            @Nullable String command,
            @Nullable String builder,
            @Nullable String tried,
            String reason,
            List<AuditedCause> causes,
            int served) {
        /**
         * The maximum length of a node set in a command, in characters. Linux limits one argument to 128 KiB
         * (MAX_ARG_STRLEN).
         */
        private static final int MAX_NODES = 100_000;

        /**
         * Returns the clush command that runs this step's command on this step's nodes. Returns null if the step has no
         * command, or if the node set is too long for one argument.
         */
        public @Nullable String onNodes() {
            boolean fits = command != null && nodes.folded().length() <= MAX_NODES;
            return fits ? "clush -w '" + nodes.folded() + "' '" + command + "'" : null;
        }
    }

    /**
     * The states of all nodes on a target kernel, and the rebuilds that would help.
     *
     * @param rebuilds the steps of state REBUILD for this kernel, the most nodes first
     */
    public record AdvisedKernel(KernelStates states, List<AdvisedStep> rebuilds) {
        public int target() {
            return states.target();
        }

        public int count(NodeState state) {
            return states.count(state);
        }

        int served() {
            int count = 0;
            for (NodeState state : NodeState.values()) {
                count += state.loads() || state == NodeState.REBUILD ? count(state) : 0;
            }
            return count;
        }
    }

    public static Advice of(AuditReport report) {
        Map<StepKey, StepDraft> rows = new LinkedHashMap<>();
        for (NodeAction action : report.actions()) {
            String title = report.sets().get(action.set()).title();
            StepKey key = new StepKey(
                    action.target(), action.state(), title, action.command(), action.builder(), action.tried());
            SetVerdict verdict = report.verdict(action.set(), action.target());
            rows.computeIfAbsent(key, one -> new StepDraft(verdict)).add(action, verdict);
        }
        Map<List<Nodes>, Nodes> unions = new HashMap<>();
        List<AdvisedStep> steps = new ArrayList<>();
        rows.forEach((key, row) -> {
            Nodes whole = whole(report, key);
            boolean isWhole = row.count == whole.count();
            steps.add(new AdvisedStep(
                    key.state,
                    key.target,
                    key.product,
                    row.sets.size(),
                    isWhole ? whole : unions.computeIfAbsent(row.parts, Nodes::union),
                    key.command,
                    key.builder,
                    key.tried,
                    row.reason,
                    List.copyOf(row.causes),
                    0));
        });
        for (KernelStates kernel : report.kernels()) {
            Nodes nodes = kernel.in(NodeState.INSTALL);
            if (!nodes.isEmpty()) {
                String reason =
                        "the kernel is not installed on these nodes; install it, then run 'weaklink apply' there";
                steps.add(new AdvisedStep(
                        NodeState.INSTALL, kernel.target(), KERNEL, 0, nodes, null, null, null, reason, List.of(), 0));
            }
        }
        steps.sort(ORDER);
        List<AdvisedKernel> choices =
                report.kernels().stream().map(kernel -> choice(kernel, steps)).toList();
        return new Advice(List.copyOf(steps), List.copyOf(choices));
    }

    /**
     * Returns all nodes in the step's state on the step's kernel. If the step has the same number of nodes, the step
     * consists of exactly these nodes.
     */
    private static Nodes whole(AuditReport report, StepKey key) {
        for (KernelStates kernel : report.kernels()) {
            if (kernel.target() == key.target) {
                return kernel.in(key.state);
            }
        }
        return Nodes.NONE;
    }

    private record StepKey(
            int target,
            NodeState state,
            String product,
            @Nullable String command,
            @Nullable String builder,
            @Nullable String tried) {}

    private static final class StepDraft {
        final String reason;
        final List<Nodes> parts = new ArrayList<>();
        final Set<Integer> sets = new HashSet<>();
        final Set<AuditedCause> causes = new LinkedHashSet<>();
        long count;

        StepDraft(@Nullable SetVerdict first) {
            reason = first == null ? "" : first.reason();
        }

        void add(NodeAction action, @Nullable SetVerdict verdict) {
            parts.add(action.nodes());
            sets.add(action.set());
            causes.addAll(verdict == null ? List.of() : verdict.causes());
            count += action.nodes().count();
        }
    }

    private static AdvisedKernel choice(KernelStates kernel, List<AdvisedStep> steps) {
        int served = 0;
        for (NodeState state : NodeState.values()) {
            served += state.loads() ? kernel.count(state) : 0;
        }
        List<AdvisedStep> rebuilds = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            AdvisedStep step = steps.get(i);
            if (step.target == kernel.target() && step.state == NodeState.REBUILD) {
                served += step.nodes.count();
                AdvisedStep after = new AdvisedStep(
                        step.state,
                        step.target,
                        step.product,
                        step.sets,
                        step.nodes,
                        step.command,
                        step.builder,
                        step.tried,
                        step.reason,
                        step.causes,
                        served);
                steps.set(i, after);
                rebuilds.add(after);
            }
        }
        return new AdvisedKernel(kernel, rebuilds);
    }

    public List<AdvisedStep> of(int target) {
        return steps.stream().filter(step -> step.target == target).toList();
    }

    /**
     * Returns the kernel on which the most nodes would load their modules, if necessary after links, rebuilds or the
     * kernel's installation. Among equal kernels, prefers the fewest rebuilds. Returns null if the report has no
     * kernels.
     */
    public @Nullable AdvisedKernel best() {
        return choices.stream().max(BETTER).orElse(null);
    }

    /** Returns the newest kernel on which every node is READY, LINK or INSTALL; null if there is no such kernel. */
    public @Nullable AdvisedKernel newestForAll() {
        return choices.stream()
                .filter(choice -> choice.states.loadsAll())
                .findFirst()
                .orElse(null);
    }
}
