package dev.weaklink.testing;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedFinding;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.NodeAction;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.SilentNodes;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.RdmaLibraries;
import dev.weaklink.fleet.SetResult;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.loader.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A builder of audit reports. Targets and sets get their ids in the order in which they are added. */
public final class AuditReports {
    private final List<Target> targets = new ArrayList<>();
    private final List<AuditedSet> sets = new ArrayList<>();
    private final List<AuditedGroup> groups = new ArrayList<>();
    private final List<NodeDefect> running = new ArrayList<>();
    private final List<SetVerdict> verdicts = new ArrayList<>();
    private final List<KernelStates> kernels = new ArrayList<>();
    private final List<NodeAction> actions = new ArrayList<>();
    private final List<SilentNodes> missing = new ArrayList<>();
    private RdmaLibraries libraries = RdmaLibraries.UNCHECKED;
    private Nodes incomplete = Nodes.NONE;
    private int nodes;
    private long problems;
    private @Nullable Changes changes;

    /** Returns an audit report that contains at least one value of each kind. */
    public static AuditReports full() {
        AuditedFinding crc = new AuditedFinding(
                "symbol-crc",
                "symbol.crc-mismatch",
                "ether_setup",
                "0x1a2b3c4d",
                "0x99aabbcc",
                "mlx5_core: disagrees about version of symbol ether_setup",
                new AuditedCause("struct", "net_device", "spelling", "net_device.reg_state became u8"));
        return new AuditReports()
                .nodes(5)
                .target("6.1.0-56")
                .target("6.1.0-54")
                .set("6.1.0-56", null)
                .set("6.1.0-54", "mlnx-ofed 24.10-1.1.4", "knem", "mlx5_core")
                .group(0, Nodes.of(List.of("cn1")), 1)
                .group(
                        1,
                        Nodes.of(List.of("cn2", "cn3", "cn4", "gpu7")),
                        3,
                        new Defect(
                                Defect.ModuleDefectKind.DANGLING_LINK, "knem", "/lib/modules/6.1.0-54/extra/knem.ko"))
                .running(
                        "6.1.0-54",
                        new Defect(Defect.ModuleDefectKind.LOADED_DIFFERS, "mlx5_core", "B is loaded, A is on disk"),
                        Nodes.of(List.of("cn2")))
                .libraries(
                        Nodes.of(List.of("cn2", "cn3")),
                        library(
                                UserspaceFinding.LibraryDefect.SYMBOL_MISSING,
                                "mlx5",
                                "undefined symbol: ibv_x, version IBVERBS_PRIVATE_34",
                                "ibverbs-providers 44.0-2",
                                Nodes.of(List.of("cn3"))))
                .refused(
                        1,
                        0,
                        NodeState.REBUILD,
                        new ModuleVerdict("mlx5_core", Outcome.INCOMPATIBLE, "EINVAL", List.of(crc), 12))
                .verdict(1, 1, NodeState.READY)
                .kernel(
                        0,
                        Map.of(
                                NodeState.REBUILD,
                                Nodes.of(List.of("cn2", "cn3", "cn4", "gpu7")),
                                NodeState.UNDETERMINED,
                                Nodes.of(List.of("cn1"))))
                .kernel(1, Map.of())
                .action(
                        NodeState.REBUILD,
                        0,
                        1,
                        Nodes.of(List.of("cn2", "cn3", "cn4", "gpu7")),
                        "weaklink rebuild --kernel 6.1.0-56")
                .incomplete(Nodes.of(List.of("cn4")))
                .missing("connection refused", Nodes.of(List.of("cn8", "cn9")))
                .problems(2);
    }

    public AuditReports nodes(int count) {
        nodes = count;
        return this;
    }

    public AuditReports target(String release) {
        targets.add(new Target(
                targets.size(),
                release,
                release,
                release + " SMP mod_unload modversions ",
                "installed",
                List.of("signature"),
                List.of()));
        return this;
    }

    /** Adds a set of modules in the extra directory of a kernel, with a digest made of the set's id. */
    public AuditReports set(String kernel, @Nullable String product, String... modules) {
        List<Module> files = new ArrayList<>();
        for (String module : modules) {
            String path = "/lib/modules/" + kernel + "/extra/" + module + ".ko";
            String digest = "sha256:" + digest(module.hashCode());
            files.add(new Module(
                    kernel, module, path, null, null, null, digest, "24.10", "ABC", kernel + " SMP ", null, null));
        }
        sets.add(new AuditedSet(sets.size(), digest(sets.size()), kernel, product, null, files, null, null));
        return this;
    }

    private static String digest(int number) {
        return String.format(Locale.ROOT, "%064x", number);
    }

    /** Records the ids of the oldest and the newest target on which the last set loads. */
    public AuditReports serving(int oldest, int newest) {
        AuditedSet last = sets.remove(sets.size() - 1);
        sets.add(new AuditedSet(
                last.id(),
                last.digest(),
                last.kernel(),
                last.product(),
                last.policy(),
                last.modules(),
                oldest,
                newest));
        return this;
    }

    /**
     * Adds the nodes that have a set.
     *
     * @param running the number of these nodes that run the set's kernel
     */
    public AuditReports group(int set, Nodes those, int running, Defect... defects) {
        groups.add(new AuditedGroup(set, sets.get(set).kernel(), those, running, List.of(defects)));
        return this;
    }

    public AuditReports running(String kernel, Defect defect, Nodes those) {
        running.add(new NodeDefect(kernel, defect, those));
        return this;
    }

    public static NodeDefect library(
            UserspaceFinding.LibraryDefect kind, String subject, String detail, String packages, Nodes nodes) {
        return new NodeDefect("", new Defect(kind, subject, detail, packages), nodes);
    }

    public AuditReports libraries(Nodes checked, NodeDefect... problems) {
        libraries = new RdmaLibraries(checked, Nodes.NONE, List.of(problems));
        return this;
    }

    /** Adds a verdict on a set, with the same state for all of its modules. */
    public AuditReports verdict(int set, int target, NodeState state) {
        int count = sets.get(set).modules().size();
        int loads = state.loads() ? count : 0;
        int unknown = state == NodeState.UNDETERMINED ? count : 0;
        verdicts.add(new SetVerdict(
                set,
                target,
                state,
                new SetResult(loads, count - loads - unknown, unknown, 0, List.of(), List.of(), List.of())));
        return this;
    }

    /** Adds a verdict on a set: the loader refuses these modules and loads the others. */
    public AuditReports refused(int set, int target, NodeState state, ModuleVerdict... modules) {
        int loads = sets.get(set).modules().size() - modules.length;
        verdicts.add(new SetVerdict(
                set,
                target,
                state,
                new SetResult(loads, modules.length, 0, 0, List.of(modules), causes(modules), List.of())));
        return this;
    }

    private static List<AuditedCause> causes(ModuleVerdict... modules) {
        List<AuditedCause> causes = new ArrayList<>();
        for (ModuleVerdict module : modules) {
            for (AuditedFinding finding : module.findings()) {
                if (finding.cause() != null && !causes.contains(finding.cause())) {
                    causes.add(finding.cause());
                }
            }
        }
        return causes;
    }

    /** Adds the states of nodes on a target; all other nodes are ready. */
    public AuditReports kernel(int target, Map<NodeState, Nodes> states) {
        List<String> ready = new ArrayList<>();
        groups.forEach(group -> ready.addAll(group.nodes().names()));
        Set<String> others = new HashSet<>();
        states.values().forEach(those -> others.addAll(those.names()));
        ready.removeAll(others);
        Nodes canaries = ready.isEmpty() ? Nodes.NONE : Nodes.of(ready.subList(0, 1));
        Map<NodeState, Nodes> all = new HashMap<>(states);
        all.put(NodeState.READY, Nodes.of(ready));
        kernels.add(new KernelStates(target, all, canaries));
        return this;
    }

    /** Adds the states of nodes on a target, derived from the verdicts on their sets so far. */
    public AuditReports kernel(int target) {
        Map<Integer, NodeState> bySet = new HashMap<>();
        for (SetVerdict verdict : verdicts) {
            if (verdict.target() == target) {
                bySet.put(verdict.set(), verdict.state());
            }
        }
        Map<NodeState, List<Nodes>> parts = new HashMap<>();
        for (AuditedGroup group : groups) {
            NodeState state = bySet.getOrDefault(group.set(), NodeState.READY);
            parts.computeIfAbsent(state, key -> new ArrayList<>()).add(group.nodes());
        }
        Map<NodeState, Nodes> states = new HashMap<>();
        parts.forEach((state, nodes) -> states.put(state, Nodes.union(nodes)));
        states.remove(NodeState.READY);
        return kernel(target, states);
    }

    /** Adds the action that fixes a set on a target. */
    public AuditReports action(NodeState state, int target, int set, Nodes those, @Nullable String command) {
        actions.add(new NodeAction(state, target, set, sets.get(set).product(), those, command, null, null));
        return this;
    }

    /** Sets the nodes whose inventory is incomplete. */
    public AuditReports incomplete(Nodes those) {
        incomplete = those;
        return this;
    }

    /** Adds nodes that did not answer. */
    public AuditReports missing(String reason, Nodes those) {
        missing.add(new SilentNodes(reason, those));
        return this;
    }

    /** Sets the number of inputs that were not used. */
    public AuditReports problems(long count) {
        problems = count;
        return this;
    }

    public AuditReports changes(Changes since) {
        changes = since;
        return this;
    }

    public AuditReport build() {
        return new AuditReport(
                nodes,
                targets,
                sets,
                groups,
                running,
                libraries,
                verdicts,
                kernels,
                actions,
                incomplete,
                missing,
                problems,
                changes);
    }
}
