package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

/** An audit in every form there is. */
public final class AuditForms {
  /** All but those of checks alone. */
  public static final List<Format> FORMATS =
      Arrays.stream(Format.values()).filter(format -> format != Format.PREFLIGHT).toList();

  private AuditForms() {}

  /** Writes an audit in this form; {@code out} is left open. */
  public static void write(
      Format format, AuditReport report, TableOptions options, OutputStream out)
      throws IOException {
    switch (format) {
      case TABLE -> new TextStream(out).add(AuditTable.lines(report, options));
      case JSON -> AuditJson.writeDocument(report, out);
      case NDJSON -> AuditJson.writeLines(report, out);
      case HTML -> AuditPage.write(report, out);
      case CSV -> AuditCsv.write(report, out);
      case MARKDOWN -> AuditMarkdown.write(report, out);
      case SARIF -> AuditSarif.write(report, out);
      case JUNIT -> AuditJunit.write(report, out);
      case PROMETHEUS -> AuditMetrics.write(report, out);
      case NAGIOS -> new TextStream(out).add(AuditStatusLine.line(report));
      case PREFLIGHT -> throw new IllegalArgumentException("no form of audits: " + format);
    }
  }
}
