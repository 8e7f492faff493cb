package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.history.NodeHistory;
import dev.weaklink.history.RecordedRun;
import dev.weaklink.history.RunDetails;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.report.KeptRecords.Entries;
import dev.weaklink.report.KeptRecords.Entry;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Audits that were kept, in every form they can be had. The first is for people. */
public final class KeptAudits {
  /** The forms. */
  public static final List<Format> FORMATS =
      List.of(Format.TABLE, Format.JSON, Format.NDJSON, Format.CSV);

  private static final String DOCUMENT = "weaklink.kept/1";
  private static final String LINE = "weaklink.kept-part/1";

  private final String text;
  private final KeptRecords records;

  private KeptAudits(String text, KeptRecords records) {
    this.text = text;
    this.records = records;
  }

  /** All audits. */
  public static KeptAudits log(List<RecordedRun> runs) {
    return new KeptAudits(AuditHistoryText.log(runs), KeptRecords.log(runs));
  }

  /** One audit, and what changed with it. */
  public static KeptAudits run(RunDetails run) {
    return new KeptAudits(AuditHistoryText.run(run), KeptRecords.run(run));
  }

  /** One node. */
  public static KeptAudits node(NodeHistory node) {
    return new KeptAudits(AuditHistoryText.node(node), KeptRecords.node(node));
  }

  /** Writes it; {@code out} is left open. */
  public void write(Format format, OutputStream out) throws IOException {
    switch (format) {
      case TABLE -> new TextStream(out).add(text);
      case JSON -> writeDocument(out);
      case NDJSON -> writeLines(out);
      case CSV -> writeTable(out);
      default -> throw new IllegalArgumentException("no such format: " + format);
    }
  }

  private void writeDocument(OutputStream out) throws IOException {
    Map<String, Object> document = object("schema", DOCUMENT);
    Entry head = records.head();
    if (head != null) {
      document.put(head.kind(), head.values());
    }
    for (Entries list : records.lists()) {
      document.put(list.name(), list.values());
    }
    JsonOutput.writeLine(document, out);
  }

  private void writeLines(OutputStream out) throws IOException {
    for (Entry entry : all()) {
      JsonOutput.writeLine(object("schema", LINE, entry.kind(), entry.values()), out);
    }
  }

  /** A column for each name of a value, whatever records have it; RFC 4180. */
  private void writeTable(OutputStream out) throws IOException {
    List<Entry> all = all();
    Set<String> names = new LinkedHashSet<>(List.of("record"));
    all.forEach(entry -> names.addAll(entry.values().keySet()));
    List<String> columns = List.copyOf(names);
    Csv csv = new Csv(out);
    csv.row(columns);
    for (Entry entry : all) {
      Map<String, Object> values = object("record", entry.kind());
      values.putAll(entry.values());
      csv.row(columns, values);
    }
  }

  private List<Entry> all() {
    List<Entry> all = new ArrayList<>();
    if (records.head() != null) {
      all.add(records.head());
    }
    for (Entries list : records.lists()) {
      list.values().forEach(values -> all.add(new Entry(list.kind(), values)));
    }
    return all;
  }
}
