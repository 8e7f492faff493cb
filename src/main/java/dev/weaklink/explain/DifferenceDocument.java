package dev.weaklink.explain;

import static dev.weaklink.format.json.JsonOutput.list;

import dev.weaklink.report.Markdown;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What differs between two kernels, as Markdown for a ticket. */
public final class DifferenceDocument {
    /** Symbols without a cause, and other changes, that are listed. */
    private static final int MOST_ROWS = 1000;

    private DifferenceDocument() {}

    /** All of it. */
    public static String markdown(ExplainReport report) {
        Markdown page = new Markdown();
        page.heading(1, title(report));
        KernelDifference difference = report.difference();
        if (difference == null) {
            page.paragraph("A kernel could not be read.");
            return page.text();
        }
        CauseText.incomparable(report).forEach(page::paragraph);
        if (report.incomparable().isEmpty()) {
            page.paragraph(summary(difference));
        }
        CauseText.judgement(report).forEach(page::paragraph);
        DriverText.lines(report.driver(), true).forEach(page::paragraph);
        List<CauseCount> causes = difference.causes();
        page.table(List.of("Cause", "Accounts for", "Change"), rows(causes, report));
        causes.forEach(cause -> cause(cause, report, page));
        unexplained(difference, page);
        others(difference.others(), page);
        report.notes().forEach(note -> page.paragraph("Note: " + Escape.text(note)));
        return page.text();
    }

    private static String title(ExplainReport report) {
        return Escape.text(report.from()) + " -> " + Escape.text(report.to());
    }

    private static String summary(KernelDifference difference) {
        int changed = difference.changed().size();
        return Numbers.grouped(changed)
                + (changed == 1 ? " CRC of " : " CRCs of ")
                + Numbers.of(difference.compared(), "symbol")
                + (changed == 1 ? " differs; " : " differ; ")
                + Numbers.grouped(difference.explained())
                + " explained by "
                + Numbers.of(difference.causes().size(), "change");
    }

    private static List<List<String>> rows(List<CauseCount> causes, ExplainReport report) {
        return list(
                causes,
                cause -> List.of(
                        Escape.text(cause.change().title()),
                        CauseText.counts(cause, report),
                        CauseText.kind(cause.change())));
    }

    private static void cause(CauseCount cause, ExplainReport report, Markdown page) {
        page.heading(2, Escape.text(cause.change().title()));
        page.paragraph(CauseText.counts(cause, report) + ", " + CauseText.kind(cause.change()));
        List<String> members = CauseText.members(cause.change(), true);
        if (!members.isEmpty()) {
            page.difference(members);
        }
        String path = CauseText.path(Objects.requireNonNull(cause.example().cause()));
        if (!path.isEmpty()) {
            page.paragraph("For example " + path);
        }
        CauseText.others(cause, true).forEach(page::paragraph);
    }

    private static void unexplained(KernelDifference difference, Markdown page) {
        List<List<String>> rows = new ArrayList<>();
        for (SymbolChange change : difference.changed()) {
            if (change.cause() == null && rows.size() < MOST_ROWS) {
                rows.add(List.of(Escape.text(change.symbol()), Escape.text(change.owner())));
            }
        }
        if (!rows.isEmpty()) {
            page.heading(2, "No cause found");
            page.table(List.of("Symbol", "Exported by"), rows);
        }
    }

    private static void others(List<ExportChange> others, Markdown page) {
        List<List<String>> rows = new ArrayList<>();
        for (ExportChange other : others.subList(0, Math.min(others.size(), MOST_ROWS))) {
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
        if (others.size() > MOST_ROWS) {
            page.paragraph("... and " + Numbers.grouped(others.size() - MOST_ROWS) + " more");
        }
    }
}
