package dev.weaklink.check.report;

import dev.weaklink.check.report.ModuleResults.KernelResults;
import dev.weaklink.check.report.ModuleResults.ModuleResult;
import dev.weaklink.check.report.ModuleResults.ResultState;
import dev.weaklink.check.report.SummaryFooter.Unchecked;
import dev.weaklink.check.result.ReasonGroup;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Csv;
import dev.weaklink.report.Format;
import dev.weaklink.report.Junit;
import dev.weaklink.report.Junit.Case;
import dev.weaklink.report.Markdown;
import dev.weaklink.report.TextStream;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Renders results for modules on kernels as JUnit XML, CSV and Markdown. */
public final class ModuleForms {
    private final ModuleResults results;

    private ModuleForms(ModuleResults results) {
        this.results = results;
    }

    public static void write(Format format, ModuleResults results, OutputStream out) throws IOException {
        ModuleForms forms = new ModuleForms(results);
        switch (format) {
            case CSV -> forms.csv(new Csv(out));
            case MARKDOWN -> new TextStream(out).add(forms.markdown());
            case JUNIT -> forms.junit(new Junit(results.command(), out));
            default -> throw new IllegalArgumentException(format.id());
        }
    }

    private void csv(Csv csv) throws IOException {
        List<String> headings = new ArrayList<>(List.of("record", "kernel", "module", "result"));
        headings.addAll(results.columns());
        headings.add("reason");
        csv.row(headings);
        List<String> none = new ArrayList<>();
        results.columns().forEach(column -> none.add(""));
        for (KernelResults kernel : results.kernels()) {
            csv.row(row("kernel", kernel.label(), "", "", none, kernel.answer()));
            for (ModuleResult module : kernel.modules()) {
                csv.row(row(
                        "module",
                        kernel.label(),
                        Escape.bytes(module.name()),
                        module.result(),
                        module.facts(),
                        module.reason()));
            }
        }
        for (String note : results.notes()) {
            csv.row(row("note", "", "", "", none, note));
        }
        for (InputProblem problem : results.problems()) {
            csv.row(row("problem", "", problem.subject(), "", none, problem.message()));
        }
    }

    private static List<String> row(
            String kind, String kernel, String module, String result, List<String> facts, String reason) {
        List<String> row = new ArrayList<>(List.of(kind, kernel, module, result));
        row.addAll(facts);
        row.add(reason);
        return row;
    }

    private void junit(Junit junit) throws IOException {
        int tests = 0;
        for (KernelResults kernel : results.kernels()) {
            List<Case> cases = new ArrayList<>();
            kernel.modules().forEach(module -> cases.add(test(module)));
            if (kernel.isUnexplained()) {
                cases.add(Case.error("all modules", "answer", kernel.answer(), kernel.answer()));
            }
            junit.suite("kernel " + Escape.text(kernel.label()), cases);
            tests += cases.size();
        }
        List<InputProblem> problems = new ArrayList<>(results.problems());
        if (tests == 0 && problems.isEmpty()) {
            problems.add(new InputProblem("modules", "no module was checked"));
        }
        junit.end(problems);
    }

    private static Case test(ModuleResult module) {
        String name = Escape.bytes(module.name()) + " (" + Escape.text(module.path()) + ")";
        String text = String.join("\n", module.findings());
        return switch (module.state()) {
            case FINE -> Case.passed(name);
            case TO_DO, WRONG -> Case.failure(name, module.rule(), module.reason(), text);
            case UNKNOWN -> Case.error(name, module.rule(), module.reason(), text);
        };
    }

    private String markdown() {
        Markdown page = new Markdown();
        page.heading(1, results.command());
        List<String> notes = new ArrayList<>();
        results.notes().forEach(note -> notes.add(Markdown.plain(Escape.text(note))));
        page.points(notes);
        List<List<String>> answers = new ArrayList<>();
        for (KernelResults kernel : results.kernels()) {
            answers.add(List.of(Escape.text(kernel.label()), kernel.answer()));
        }
        page.table(List.of("Kernel", "Result"), answers);
        results.kernels().forEach(kernel -> kernel(page, kernel));
        page.problems(results.problems());
        if (!results.conclusion().isEmpty()) {
            page.paragraph(results.conclusion());
        }
        return page.text();
    }

    private static void kernel(Markdown page, KernelResults kernel) {
        List<List<String>> rows = new ArrayList<>();
        for (ModuleResult module : kernel.modules()) {
            if (module.state() != ResultState.FINE) {
                rows.add(List.of(Escape.bytes(module.name()), module.result(), module.reason()));
            }
        }
        if (!rows.isEmpty()) {
            page.heading(2, Escape.text(kernel.label()));
            reasons(page, kernel.verdicts());
            page.table(List.of("Module", "Result", "Reason"), rows);
        }
        List<String> unchecked = Unchecked.words(kernel.verdicts());
        if (!unchecked.isEmpty()) {
            page.paragraph("Not checked: " + String.join(", ", unchecked));
        }
    }

    private static void reasons(Markdown page, List<Verdict> verdicts) {
        List<Verdict> refused = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.outcome() == Outcome.INCOMPATIBLE) {
                refused.add(verdict);
            }
        }
        if (refused.size() < 2) {
            return;
        }
        List<String> points = new ArrayList<>();
        for (ReasonGroup group : ReasonGroup.ofRefused(refused)) {
            points.add("**"
                    + Markdown.plain(group.reason())
                    + "** accounts for "
                    + group.share(refused.size(), points.isEmpty())
                    + (group.dmesg() == null ? "" : ": " + Markdown.code(group.dmesg())));
        }
        page.points(points);
    }
}
