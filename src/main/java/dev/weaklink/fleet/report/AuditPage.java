package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.report.ScriptedPage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.stream.Stream;

/** An audit as one HTML page. */
public final class AuditPage {
  private static final String PLACE = "/audit-page/";
  private static final List<String> SCRIPTS =
      Stream.of("dom", "data", "nodes", "model", "pager", "matrix", "detail", "sections", "main")
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
