package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.json.JsonOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** An audit as JSON: one document, or one object a line. Keys and their order are a contract. */
public final class AuditJson {
  static final String DOCUMENT = "weaklink.audit/1";
  static final String LINE = "weaklink.audit-part/1";

  private AuditJson() {}

  private interface Writer<T> {
    void write(AuditJsonParts parts, T item) throws IOException;
  }

  /** Writes one object that holds everything. */
  public static void writeDocument(AuditReport report, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      AuditJsonParts parts = new AuditJsonParts(json);
      json.writeStartObject();
      json.writeStringField("schema", DOCUMENT);
      json.writeNumberField("nodes", report.nodes());
      array(parts, "targets", report.targets(), AuditJsonParts::target);
      array(parts, "sets", report.sets(), AuditJsonParts::set);
      array(parts, "groups", report.groups(), AuditJsonParts::group);
      array(parts, "running", report.running(), AuditJsonParts::running);
      array(parts, "verdicts", report.verdicts(), AuditJsonParts::verdict);
      array(parts, "kernels", report.kernels(), AuditJsonParts::kernel);
      array(parts, "actions", report.actions(), AuditJsonParts::action);
      parts.rest(report);
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static <T> void array(AuditJsonParts parts, String key, List<T> items, Writer<T> writer)
      throws IOException {
    parts.json().writeArrayFieldStart(key);
    for (T item : items) {
      writer.write(parts, item);
    }
    parts.json().writeEndArray();
  }

  /** Writes each part as an object on a line of its own, the summary last. */
  public static void writeLines(AuditReport report, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      AuditJsonParts parts = new AuditJsonParts(json);
      lines(parts, "target", report.targets(), AuditJsonParts::target);
      lines(parts, "set", report.sets(), AuditJsonParts::set);
      lines(parts, "group", report.groups(), AuditJsonParts::group);
      lines(parts, "running", report.running(), AuditJsonParts::running);
      lines(parts, "verdict", report.verdicts(), AuditJsonParts::verdict);
      lines(parts, "kernel", report.kernels(), AuditJsonParts::kernel);
      lines(parts, "action", report.actions(), AuditJsonParts::action);
      lines(parts, "summary", List.of(report), AuditJsonParts::summary);
    }
  }

  private static <T> void lines(AuditJsonParts parts, String key, List<T> items, Writer<T> writer)
      throws IOException {
    JsonGenerator json = parts.json();
    for (T item : items) {
      json.writeStartObject();
      json.writeStringField("schema", LINE);
      json.writeFieldName(key);
      writer.write(parts, item);
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }
}
