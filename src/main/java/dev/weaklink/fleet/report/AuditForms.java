package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.report.Format;
import dev.weaklink.report.ScriptedPage;
import dev.weaklink.report.TableOptions;
import dev.weaklink.report.TextStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.stream.Stream;

/** An audit in every form there is. */
public final class AuditForms {
    /** What there is, the usual one first. */
    public static final List<Format> FORMATS = List.of(
            Format.TABLE, Format.JSON, Format.NDJSON, Format.HTML, Format.CSV, Format.PROMETHEUS, Format.NAGIOS);

    private AuditForms() {}

    /** Writes an audit in this form; {@code out} is left open. */
    public static void write(Format format, AuditReport report, TableOptions options, OutputStream out)
            throws IOException {
        switch (format) {
            case TABLE -> new TextStream(out).add(AuditTable.lines(report, options));
            case JSON -> AuditJson.writeDocument(report, out);
            case NDJSON -> AuditJson.writeLines(report, out);
            case HTML -> AuditPage.write(report, out);
            case CSV -> AuditCsv.write(report, out);
            case PROMETHEUS -> AuditMetrics.write(report, out);
            case NAGIOS -> new TextStream(out).add(AuditStatusLine.line(report));
            default -> throw new IllegalArgumentException("no form of audits: " + format);
        }
    }

    /** An audit as one HTML page. */
    static final class AuditPage {
        private static final String PLACE = "/audit-page/";
        private static final List<String> SCRIPTS = Stream.of(
                        "dom", "data", "nodes", "model", "pager", "matrix", "detail", "sections", "main")
                .map(name -> PLACE + name + ".js")
                .toList();

        private AuditPage() {}

        /** Writes the page; {@code out} is left open. */
        public static void write(AuditReport report, OutputStream out) throws IOException {
            ScriptedPage.write(
                    PLACE + "page.html",
                    List.of(PLACE + "page.css"),
                    SCRIPTS,
                    packed -> AuditJson.writeDocument(report, packed),
                    out);
        }
    }
}
