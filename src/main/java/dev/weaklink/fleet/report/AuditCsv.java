package dev.weaklink.fleet.report;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.fleet.AuditReport.SilentNodes;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.report.Csv;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/**
 * Writes an audit as a table for spreadsheets (RFC 4180), with a row for each verdict, note, current defect, and reason
 * for missing data.
 */
final class AuditCsv {
    private static final List<String> HEADINGS = List.of(
            "record", "kernel", "product", "set", "target", "state", "subject", "reason", "count", "nodes", "cause");

    private final AuditReport report;
    private final AuditNames names;
    private final Csv csv;

    private AuditCsv(AuditReport report, OutputStream out) {
        this.report = report;
        this.names = new AuditNames(report);
        this.csv = new Csv(out);
    }

    public static void write(AuditReport report, OutputStream out) throws IOException {
        new AuditCsv(report, out).write();
    }

    private void write() throws IOException {
        csv.row(HEADINGS);
        for (SetVerdict verdict : report.verdicts()) {
            verdict(verdict);
        }
        for (Target target : report.targets()) {
            for (String note : target.notes()) {
                row("note", Nodes.NONE, object("target", names.kernel(target.id()), "reason", note));
            }
        }
        for (AuditedGroup group : report.groups()) {
            for (Defect defect : group.defects()) {
                Map<String, Object> values = values(group.kernel(), defect);
                values.put("product", names.title(group.set()));
                values.put("set", names.digest(group.set()));
                row("defect", group.nodes(), values);
            }
        }
        for (NodeDefect one : report.nodeDefects()) {
            boolean library = one.kernel().isEmpty();
            row(library ? "userspace" : "running", one.nodes(), values(one.kernel(), one.defect()));
        }
        for (SilentNodes missing : report.missing()) {
            row("missing", missing.nodes(), object("reason", missing.reason()));
        }
        if (!report.incomplete().isEmpty()) {
            row("incomplete", report.incomplete(), object("reason", "could not read everything"));
        }
    }

    private void verdict(SetVerdict verdict) throws IOException {
        int set = verdict.set();
        csv.row(
                HEADINGS,
                object(
                        "record", "verdict",
                        "kernel", names.set(set).kernel(),
                        "product", names.title(set),
                        "set", names.digest(set),
                        "target", names.kernel(verdict.target()),
                        "state", verdict.state().id(),
                        "reason", verdict.reason(),
                        "count", names.count(set),
                        "nodes", names.nodes(set),
                        "cause", AuditNames.causes(verdict.causes())));
    }

    private static Map<String, Object> values(String kernel, Defect defect) {
        String packages = defect.packages().isEmpty() ? "" : " (" + defect.packages() + ")";
        return object(
                "kernel",
                kernel,
                "state",
                defect.kind().id(),
                "subject",
                defect.subject(),
                "reason",
                defect.detail() + packages);
    }

    private void row(String record, Nodes nodes, Map<String, Object> values) throws IOException {
        values.put("record", record);
        values.put("count", nodes.count());
        values.put("nodes", nodes.folded());
        csv.row(HEADINGS, values);
    }
}
