package dev.weaklink.fleet.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.fleet.Advice;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedFinding;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.DefectChange;
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
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.format.json.JsonOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes an audit as JSON: one document, or one object on each line. The keys and their order are a contract. */
final class AuditJson {
    static final String DOCUMENT = "weaklink.audit/1";
    static final String LINE = "weaklink.audit-part/1";
    private static final int DIGEST_DIGITS = 16;

    private AuditJson() {}

    public static void writeDocument(AuditReport report, OutputStream out) throws IOException {
        Map<String, Object> document = object("schema", DOCUMENT, "nodes", report.nodes());
        document.putAll(parts(report));
        document.putAll(rest(report));
        JsonOutput.writeLine(document, out);
    }

    /**
     * Writes a smaller document for the HTML page. Sets contain indexes into a list of all modules, and the digests of
     * module files are shortened. Actions lack nodes, because groups and kernels list them.
     */
    static void writePageData(AuditReport report, OutputStream out) throws IOException {
        Map<Map<String, Object>, Integer> modules = new LinkedHashMap<>();
        for (AuditedSet set : report.sets()) {
            set.modules().forEach(module -> modules.putIfAbsent(pageModule(module), modules.size()));
        }
        Map<String, Object> document = object("schema", DOCUMENT, "nodes", report.nodes());
        document.putAll(parts(report));
        document.putAll(rest(report));
        document.put("modules", List.copyOf(modules.keySet()));
        document.put("sets", each(report.sets(), set -> {
            Map<String, Object> json = set(set);
            json.put("modules", list(set.modules(), module -> modules.getOrDefault(pageModule(module), 0)));
            return json;
        }));
        document.put("actions", each(report.actions(), action -> {
            Map<String, Object> json = action(action);
            json.remove("nodes");
            return json;
        }));
        JsonOutput.writeLine(document, out);
    }

    private static Map<String, Object> pageModule(Module module) {
        Map<String, Object> json = module(module);
        json.computeIfPresent("file", (key, digest) -> shortened(String.valueOf(digest)));
        return json;
    }

    private static String shortened(String digest) {
        int start = digest.indexOf(':') + 1;
        return digest.substring(start, Math.min(digest.length(), start + DIGEST_DIGITS));
    }

    public static void writeLines(AuditReport report, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonOutput.open(out)) {
            for (Map.Entry<String, Object> part : parts(report).entrySet()) {
                String key = part.getKey();
                boolean isList = part.getValue() instanceof List;
                String one = isList && key.endsWith("s") ? key.substring(0, key.length() - 1) : key;
                for (Object item : isList ? (List<?>) part.getValue() : List.of(part.getValue())) {
                    line(one, item, json);
                }
            }
            line("summary", summary(report), json);
        }
    }

    private static void line(String key, Object value, JsonGenerator json) throws IOException {
        JsonOutput.write(json, object("schema", LINE, key, value));
        json.writeRaw('\n');
    }

    private static Map<String, Object> parts(AuditReport report) {
        RdmaLibraries libraries = report.libraries();
        Advice advice = Advice.of(report);
        return object(
                "targets", each(report.targets(), AuditJson::target),
                "sets", each(report.sets(), AuditJson::set),
                "groups", each(report.groups(), AuditJson::group),
                "running", each(report.running(), AuditJson::running),
                "userspace", libraries.known().isEmpty() ? null : libraries(libraries),
                "verdicts", each(report.verdicts(), AuditJson::verdict),
                "kernels", each(report.kernels(), AuditJson::kernel),
                "actions", each(report.actions(), AuditJson::action),
                "advice", advice.best() == null ? null : advice(advice),
                "steps", each(advice.steps(), AuditJson::step),
                "causes", each(AuditedCause.shares(report), AuditJson::share),
                "missing", each(report.missing(), AuditJson::missing));
    }

    private static <T> List<Object> each(List<T> items, Function<T, Object> value) {
        return new AbstractList<>() {
            @Override
            public Object get(int place) {
                return value.apply(items.get(place));
            }

            @Override
            public int size() {
                return items.size();
            }
        };
    }

    private static Object target(Target target) {
        return object(
                "id", target.id(),
                "label", target.label(),
                "release", target.release(),
                "vermagic", target.vermagic(),
                "source", target.source(),
                "unchecked", target.unchecked(),
                "notes", target.notes().isEmpty() ? null : target.notes());
    }

    private static Map<String, Object> set(AuditedSet set) {
        NodePolicy policy = set.policy();
        return object(
                "id", set.id(),
                "digest", set.digest(),
                "kernel", set.kernel(),
                "product", set.product(),
                "policy", policy == null ? null : policy.id(),
                "modules", list(set.modules(), AuditJson::module),
                "oldest", set.oldest(),
                "newest", set.newest());
    }

    private static Map<String, Object> module(Module module) {
        return object(
                "name", module.name(),
                "path", module.path(),
                "file", module.digest(),
                "version", module.version(),
                "srcversion", module.srcversion(),
                "vermagic", module.vermagic());
    }

    private static Object group(AuditedGroup group) {
        return object(
                "set", group.set(),
                "kernel", group.kernel(),
                "nodes", group.nodes().folded(),
                "count", group.nodes().count(),
                "running", group.running(),
                "defects", list(group.defects(), AuditJson::defect));
    }

    private static Object running(NodeDefect running) {
        Map<String, Object> json = object("kernel", running.kernel());
        json.putAll(defect(running.defect()));
        json.put("nodes", running.nodes().folded());
        json.put("count", running.nodes().count());
        return json;
    }

    private static Object libraries(RdmaLibraries libraries) {
        return object(
                "checked", libraries.checked().folded(),
                "checkedCount", libraries.checked().count(),
                "without", libraries.without().folded(),
                "withoutCount", libraries.without().count(),
                "findings", list(libraries.problems(), AuditJson::libraryProblem));
    }

    private static Object libraryProblem(NodeDefect problem) {
        Defect defect = problem.defect();
        return object(
                "id", defect.kind().id(),
                "severity", defect.kind().isFailure() ? "failure" : "warning",
                "meaning", defect.kind().meaning(),
                "subject", defect.subject(),
                "detail", defect.detail(),
                "packages", defect.packages().isEmpty() ? null : defect.packages(),
                "remedy", defect.kind().remedy(),
                "nodes", problem.nodes().folded(),
                "count", problem.nodes().count());
    }

    private static Map<String, Object> defect(Defect defect) {
        return object(
                "kind", defect.kind().id(),
                "meaning", defect.kind().meaning(),
                "subject", defect.subject(),
                "detail", defect.detail());
    }

    private static Object verdict(SetVerdict verdict) {
        return object(
                "set", verdict.set(),
                "target", verdict.target(),
                "state", verdict.state().id(),
                "reason", verdict.reason(),
                "loads", verdict.answer().loads(),
                "fails", verdict.answer().fails(),
                "undetermined", verdict.answer().undetermined(),
                "breaks",
                        verdict.answer().breaks() == 0 ? null : verdict.answer().breaks(),
                "modules", list(verdict.modules(), AuditJson::moduleVerdict),
                "causes", causes(verdict.causes()));
    }

    private static Object moduleVerdict(ModuleVerdict module) {
        return object(
                "module", module.module(),
                "outcome", module.outcome().name(),
                "errno", module.errno(),
                "findings", list(module.findings(), AuditJson::finding),
                "more", module.more() > 0 ? module.more() : null);
    }

    private static Object finding(AuditedFinding finding) {
        return object(
                "layer", finding.layer(),
                "id", finding.id(),
                "symbol", finding.symbol(),
                "wanted", finding.wanted(),
                "offered", finding.offered(),
                "message", finding.message(),
                "cause", finding.cause() == null ? null : cause(finding.cause()));
    }

    private static @Nullable Object causes(List<AuditedCause> causes) {
        return causes.isEmpty() ? null : list(causes, AuditJson::cause);
    }

    private static Map<String, Object> cause(AuditedCause cause) {
        return object(
                "kind", cause.kind(),
                "name", cause.name(),
                "change", cause.change(),
                "summary", cause.summary());
    }

    private static Object share(AuditedCause.Share share) {
        Map<String, Object> json = object("target", share.target());
        json.putAll(cause(share.cause()));
        json.put("sets", share.sets());
        json.put("of", share.of());
        return json;
    }

    private static Object kernel(KernelStates kernel) {
        Map<String, Object> json = object("target", kernel.target());
        for (NodeState state : NodeState.values()) {
            json.put(state.id(), nodes(kernel.in(state)));
        }
        json.put("canaries", kernel.canaries().folded());
        return json;
    }

    private static Map<String, Object> action(NodeAction action) {
        return object(
                "state", action.state().id(),
                "target", action.target(),
                "set", action.set(),
                "product", action.product(),
                "nodes", action.nodes().folded(),
                "count", action.nodes().count(),
                "command", action.command(),
                "builder", action.builder(),
                "tried", action.tried());
    }

    private static Object advice(Advice advice) {
        Advice.AdvisedKernel best = advice.best();
        Advice.AdvisedKernel all = advice.newestForAll();
        return object(
                "best", best == null ? null : choice(best),
                "newestForAll", all == null ? null : all.target());
    }

    private static Object choice(Advice.AdvisedKernel choice) {
        Map<String, Object> json = object("target", choice.target());
        for (NodeState state : NodeState.values()) {
            json.put(state.id(), choice.count(state));
        }
        json.put("rebuilds", choice.rebuilds().size());
        return json;
    }

    private static Object step(Advice.AdvisedStep step) {
        return object(
                "state", step.state().id(),
                "target", step.target(),
                "product", step.product(),
                "sets", step.sets(),
                "nodes", step.nodes().folded(),
                "count", step.nodes().count(),
                "servedAfter", step.served() == 0 ? null : step.served(),
                "command", step.command(),
                "builder", step.builder(),
                "tried", step.tried(),
                "reason", step.reason(),
                "causes", causes(step.causes()));
    }

    private static Object missing(SilentNodes missing) {
        Nodes nodes = missing.nodes();
        return object("reason", missing.reason(), "nodes", nodes.folded(), "count", nodes.count());
    }

    private static Object summary(AuditReport report) {
        Map<String, Object> json = object("nodes", report.nodes());
        json.putAll(rest(report));
        return json;
    }

    private static Map<String, Object> rest(AuditReport report) {
        Changes changes = report.changes();
        return object(
                "incomplete", nodes(report.incomplete()),
                "input", object("problems", report.problems()),
                "baseline", changes == null ? null : changes(changes));
    }

    private static Object changes(Changes changes) {
        return object(
                "new", list(changes.appeared(), AuditJson::change),
                "fixed", list(changes.fixed(), AuditJson::change),
                "unchanged", changes.unchanged(),
                "unknown", nodes(changes.unknown()),
                "vanished", nodes(changes.vanished()));
    }

    private static Object change(DefectChange change) {
        Nodes nodes = change.nodes();
        return object("what", change.what(), "nodes", nodes.folded(), "count", nodes.count());
    }

    private static Object nodes(Nodes nodes) {
        return object("nodes", nodes.folded(), "count", nodes.count());
    }
}
