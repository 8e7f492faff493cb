package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.report.TextStream;
import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes an audit in Prometheus' text format, for the textfile collector of the node exporter. Metrics are counts and
 * do not name nodes. Series are sorted and have no time stamps.
 */
final class AuditMetrics {
    private static final String PREFIX = "weaklink_audit_";

    private final AuditReport report;
    private final AuditNames names;
    private final TextStream out;

    private AuditMetrics(AuditReport report, OutputStream out) {
        this.report = report;
        this.names = new AuditNames(report);
        this.out = new TextStream(out);
    }

    public static void write(AuditReport report, OutputStream out) throws IOException {
        new AuditMetrics(report, out).write();
    }

    private void write() throws IOException {
        single("nodes", "Nodes that were audited.", report.nodes());
        single(
                "incomplete_nodes",
                "Nodes that could not read everything.",
                report.incomplete().count());
        single("missing_nodes", "Nodes that did not answer.", report.missingNodes());
        single("input_problems", "Pieces of input that were skipped.", report.problems());
        series("kernel_nodes", "Nodes by their state for a kernel.", nodeStates());
        series("module_sets", "Sets of modules by their state for a kernel.", states());
        Map<String, Long> causes = causes();
        if (!causes.isEmpty()) {
            series("cause_sets", "Sets of modules that a kernel refuses because a type changed.", causes);
        }
        series("defect_nodes", "Nodes on which something is wrong today.", defects());
        if (!report.libraries().checked().isEmpty()) {
            int checked = report.libraries().checked().count();
            single("userspace_checked_nodes", "Nodes whose RDMA libraries were checked.", checked);
        }
        series("userspace_nodes", "Nodes with something wrong with their RDMA libraries.", libraries());
    }

    private Map<String, Long> nodeStates() {
        Map<String, Long> series = new TreeMap<>();
        for (KernelStates kernel : report.kernels()) {
            String name = names.kernel(kernel.target());
            for (NodeState state : NodeState.values()) {
                add(series, labels("kernel", name, "state", state.id()), kernel.count(state));
            }
        }
        return series;
    }

    private Map<String, Long> states() {
        Map<String, Long> series = new TreeMap<>();
        for (SetVerdict verdict : report.verdicts()) {
            String name = names.kernel(verdict.target());
            add(series, labels("kernel", name, "state", verdict.state().id()), 1);
        }
        return series;
    }

    private Map<String, Long> causes() {
        Map<String, Long> series = new TreeMap<>();
        for (AuditedCause.Share share : AuditedCause.shares(report)) {
            String cause = Escape.text(share.cause().summary());
            add(series, labels("cause", cause, "kernel", names.kernel(share.target())), share.sets());
        }
        return series;
    }

    /**
     * Returns the series of defects. A node counts once for each kind, module and kernel, even if several files have
     * the defect.
     */
    private Map<String, Long> defects() {
        Map<String, Long> series = new TreeMap<>();
        for (AuditedGroup group : report.groups()) {
            Set<String> seen = new HashSet<>();
            for (Defect defect : group.defects()) {
                String labels = labels(group.kernel(), defect);
                if (seen.add(labels)) {
                    add(series, labels, group.nodes().count());
                }
            }
        }
        for (NodeDefect one : report.running()) {
            add(series, labels(one.kernel(), one.defect()), one.nodes().count());
        }
        return series;
    }

    private Map<String, Long> libraries() {
        Map<String, Long> series = new TreeMap<>();
        for (NodeDefect one : report.libraries().problems()) {
            Defect defect = one.defect();
            String severity = defect.kind().isFailure() ? "failure" : "warning";
            String subject = Escape.text(defect.subject());
            String labels = labels("id", defect.kind().id(), "severity", severity, "subject", subject);
            add(series, labels, one.nodes().count());
        }
        return series;
    }

    private static String labels(String kernel, Defect defect) {
        return labels(
                "kernel", Escape.text(kernel), "kind", defect.kind().id(), "module", Escape.text(defect.subject()));
    }

    private static void add(Map<String, Long> series, String labels, long value) {
        series.merge(labels, value, Long::sum);
    }

    private static String labels(String... namesAndValues) {
        StringBuilder labels = new StringBuilder("{");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            labels.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
            labels.append(value(namesAndValues[i + 1])).append('"');
        }
        return labels.append('}').toString();
    }

    /**
     * Escapes backslashes and double quotes in a label's value. The value must not contain line breaks, which are not
     * escaped.
     */
    private static String value(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private void single(String name, String help, long value) throws IOException {
        head(name, help);
        out.add(PREFIX).add(name).add(" ").add(value).add("\n");
    }

    private void series(String name, String help, Map<String, Long> series) throws IOException {
        if (series.isEmpty()) {
            return;
        }
        head(name, help);
        for (Map.Entry<String, Long> one : series.entrySet()) {
            out.add(PREFIX)
                    .add(name)
                    .add(one.getKey())
                    .add(" ")
                    .add(one.getValue())
                    .add("\n");
        }
    }

    private void head(String name, String help) throws IOException {
        out.add("# HELP ").add(PREFIX).add(name).add(" ").add(help).add("\n");
        out.add("# TYPE ").add(PREFIX).add(name).add(" gauge\n");
    }
}
