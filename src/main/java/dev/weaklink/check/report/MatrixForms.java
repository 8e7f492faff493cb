package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.result.BuildProduct;
import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.check.result.MatrixReport.BuildSeries;
import dev.weaklink.check.result.MatrixReport.Range;
import dev.weaklink.check.result.MatrixReport.Row;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.loader.Outcome;
import dev.weaklink.report.Csv;
import dev.weaklink.report.Format;
import dev.weaklink.report.Junit;
import dev.weaklink.report.Junit.Case;
import dev.weaklink.report.Markdown;
import dev.weaklink.report.Page;
import dev.weaklink.report.ScriptedPage;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.report.TextStream;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

public final class MatrixForms {
    private static final int WORD_WIDTH = 9;
    private static final String SCHEMA = "weaklink.matrix/1";

    private final MatrixReport report;
    private final List<BuildProduct> products;

    private MatrixForms(MatrixReport report) {
        this.report = report;
        this.products = report.products();
    }

    public static void write(MatrixReport report, Format format, TableOptions options, OutputStream out)
            throws IOException {
        MatrixForms forms = new MatrixForms(report);
        switch (format) {
            case TABLE -> new TextStream(out).add(forms.table(new Page(options)));
            case JSON -> JsonOutput.writeLine(forms.document(), out);
            case CSV -> forms.csv(new Csv(out));
            case MARKDOWN -> new TextStream(out).add(forms.markdown());
            case JUNIT -> forms.junit(new Junit("weaklink matrix", out));
            case HTML ->
                ScriptedPage.write(
                        "/matrix-page/page.html",
                        List.of("/audit-page/page.css", "/matrix-page/page.css"),
                        List.of("/audit-page/dom.js", "/audit-page/data.js", "/matrix-page/main.js"),
                        packed -> JsonOutput.writeLine(forms.document(), packed),
                        out);
            default -> throw new IllegalArgumentException(format.id());
        }
    }

    private String table(Page page) {
        for (Row row : report.rows()) {
            page.gap();
            page.line(page.styled(Style.HEADING, Escape.text(row.label())) + ": " + summary(row));
            for (BuildSeries part : report.parts(row)) {
                if (part.isFolded()) {
                    List<String> names = page.shortened(part.series());
                    page.wrapped(2, count(part) + ":", names, ",");
                } else {
                    page.line("  " + part.series().get(0));
                }
                for (Range range : part.isFolded() ? List.of(part.newest()) : part.ranges()) {
                    String word = word(range);
                    String padded = page.styled(style(range), word) + " ".repeat(WORD_WIDTH - word.length());
                    String reason = range.loads() ? "" : ": " + range.reason();
                    page.sentence(4, padded, extent(range, part) + reason);
                }
            }
        }
        SortedSet<String> unchecked = new TreeSet<>();
        report.rows().forEach(row -> unchecked.addAll(row.unchecked()));
        if (!unchecked.isEmpty()) {
            page.gap();
            page.wrapped(0, "Not checked:", List.copyOf(unchecked), ",");
        }
        MatrixReport.Required required = report.required();
        if (required != null || !report.changes().isEmpty()) {
            page.gap();
        }
        report.changes().forEach(change -> page.sentence(0, "since the baseline:", words(change)));
        if (required != null) {
            required.lost().forEach(lost -> page.sentence(0, "NOT SERVED", words(lost)));
            page.line(summary(required));
        }
        return page.text();
    }

    private String summary(MatrixReport.Required required) {
        return "required: "
                + Numbers.of(required.kernels(), "kernel")
                + (products.size() < 2 ? "" : " for each of " + Numbers.grouped(products.size()) + " products")
                + ", "
                + (required.lost().isEmpty()
                        ? "all served"
                        : Numbers.grouped(required.lost().size()) + " not served");
    }

    private String words(MatrixReport.Lost lost) {
        String by = products.size() < 2 ? "" : " by " + Escape.text(lost.product());
        return Escape.text(lost.kernel()) + by + ": " + lost.reason();
    }

    private static String words(MatrixReport.MatrixChange change) {
        boolean loads = change.now() == Outcome.COMPATIBLE;
        String now = loads
                ? change.servedBefore() ? "still served by " : "served by "
                : change.now() == Outcome.UNDETERMINED
                        ? "not known to be served by "
                        : change.servedBefore() || change.before() == Outcome.COMPATIBLE
                                ? "no longer served by "
                                : "not served by ";
        return (change.before() == null ? "new kernel " : "")
                + Escape.text(change.kernel())
                + ": "
                + now
                + Escape.text(change.build())
                + (now.startsWith("no longer") ? "; rebuild" : "")
                + (loads ? "" : ": " + change.reason());
    }

    /**
     * Reads the JSON result of an earlier {@code weaklink matrix}.
     *
     * @return for the label of each build, the outcomes by kernel name
     * @throws IOException if the input cannot be read or is not such a result
     */
    public static Map<String, Map<String, Outcome>> read(InputStream in) throws IOException {
        JsonTree document = JsonTree.read(in);
        if (!SCHEMA.equals(document.text("schema"))) {
            throw new IOException("is not a result of 'weaklink matrix --format json'");
        }
        List<String> kernels = new ArrayList<>();
        for (JsonTree kernel : document.objects("kernels")) {
            kernels.add(kernel.require("name"));
        }
        Map<String, Map<String, Outcome>> verdicts = new HashMap<>();
        for (JsonTree build : document.objects("builds")) {
            Map<String, Outcome> known = new HashMap<>();
            Iterator<String> kernel = kernels.iterator();
            for (JsonTree range : build.objects("ranges")) {
                String verdict = range.require("verdict");
                for (int i = range.number("kernels"); i > 0 && kernel.hasNext(); i--) {
                    String name = kernel.next();
                    for (Outcome outcome : Outcome.values()) {
                        if (outcome.name().equals(verdict)) {
                            known.put(name, outcome);
                        }
                    }
                }
            }
            String product = build.text("package");
            String label = product == null
                    ? build.require("file")
                    : new Row("", product, build.require("version"), List.of(), 0, Set.of(), List.of()).label();
            verdicts.put(label, known);
        }
        return verdicts;
    }

    private String summary(Row row) {
        String built = row.builtFor().isEmpty() ? "" : ", built for " + Escape.text(String.join(", ", row.builtFor()));
        return Numbers.of(row.modules(), "module")
                + built
                + "; loads on "
                + Numbers.grouped(row.serves())
                + " of "
                + Numbers.of(report.kernels().size(), "kernel");
    }

    private static String word(Range range) {
        return switch (range.outcome()) {
            case COMPATIBLE -> "loads";
            case INCOMPATIBLE -> "refused";
            case UNDETERMINED -> "unknown";
        };
    }

    private static Style style(Range range) {
        return switch (range.outcome()) {
            case COMPATIBLE -> Style.GOOD;
            case INCOMPATIBLE -> Style.BAD;
            case UNDETERMINED -> Style.UNSURE;
        };
    }

    private static String count(BuildSeries part) {
        return Numbers.grouped(part.series().size()) + " series";
    }

    /**
     * Returns for example "A … B, 12 of 20" or "from A on, 8 of 20"; for several series "all 40 kernels, such as B".
     */
    private String extent(Range range, BuildSeries part) {
        String first = Escape.text(report.kernels().get(range.first()).name());
        String last = Escape.text(report.kernels().get(range.last()).name());
        if (part.isFolded()) {
            return "all " + Numbers.of(part.kernels(), "kernel") + ", such as " + last;
        }
        boolean oldest = range.equals(part.ranges().get(0));
        boolean newest = range.equals(part.newest());
        String which = range.size() == 1
                ? first
                : range.loads() || oldest == newest
                        ? first + " \u2026 " + last
                        : oldest ? "up to " + last : "from " + first + " on";
        return which + ", " + Numbers.grouped(range.size()) + " of " + Numbers.grouped(part.kernels());
    }

    private Object document() {
        return object(
                "schema", SCHEMA,
                "kernels",
                        list(
                                report.kernels(),
                                kernel -> object(
                                        "name", kernel.name(), "release", kernel.release(), "series", kernel.series())),
                "builds", list(report.rows(), this::build),
                "required", report.required() == null ? null : required(report.required()),
                "changes", report.changes().isEmpty() ? null : list(report.changes(), MatrixForms::change),
                "problems", list(report.problems(), CheckJson::brief),
                "exitCode", report.exitCode().number());
    }

    private static Object required(MatrixReport.Required required) {
        return object(
                "kernels", required.kernels(),
                "lost",
                        list(
                                required.lost(),
                                lost -> object(
                                        "kernel", lost.kernel(),
                                        "product", lost.product(),
                                        "verdict", lost.outcome().name(),
                                        "reason", lost.reason())));
    }

    private static Object change(MatrixReport.MatrixChange change) {
        Outcome before = change.before();
        return object(
                "kernel", change.kernel(),
                "build", change.build(),
                "before", before == null ? null : before.name(),
                "now", change.now().name(),
                "text", words(change));
    }

    private Object build(Row row) {
        boolean named = !row.name().isEmpty();
        return object(
                "file", row.file(),
                "package", named ? row.name() : null,
                "version", named ? row.version() : null,
                "builtFor", row.builtFor(),
                "modules", row.modules(),
                "products", products(row),
                "serves", row.serves(),
                "ranges", list(row.ranges(), this::range));
    }

    private List<String> products(Row row) {
        List<String> names = new ArrayList<>();
        for (BuildProduct product : products) {
            if (product.builds().contains(row)) {
                names.add(product.name());
            }
        }
        return names;
    }

    private Object range(Range range) {
        return object(
                "series", report.series(range),
                "first", report.kernels().get(range.first()).name(),
                "last", report.kernels().get(range.last()).name(),
                "kernels", range.size(),
                "verdict", range.outcome().name(),
                "layer", range.layer().isEmpty() ? null : range.layer(),
                "reason", range.loads() ? null : range.reason(),
                "summary", range.summary().isEmpty() ? null : range.summary(),
                "unchecked", range.unchecked().isEmpty() ? null : List.copyOf(range.unchecked()));
    }

    private void csv(Csv csv) throws IOException {
        csv.row(List.of("build", "version", "series", "first", "last", "kernels", "result", "reason"));
        for (Row row : report.rows()) {
            for (BuildSeries part : report.parts(row)) {
                for (Range range : part.isFolded() ? List.of(part.newest()) : part.ranges()) {
                    Range first = part.isFolded() ? part.ranges().get(0) : range;
                    csv.row(List.of(
                            row.name().isEmpty() ? row.file() : row.name(),
                            row.version(),
                            String.join("; ", part.series()),
                            report.kernels().get(first.first()).name(),
                            report.kernels().get(range.last()).name(),
                            String.valueOf(part.isFolded() ? part.kernels() : range.size()),
                            range.outcome().name(),
                            range.reason()));
                }
            }
        }
    }

    private String markdown() {
        Markdown page = new Markdown();
        page.heading(1, "Kernels served");
        MatrixReport.Required required = report.required();
        List<String> points = new ArrayList<>();
        if (required != null) {
            page.paragraph(summary(required));
            required.lost().forEach(lost -> points.add("**not served** " + Markdown.plain(words(lost))));
        }
        report.changes().forEach(change -> points.add(Markdown.plain(words(change))));
        page.points(points);
        for (Row row : report.rows()) {
            page.heading(2, Escape.text(row.label()));
            page.paragraph(summary(row));
            List<List<String>> rows = new ArrayList<>();
            for (BuildSeries part : report.parts(row)) {
                String series = String.join(", ", part.series());
                for (Range range : part.isFolded() ? List.of(part.newest()) : part.ranges()) {
                    rows.add(List.of(series, word(range), extent(range, part), range.reason()));
                }
            }
            page.table(List.of("Series", "Result", "Kernels", "Reason"), rows);
            if (!row.unchecked().isEmpty()) {
                page.paragraph("Not checked: " + String.join(", ", row.unchecked()));
            }
        }
        page.problems(report.problems());
        return page.text();
    }

    private void junit(Junit junit) throws IOException {
        for (Row row : report.rows()) {
            List<Case> cases = new ArrayList<>();
            for (Range range : row.ranges()) {
                for (int kernel = range.first(); kernel <= range.last(); kernel++) {
                    String name = Escape.text(report.kernels().get(kernel).name());
                    cases.add(
                            report.required() == null
                                    ? test(name, range, report.reason(row, kernel))
                                    : Case.passed(name + ": " + word(range)));
                }
            }
            junit.suite(Escape.text(row.label()), cases);
        }
        MatrixReport.Required required = report.required();
        if (required != null) {
            List<Case> cases = new ArrayList<>();
            for (MatrixReport.Lost lost : required.lost()) {
                cases.add(Case.failure(Escape.text(lost.kernel()), "required", words(lost), words(lost)));
            }
            if (cases.isEmpty()) {
                cases.add(Case.passed(summary(required)));
            }
            junit.suite("required kernels", cases);
        }
        junit.end(report.problems());
    }

    private static Case test(String kernel, Range range, String reason) {
        return range.loads()
                ? Case.passed(kernel)
                : range.outcome() == Outcome.INCOMPATIBLE
                        ? Case.failure(kernel, "refused", reason, reason)
                        : Case.error(kernel, "unknown", reason, reason);
    }
}
