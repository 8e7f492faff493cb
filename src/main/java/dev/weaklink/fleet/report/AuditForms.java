package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.report.TextStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

public final class AuditForms {
    public static final List<Format> FORMATS = List.of(
            Format.TABLE, Format.JSON, Format.NDJSON, Format.HTML, Format.CSV, Format.PROMETHEUS, Format.NAGIOS);

    private AuditForms() {}

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
}
