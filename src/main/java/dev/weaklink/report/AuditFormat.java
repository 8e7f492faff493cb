package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The forms in which an audit can be had. The first is the one nobody has to ask for. */
public enum AuditFormat {
  /** For people. */
  TABLE("table", (report, out) -> out.write(utf8(AuditTable.lines(report)))),
  /** One document. */
  JSON("json", AuditJson::writeDocument),
  /** One object a line. */
  NDJSON("ndjson", AuditJson::writeLines),
  /** One page that needs nothing else. */
  HTML("html", AuditPage::write),
  /** For spreadsheets. */
  CSV("csv", AuditCsv::write),
  /** For code scanning. */
  SARIF("sarif", AuditSarif::write),
  /** For pipelines. */
  JUNIT("junit", AuditJunit::write),
  /** For the node exporter's textfile collector. */
  PROMETHEUS("prometheus", AuditMetrics::write),
  /** For monitoring that runs plugins. */
  NAGIOS("nagios", (report, out) -> out.write(utf8(AuditStatusLine.line(report))));

  private interface Renderer {
    void write(AuditReport report, OutputStream out) throws IOException;
  }

  private final String word;
  private final Renderer renderer;

  AuditFormat(String word, Renderer renderer) {
    this.word = word;
    this.renderer = renderer;
  }

  /** What to call it on a command line. */
  public String word() {
    return word;
  }

  /** Writes an audit in this form; {@code out} is left open. */
  public void write(AuditReport report, OutputStream out) throws IOException {
    renderer.write(report, out);
  }

  /** All words, in order. */
  public static List<String> words() {
    List<String> words = new ArrayList<>();
    for (AuditFormat format : values()) {
      words.add(format.word);
    }
    return words;
  }

  /**
   * The form of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static AuditFormat of(String word) {
    for (AuditFormat format : values()) {
      if (format.word.equals(word)) {
        return format;
      }
    }
    throw new IllegalArgumentException("no such format: " + word);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
