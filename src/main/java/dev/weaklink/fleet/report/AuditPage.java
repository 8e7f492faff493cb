package dev.weaklink.fleet.report;

import static dev.weaklink.report.ScriptedPage.html;

import dev.weaklink.fleet.Advice;
import dev.weaklink.fleet.Advice.AdvisedKernel;
import dev.weaklink.fleet.Advice.AdvisedStep;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.report.ScriptedPage;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes an audit as one HTML page. The numbers of nodes, module sets and kernels, the best kernel and the first step
 * for it are plain HTML, readable before any script has run.
 */
final class AuditPage {
    private static final String PLACE = "/audit-page/";
    private static final List<String> SCRIPTS = Stream.of(
                    "dom", "data", "nodes", "model", "pager", "matrix", "detail", "sections", "main")
            .map(name -> PLACE + name + ".js")
            .toList();

    private final AuditReport report;
    private final Advice advice;
    private final AuditNames names;

    private AuditPage(AuditReport report) {
        this.report = report;
        this.advice = Advice.of(report);
        this.names = new AuditNames(report);
    }

    static void write(AuditReport report, OutputStream out) throws IOException {
        AuditPage page = new AuditPage(report);
        ScriptedPage.write(
                PLACE + "page.html",
                List.of(PLACE + "page.css"),
                SCRIPTS,
                Map.of("extent", page.extent(), "answer", page.answer()),
                packed -> AuditJson.writePageData(report, packed),
                out);
    }

    private String extent() {
        return Stream.of(
                        Numbers.of(report.nodes(), "node"),
                        Numbers.of(report.sets().size(), "module set"),
                        Numbers.of(report.targets().size(), "kernel"))
                .collect(Collectors.joining(" · "));
    }

    private String answer() {
        AdvisedKernel best = advice.best();
        if (best == null || report.nodes() == 0) {
            return "";
        }
        String words = html(String.join(", ", AuditTable.words(best)));
        AdvisedStep first = first(best);
        return "<div class=\"notice\" id=\"best\">\n<p><strong>Best kernel: <code class=\"release\">"
                + html(names.kernel(best.target())) + "</code></strong>: " + words + "</p>\n"
                + (first == null ? "" : step(first)) + "</div>";
    }

    private @Nullable AdvisedStep first(AdvisedKernel best) {
        List<AdvisedStep> steps = advice.of(best.target());
        return steps.stream()
                .filter(step -> step.command() != null)
                .findFirst()
                .orElse(steps.isEmpty() ? null : steps.get(0));
    }

    private static String step(AdvisedStep step) {
        String onNodes = step.onNodes();
        String command = onNodes == null ? step.command() : onNodes;
        if (step.state() == NodeState.INSTALL) {
            return "<p>First, install the kernel on " + Numbers.of(step.nodes().count(), "node")
                    + "; then <code>weaklink apply</code> on these nodes links the modules.</p>\n";
        }
        String head = "<p>First, for " + html(step.product()) + " on "
                + Numbers.of(step.nodes().count(), "node") + ": ";
        if (command == null) {
            return head + step.state().id() + " (" + html(step.reason()) + ")</p>\n";
        }
        return head + "</p>\n<div class=\"copyable\"><code class=\"command\">" + html(command) + "</code></div>\n";
    }
}
