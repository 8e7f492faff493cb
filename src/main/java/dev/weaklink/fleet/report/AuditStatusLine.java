package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes an audit as one line for monitoring, according to the Monitoring Plugins' development guidelines: a status, a
 * summary, and performance data after a bar.
 */
public final class AuditStatusLine {
    public enum Status {
        /** The status if neither CRITICAL, WARNING nor UNKNOWN applies. */
        OK(0),
        /** A node is REBUILD or BLOCKED on a target, and CRITICAL does not apply. */
        WARNING(1),
        /** A node has a defect now. A warning about RDMA libraries does not count. */
        CRITICAL(2),
        /**
         * The audit has no nodes, or some fact could not be checked. CRITICAL and WARNING take precedence over
         * unchecked facts.
         */
        UNKNOWN(3);

        private final int number;

        Status(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }
    }

    private AuditStatusLine() {}

    public static Status status(AuditReport report) {
        if (report.nodes() == 0) {
            return Status.UNKNOWN;
        }
        if (report.hasDefects()) {
            return Status.CRITICAL;
        }
        if (report.hasRefusals()) {
            return Status.WARNING;
        }
        return report.hasUnknown() ? Status.UNKNOWN : Status.OK;
    }

    public static String line(AuditReport report) {
        return "WEAKLINK "
                + status(report)
                + " - "
                + String.join(", ", words(report))
                + " | "
                + String.join(" ", values(report))
                + "\n";
    }

    private static List<String> words(AuditReport report) {
        List<String> words = new ArrayList<>();
        words.add(report.nodes() == 0 ? "no nodes" : Numbers.of(report.nodes(), "node"));
        int defects = defects(report);
        if (defects > 0) {
            words.add(Numbers.of(defects, "thing") + " wrong today");
        }
        if (!report.kernels().isEmpty()) {
            words.add(kernels(report));
        }
        if (!report.incomplete().isEmpty()) {
            words.add(Numbers.of(report.incomplete().count(), "node") + " read in part");
        }
        if (!report.missing().isEmpty()) {
            words.add(Numbers.of(report.missingNodes(), "node") + " did not answer");
        }
        if (report.problems() > 0) {
            words.add(AuditNames.leftAside(report.problems()));
        }
        return words;
    }

    private static String kernels(AuditReport report) {
        int all = 0;
        String newest = "";
        for (KernelStates kernel : report.kernels()) {
            if (kernel.loadsAll()) {
                String label = report.targets().get(kernel.target()).label();
                newest = all == 0 ? " (newest: " + harmless(label) + ")" : newest;
                all++;
            }
        }
        String kernels = Numbers.of(report.kernels().size(), "kernel");
        return all + " of " + kernels + " load all modules" + newest;
    }

    /** Escapes text that must not contain a bar, because a bar ends the summary. */
    private static String harmless(String text) {
        return Escape.text(text).replace("|", "\\x7c");
    }

    private static int defects(AuditReport report) {
        int defects = report.nodeFailures().size();
        for (AuditedGroup group : report.groups()) {
            defects += group.defects().size();
        }
        return defects;
    }

    private static List<String> values(AuditReport report) {
        int refusing = 0;
        int undetermined = 0;
        for (KernelStates kernel : report.kernels()) {
            refusing += kernel.refused().isEmpty() ? 0 : 1;
            undetermined += kernel.count(NodeState.UNDETERMINED) == 0 ? 0 : 1;
        }
        return List.of(
                "nodes=" + report.nodes(),
                "wrong=" + defects(report) + ";;0",
                "refusing_kernels=" + refusing + ";0",
                "undetermined_kernels=" + undetermined,
                "incomplete=" + report.incomplete().count(),
                "missing=" + report.missingNodes(),
                "input_problems=" + report.problems());
    }
}
