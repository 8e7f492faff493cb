package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Gate;
import dev.weaklink.check.report.CheckJson;
import dev.weaklink.check.report.CheckTable;
import dev.weaklink.check.report.GateText;
import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.report.ModuleForms;
import dev.weaklink.check.report.ModuleResults;
import dev.weaklink.check.report.PreflightJson;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.links.ProductLabels;
import dev.weaklink.links.RemovedLinks;
import dev.weaklink.rebuild.report.TrialLines;
import dev.weaklink.rebuild.run.InstallationFailure;
import dev.weaklink.rebuild.run.RebuildSources;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ParseResult;

/**
 * {@code weaklink check} without modules: checks whether the newest or the requested kernels are safe for the modules
 * in use.
 */
final class InUseCheck implements Command {
    private final CauseSource causes;

    InUseCheck(CauseSource causes) {
        this.causes = causes;
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
        CheckRequest request = KernelOption.request(parsed, console, causes);
        List<InputProblem> unread = new ArrayList<>();
        GateReport report = Gate.judge(request, RemovedLinks.of(Root.of(request.root()), unread));
        console.report(unread);
        console.report(report.problems());
        boolean units = Options.isSet(parsed, CheckCommand.UNITS);
        // For a hook, a package without a kernel, such as a metapackage, is not a failure.
        boolean nothing = units && report.answers().isEmpty() && !InputProblem.matter(report.problems());
        int status = (nothing ? ExitCode.COMPATIBLE : report.exitCode()).number();
        status = form.write(
                out -> {
                    if (units) {
                        out.write(units(report, request, console).getBytes(StandardCharsets.UTF_8));
                    } else {
                        write(report, form.format(), options, request, out);
                    }
                },
                console,
                status);
        request.reading().cache().save();
        return status;
    }

    static Map<String, InstallationAdvice> advice(GateReport report, Root root) {
        Map<String, InstallationAdvice> advice = new HashMap<>();
        for (GateAnswer answer : report.answers()) {
            String release = answer.target().release();
            if (release != null && answer.word() == GateAnswer.Word.NO) {
                advice.put(release, InstallationFailure.advice(release, root));
            }
        }
        return advice;
    }

    private static String units(GateReport report, CheckRequest request, Console console) throws IOException {
        List<InputProblem> problems = new ArrayList<>();
        Root root = Root.of(request.root());
        ProductLabels products = ProductLabels.find(root, problems);
        problems.removeAll(report.problems());
        console.report(problems);
        return GateText.units(
                        report,
                        products.labels(),
                        products.autoinstalled(),
                        RebuildSources.unknown(report, request, products.labels(), root),
                        root)
                + TrialLines.of(report, root);
    }

    private static void write(
            GateReport report, Format format, TableOptions options, CheckRequest request, OutputStream out)
            throws IOException {
        switch (format) {
            case TABLE -> {
                String table = options.verbose() ? new CheckTable(options).render(report.check()) : "";
                String gap = table.isEmpty() ? "" : "\n";
                Root root = Root.of(request.root());
                // The last line is the conclusion, for scripts.
                String lines =
                        TrialLines.of(report, root) + GateText.lines(report, options, advice(report, root), root);
                out.write((table + gap + lines).getBytes(StandardCharsets.UTF_8));
            }
            case JSON -> CheckJson.writeDocument(report.check(), report, out);
            case NDJSON ->
                CheckJson.writeLines(
                        report.check(), report, out, request.reading().threads());
            case PREFLIGHT -> PreflightJson.write(report.check(), out);
            default -> ModuleForms.write(format, ModuleResults.of(report, Root.of(request.root())), out);
        }
    }
}
