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

/** Makes audits by hand. Targets and sets get their ids in the order in which they are added. */
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

    /** An audit in which there is one of everything. */
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

    /** How many there were. */
    public AuditReports nodes(int count) {
        nodes = count;
        return this;
    }

    /** An installed kernel. */
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

    /** Modules below extra of a kernel, with a digest made of the set's id. */
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

    /** The same with the ids of the oldest and the newest target that the last set serves. */
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

    /** Nodes that have a set. */
    public AuditReports group(int set, Nodes those, int running, Defect... defects) {
        groups.add(new AuditedGroup(set, sets.get(set).kernel(), those, running, List.of(defects)));
        return this;
    }

    /** Something wrong in a running kernel. */
    public AuditReports running(String kernel, Defect defect, Nodes those) {
        running.add(new NodeDefect(kernel, defect, those));
        return this;
    }

    /** Something wrong with RDMA's libraries. */
    public static NodeDefect library(
            UserspaceFinding.LibraryDefect kind, String subject, String detail, String packages, Nodes nodes) {
        return new NodeDefect("", new Defect(kind, subject, detail, packages), nodes);
    }

    /** What was found of libraries. */
    public AuditReports libraries(Nodes checked, NodeDefect... problems) {
        libraries = new RdmaLibraries(checked, Nodes.NONE, List.of(problems));
        return this;
    }

    /** All modules of a set have the state. */
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

    /** These modules of a set are refused, and the others load. */
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

    /** How nodes stand to a target; all others are ready. */
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

    /** How nodes stand to a target, by the verdicts so far: each node is asked with each of its sets. */
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

    /** What fixes a set on a target. */
    public AuditReports action(NodeState state, int target, int set, Nodes those, @Nullable String command) {
        actions.add(new NodeAction(state, target, set, sets.get(set).product(), those, command, null, null));
        return this;
    }

    /** Nodes that could not read something. */
    public AuditReports incomplete(Nodes those) {
        incomplete = those;
        return this;
    }

    /** Nodes that did not answer. */
    public AuditReports missing(String reason, Nodes those) {
        missing.add(new SilentNodes(reason, those));
        return this;
    }

    /** How many pieces of input were left aside. */
    public AuditReports problems(long count) {
        problems = count;
        return this;
    }

    /** Compared with an earlier one. */
    public AuditReports changes(Changes since) {
        changes = since;
        return this;
    }

    /** The audit. */
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
