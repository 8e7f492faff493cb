package dev.weaklink.fleet.report;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.Action;
import dev.weaklink.fleet.AuditReport.Change;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.Group;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.loader.Outcome;
import dev.weaklink.sys.DefectKind;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an audit found wrong and on which nodes, to be compared with another one as far as both asked about the same
 * kernels. What was wrong on a node is fixed only if the node is still there and it is known that it is right. Nothing
 * else is read of an earlier audit.
 */
public final class Baseline {
    /** No kernel's name has a blank. */
    private static final String LIBRARIES = "RDMA libraries";

    /** Kernels that were asked about, in order. */
    private final List<String> targets = new ArrayList<>();

    private final SortedMap<Wrong, Set<Nodes>> wrong = new TreeMap<>();

    private Baseline() {}

    /**
     * Something wrong.
     *
     * @param target what refuses a module; empty for what is wrong today, {@link #LIBRARIES} if that is known of some
     *     nodes only
     */
    private record Wrong(String target, String what) implements Comparable<Wrong> {
        @Override
        public int compareTo(Wrong other) {
            int order = target.compareTo(other.target);
            return order != 0 ? order : what.compareTo(other.what);
        }
    }

    /**
     * Reads the document of an audit.
     *
     * @throws UnreadableException if it is none
     */
    public static Baseline read(InputStream in) throws IOException {
        JsonTree json = JsonTree.read(in);
        if (!json.hasText("schema") || !AuditJson.DOCUMENT.equals(json.text("schema"))) {
            throw new UnreadableException(
                    "is not of schema " + AuditJson.DOCUMENT + ", as 'weaklink audit --format json' writes");
        }
        try {
            Baseline baseline = new Baseline();
            baseline.add(json);
            return baseline;
        } catch (UnreadableException e) {
            throw new UnreadableException("not an audit: " + e.reason());
        }
    }

    private void add(JsonTree audit) throws UnreadableException {
        for (JsonTree target : audit.objects("targets")) {
            addTarget(target.require("label"), target.text("release"));
        }
        for (JsonTree group : audit.objects("groups")) {
            for (JsonTree defect : group.objects("defects")) {
                addToday("", group.require("kernel"), kind(defect), defect, group);
            }
        }
        for (JsonTree running : audit.objects("running")) {
            if (kind(running).isFailure()) {
                addToday("", running.require("kernel"), kind(running), running, running);
            }
        }
        if (audit.has("userspace")) {
            for (JsonTree problem : audit.object("userspace").objects("findings")) {
                DefectKind kind = problem.constant("id", UserspaceFinding.Kind.values());
                if (kind.isFailure()) {
                    addToday(LIBRARIES, LIBRARIES, kind, problem, problem);
                }
            }
        }
        addActions(audit);
    }

    private static DefectKind kind(JsonTree defect) throws UnreadableException {
        return defect.constant("kind", Defect.Kind.values());
    }

    private void addToday(String target, String where, DefectKind kind, JsonTree defect, JsonTree nodes)
            throws UnreadableException {
        add(target, where + ": " + defect.require("subject") + ": " + kind.meaning(), nodes(nodes));
    }

    private void addActions(JsonTree audit) throws UnreadableException {
        List<JsonTree> sets = audit.objects("sets");
        Map<List<Integer>, JsonTree> verdicts = new HashMap<>();
        for (JsonTree verdict : audit.objects("verdicts")) {
            int set = place(verdict, "set", sets.size());
            verdicts.put(List.of(set, place(verdict, "target", targets.size())), verdict);
        }
        for (JsonTree action : audit.objects("actions")) {
            int target = place(action, "target", targets.size());
            int set = place(action, "set", sets.size());
            JsonTree verdict = verdicts.get(List.of(set, target));
            if (verdict != null && verdict.constant("state", NodeState.values()).isRefusal()) {
                String kernel = sets.get(set).require("kernel");
                for (JsonTree module : verdict.objects("modules")) {
                    String name = module.require("module");
                    addRefused(targets.get(target), kernel, name, outcome(module), nodes(action));
                }
            }
        }
    }

    private static Outcome outcome(JsonTree module) throws UnreadableException {
        String name = module.require("outcome");
        for (Outcome outcome : Outcome.values()) {
            if (outcome.name().equals(name)) {
                return outcome;
            }
        }
        throw new UnreadableException("there is no outcome '" + name + "'");
    }

    private static int place(JsonTree item, String key, int size) throws UnreadableException {
        int place = item.number(key);
        if (place >= size) {
            throw new UnreadableException("there is no " + key + " '" + place + "'");
        }
        return place;
    }

    private static Nodes nodes(JsonTree item) throws UnreadableException {
        try {
            return Nodes.parse(item.require("nodes"));
        } catch (UnreadableException e) {
            throw new UnreadableException("'nodes' is not a set of nodes: " + e.reason());
        }
    }

    private void add(AuditReport audit) {
        for (Target target : audit.targets()) {
            addTarget(target.label(), target.release());
        }
        for (Group group : audit.groups()) {
            for (Defect defect : group.defects()) {
                addToday("", group.kernel(), defect, group.nodes());
            }
        }
        for (NodeDefect one : audit.nodeFailures()) {
            boolean library = one.kernel().isEmpty();
            String where = library ? LIBRARIES : one.kernel();
            addToday(library ? LIBRARIES : "", where, one.defect(), one.nodes());
        }
        for (Action action : audit.actions()) {
            SetVerdict verdict = audit.verdict(action.set(), action.target());
            if (verdict != null && verdict.state().isRefusal()) {
                String kernel = audit.sets().get(action.set()).kernel();
                for (ModuleVerdict one : verdict.modules()) {
                    String target = targets.get(action.target());
                    addRefused(target, kernel, one.module(), one.outcome(), action.nodes());
                }
            }
        }
    }

    /** A file may lie somewhere else today. */
    private void addTarget(String label, @Nullable String release) {
        targets.add(release == null ? label : release);
    }

    private void addToday(String target, String where, Defect defect, Nodes nodes) {
        add(target, where + ": " + defect.subject() + ": " + defect.kind().meaning(), nodes);
    }

    private void addRefused(String target, String kernel, String module, Outcome outcome, Nodes nodes) {
        String name = module + " of " + kernel;
        if (outcome == Outcome.INCOMPATIBLE) {
            add(target, target + " refuses " + name, nodes);
        } else if (outcome == Outcome.COMPATIBLE) {
            add(target, name + " keeps modules of " + target + " from loading", nodes);
        }
    }

    private void add(String target, String what, Nodes nodes) {
        wrong.computeIfAbsent(new Wrong(target, what), key -> new HashSet<>()).add(nodes);
    }

    /** An audit with what is new and fixed in it since this earlier one. */
    public AuditReport compare(AuditReport audit) {
        Baseline now = new Baseline();
        now.add(audit);
        Set<String> common = new HashSet<>(targets);
        common.retainAll(new HashSet<>(now.targets));
        Set<String> askedOnce = new HashSet<>(targets);
        askedOnce.addAll(now.targets);
        askedOnce.removeAll(common);
        Set<Wrong> all = new TreeSet<>(wrong.keySet());
        all.addAll(now.wrong.keySet());
        all.removeIf(one -> askedOnce.contains(one.target));
        List<Change> appeared = new ArrayList<>();
        List<Change> fixed = new ArrayList<>();
        int unchanged = 0;
        Set<String> there = there(audit);
        for (Wrong one : all) {
            Set<Nodes> then = wrong.getOrDefault(one, Set.of());
            Set<Nodes> today = now.wrong.getOrDefault(one, Set.of());
            if (then.equals(today)) {
                unchanged++;
                continue;
            }
            Set<String> fresh = names(today);
            Set<String> right = names(then);
            boolean stays = fresh.stream().anyMatch(right::contains);
            unchanged += stays ? 1 : 0;
            fresh.removeAll(names(then));
            right.removeAll(names(today));
            right.retainAll(there);
            right.removeAll(now.unknown(audit, one.target));
            add(one.what, fresh, appeared);
            add(one.what, right, fixed);
        }
        return audit.since(new Changes(appeared, fixed, unchanged));
    }

    private static Set<String> names(Set<Nodes> sets) {
        Set<String> names = new HashSet<>();
        sets.forEach(nodes -> names.addAll(nodes.names()));
        return names;
    }

    private static void add(String what, Set<String> nodes, List<Change> changes) {
        if (!nodes.isEmpty()) {
            changes.add(new Change(what, Nodes.of(nodes)));
        }
    }

    private static Set<String> there(AuditReport report) {
        Set<String> there = new HashSet<>();
        for (Group group : report.groups()) {
            there.addAll(group.nodes().names());
        }
        return there;
    }

    /** Of which nodes it is not known what a target would say, or whether libraries are right. */
    private Set<String> unknown(AuditReport report, String target) {
        Set<String> unknown = new HashSet<>();
        if (target.equals(LIBRARIES)) {
            unknown.addAll(there(report));
            unknown.removeAll(report.libraries().known().names());
        }
        for (KernelStates kernel : report.kernels()) {
            if (targets.get(kernel.target()).equals(target)) {
                unknown.addAll(kernel.in(NodeState.UNDETERMINED).names());
            }
        }
        return unknown;
    }
}
