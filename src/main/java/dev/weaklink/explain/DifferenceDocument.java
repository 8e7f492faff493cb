package dev.weaklink.explain;

import static dev.weaklink.format.json.JsonOutput.list;

import dev.weaklink.loader.CauseText;
import dev.weaklink.report.Markdown;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Writes the difference of two kernels as Markdown, for a ticket. */
public final class DifferenceDocument {
    private static final int MOST_ROWS = DifferenceText.MOST_CAUSES;

    private DifferenceDocument() {}

    public static String markdown(ExplainReport report, boolean all) {
        Markdown page = new Markdown();
        page.heading(1, title(report));
        KernelDifference difference = report.difference();
        if (difference == null) {
            page.paragraph("A kernel could not be read.");
            return page.text();
        }
        DifferenceText.incomparable(report).forEach(page::paragraph);
        if (report.incomparable().isEmpty()) {
            page.paragraph(DifferenceText.summary(difference));
        }
        DifferenceText.judgement(report).forEach(page::paragraph);
        DifferenceText.certainty(difference).forEach(page::paragraph);
        difference.unnoticed().forEach(change -> page.paragraph("Warning: " + DifferenceText.unnoticed(change)));
        DriverText.lines(report.driver(), all).forEach(page::paragraph);
        List<CauseCount> causes = difference.causes();
        int shown = all ? causes.size() : Math.min(causes.size(), DifferenceText.MOST_CAUSES);
        page.table(List.of("Cause", "Accounts for", "Change"), rows(causes.subList(0, shown), report));
        if (causes.size() > shown) {
            page.paragraph("... and " + Numbers.of(causes.size() - shown, "more change") + " (-v)");
        }
        causes.subList(0, shown).forEach(cause -> cause(cause, report, all, page));
        int rows = all ? Integer.MAX_VALUE : MOST_ROWS;
        unexplained(difference, rows, page);
        others(difference.others(), rows, page);
        report.notes().forEach(note -> page.paragraph("Note: " + Escape.text(note)));
        return page.text();
    }

    private static String title(ExplainReport report) {
        return Escape.text(report.from()) + " -> " + Escape.text(report.to());
    }

    private static List<List<String>> rows(List<CauseCount> causes, ExplainReport report) {
        return list(
                causes,
                cause -> List.of(
                        Escape.text(cause.change().title()),
                        DifferenceText.counts(cause, report),
                        CauseText.kind(cause.change())));
    }

    private static void cause(CauseCount cause, ExplainReport report, boolean all, Markdown page) {
        page.heading(2, Escape.text(cause.change().title()));
        page.paragraph(DifferenceText.counts(cause, report) + ", " + CauseText.kind(cause.change()));
        List<String> members = CauseText.members(cause.change(), all);
        if (!members.isEmpty()) {
            page.difference(members);
        }
        String path = CauseText.path(Objects.requireNonNull(cause.example().cause()));
        if (!path.isEmpty()) {
            page.paragraph("For example " + path);
        }
        DifferenceText.others(cause, all).forEach(page::paragraph);
    }

    private static void unexplained(KernelDifference difference, int most, Markdown page) {
        List<List<String>> rows = new ArrayList<>();
        for (SymbolChange change : difference.changed()) {
            if (change.cause() == null && rows.size() < most) {
                rows.add(List.of(Escape.text(change.symbol()), Escape.text(change.owner())));
            }
        }
        if (!rows.isEmpty()) {
            page.heading(2, "No cause found");
            page.table(List.of("Symbol", "Exported by"), rows);
            more(difference.changed().size() - difference.explained() - rows.size(), page);
        }
    }

    private static void others(List<ExportChange> others, int most, Markdown page) {
        List<List<String>> rows = new ArrayList<>();
        for (ExportChange other : others.subList(0, Math.min(others.size(), most))) {
            rows.add(List.of(
                    Escape.text(other.symbol()),
                    other.kind().id(),
                    Escape.text(Objects.requireNonNullElse(other.before(), "")),
                    Escape.text(Objects.requireNonNullElse(other.after(), ""))));
        }
        if (!rows.isEmpty()) {
            page.heading(2, "Other changes of exports");
            page.table(List.of("Symbol", "Change", "Before", "After"), rows);
        }
        more(others.size() - rows.size(), page);
    }

    private static void more(int count, Markdown page) {
        if (count > 0) {
            page.paragraph("... and " + Numbers.grouped(count) + " more (-v)");
        }
    }
}
