package dev.weaklink.fleet.report;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.DefectChange;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.NodeAction;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.intake.NodeInventory.Module;
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
 * The defects and refusals of an earlier audit with their nodes, for comparison with a later audit. Refusals are
 * compared only for targets of both audits. A defect of a node counts as fixed only if the later audit checked the node
 * and did not find the defect.
 */
public final class Baseline {
    /** The name in place of a kernel for defects of libraries. A kernel release contains no blank. */
    private static final String LIBRARIES = "RDMA libraries";

    private final List<String> targets = new ArrayList<>();

    private final SortedMap<Wrong, Set<Nodes>> wrong = new TreeMap<>();

    private Baseline() {}

    private final Map<Wrong, Set<String>> layers = new HashMap<>();

    private final Map<List<String>, Set<Nodes>> undetermined = new HashMap<>();

    private final Set<Nodes> all = new HashSet<>();

    /**
     * A defect or refusal.
     *
     * @param target the target of a refusal; empty for a defect of modules; {@link #LIBRARIES} for a defect of
     *     libraries
     * @param kind the kind of a current defect; null for a refusal
     * @param subject the module that is refused or keeps others from loading, or the subject of the defect
     */
    private record Wrong(
            String target, String what, @Nullable DefectKind kind, String subject) implements Comparable<Wrong> {
        @Override
        public int compareTo(Wrong other) {
            int order = target.compareTo(other.target);
            return order != 0 ? order : what.compareTo(other.what);
        }
    }

    public static Baseline read(InputStream in) throws IOException {
        JsonTree json = JsonTree.read(in);
        if (!json.hasText("schema") || !AuditJson.DOCUMENT.equals(json.text("schema"))) {
            throw new UnreadableException(
                    "not an audit: expected schema " + AuditJson.DOCUMENT + ", from 'weaklink audit --format json'");
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
            all.add(nodes(group));
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
                DefectKind kind = problem.constant("id", UserspaceFinding.LibraryDefect.values());
                if (kind.isFailure()) {
                    addToday(LIBRARIES, LIBRARIES, kind, problem, problem);
                }
            }
        }
        addActions(audit);
    }

    private static DefectKind kind(JsonTree defect) throws UnreadableException {
        return defect.constant("kind", Defect.ModuleDefectKind.values());
    }

    private void addToday(String target, String where, DefectKind kind, JsonTree defect, JsonTree nodes)
            throws UnreadableException {
        addToday(target, where, kind, defect.require("subject"), nodes(nodes));
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
                    JsonTree first =
                            module.objects("findings").stream().findFirst().orElse(null);
                    String layer = first == null ? null : first.text("layer");
                    addRefused(targets.get(target), kernel, name, outcome(module), layer, nodes(action));
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
            throw new UnreadableException("'nodes' is not a valid node set: " + e.reason());
        }
    }

    private void add(AuditReport audit) {
        for (Target target : audit.targets()) {
            addTarget(target.label(), target.release());
        }
        for (AuditedGroup group : audit.groups()) {
            all.add(group.nodes());
            for (Defect defect : group.defects()) {
                addToday("", group.kernel(), defect.kind(), defect.subject(), group.nodes());
            }
        }
        for (NodeDefect one : audit.nodeFailures()) {
            boolean library = one.kernel().isEmpty();
            String where = library ? LIBRARIES : one.kernel();
            Defect defect = one.defect();
            addToday(library ? LIBRARIES : "", where, defect.kind(), defect.subject(), one.nodes());
        }
        for (NodeAction action : audit.actions()) {
            SetVerdict verdict = audit.verdict(action.set(), action.target());
            String target = targets.get(action.target());
            String kernel = audit.sets().get(action.set()).kernel();
            for (ModuleVerdict one : verdict == null ? List.<ModuleVerdict>of() : verdict.modules()) {
                String layer =
                        one.findings().isEmpty() ? null : one.findings().get(0).layer();
                addRefused(target, kernel, one.module(), one.outcome(), layer, action.nodes());
                if (one.outcome() == Outcome.UNDETERMINED) {
                    undetermined
                            .computeIfAbsent(List.of(target, one.module()), key -> new HashSet<>())
                            .add(action.nodes());
                }
            }
        }
    }

    /** Adds a target by its release, if known, because its file may have another path in the later audit. */
    private void addTarget(String label, @Nullable String release) {
        targets.add(release == null ? label : release);
    }

    private void addToday(String target, String where, DefectKind kind, String subject, Nodes nodes) {
        add(new Wrong(target, where + ": " + subject + ": " + kind.meaning(), kind, subject), nodes);
    }

    private void addRefused(
            String target, String kernel, String module, Outcome outcome, @Nullable String layer, Nodes nodes) {
        String name = module + " of " + kernel;
        if (outcome == Outcome.UNDETERMINED) {
            return;
        }
        String what = outcome == Outcome.INCOMPATIBLE
                ? target + " refuses " + name
                : name + " keeps modules of " + target + " from loading";
        Wrong refusal = new Wrong(target, what, null, module);
        add(refusal, nodes);
        if (layer != null) {
            layers.computeIfAbsent(refusal, key -> new HashSet<>()).add(layer);
        }
    }

    private void add(Wrong what, Nodes nodes) {
        wrong.computeIfAbsent(what, key -> new HashSet<>()).add(nodes);
    }

    public AuditReport compare(AuditReport audit) {
        Baseline now = new Baseline();
        now.add(audit);
        Set<String> common = new HashSet<>(targets);
        common.retainAll(new HashSet<>(now.targets));
        Set<String> askedOnce = new HashSet<>(targets);
        askedOnce.addAll(now.targets);
        askedOnce.removeAll(common);
        Set<Wrong> wrongs = new TreeSet<>(wrong.keySet());
        wrongs.addAll(now.wrong.keySet());
        wrongs.removeIf(one -> askedOnce.contains(one.target));
        List<DefectChange> appeared = new ArrayList<>();
        List<DefectChange> fixed = new ArrayList<>();
        int unchanged = 0;
        Set<String> there = names(now.all);
        Set<String> unknown = new HashSet<>();
        for (Wrong one : wrongs) {
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
            Set<String> lost = now.unknown(audit, one, layers.getOrDefault(one, Set.of()));
            lost.retainAll(right);
            right.removeAll(lost);
            unknown.addAll(lost);
            add(one.what, fresh, appeared);
            add(one.what, right, fixed);
        }
        Set<String> vanished = names(all);
        vanished.removeAll(there);
        return audit.since(new Changes(appeared, fixed, unchanged, Nodes.of(unknown), Nodes.of(vanished)));
    }

    private static Set<String> names(Set<Nodes> sets) {
        Set<String> names = new HashSet<>();
        sets.forEach(nodes -> names.addAll(nodes.names()));
        return names;
    }

    private static void add(String what, Set<String> nodes, List<DefectChange> changes) {
        if (!nodes.isEmpty()) {
            changes.add(new DefectChange(what, Nodes.of(nodes)));
        }
    }

    /**
     * Returns the nodes for which the later audit cannot tell whether a defect or refusal is fixed.
     *
     * @param refusedBy the ids of the loader's checks that led to the earlier refusals
     */
    private Set<String> unknown(AuditReport report, Wrong wrong, Set<String> refusedBy) {
        Set<String> unknown = new HashSet<>(report.incomplete().names());
        if (wrong.target.equals(LIBRARIES)) {
            unknown.addAll(names(all));
            unknown.removeAll(report.libraries().known().names());
        } else if (wrong.kind != null) {
            for (AuditedGroup group : report.groups()) {
                if (lacksEvidence(wrong, report.sets().get(group.set()).modules())) {
                    unknown.addAll(group.nodes().names());
                }
            }
        } else {
            unknown.addAll(names(undetermined.getOrDefault(List.of(wrong.target, wrong.subject), Set.of())));
            for (Target target : report.targets()) {
                boolean isAsked = targets.get(target.id()).equals(wrong.target);
                if (isAsked && target.unchecked().stream().anyMatch(refusedBy::contains)) {
                    unknown.addAll(names(all));
                }
            }
        }
        return unknown;
    }

    private static boolean lacksEvidence(Wrong defect, List<Module> modules) {
        for (Module module : modules) {
            boolean isIt = module.name().equals(defect.subject);
            if (isIt && defect.kind == Defect.ModuleDefectKind.NOT_USED && module.used() == null
                    || isIt && defect.kind == Defect.ModuleDefectKind.LOADED_DIFFERS && module.srcversion() == null
                    || isIt && defect.kind == Defect.ModuleDefectKind.INBOX_LOADED && module.srcversion() == null
                    || isIt && defect.kind == Defect.ModuleDefectKind.OUT_OF_STEP && module.version() == null
                    || defect.kind == Defect.ModuleDefectKind.HALF_UPDATED && module.vermagic() == null) {
                return true;
            }
        }
        return false;
    }
}
