package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.history.NodeHistory;
import dev.weaklink.history.NodeHistory.Moment;
import dev.weaklink.history.NodeHistory.Span;
import dev.weaklink.history.RecordedRun;
import dev.weaklink.history.RunDetails;
import dev.weaklink.json.JsonOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Audits that were kept, in every form they can be had: the first is for people, the others have
 * records of named values, which are numbers, truths and texts that are not escaped. Times are UTC.
 * Names and their order are a contract.
 */
public final class KeptAudits {
  /** The forms. */
  public static final List<Format> FORMATS =
      List.of(Format.TABLE, Format.JSON, Format.NDJSON, Format.CSV);

  private static final String DOCUMENT = "weaklink.kept/1";
  private static final String LINE = "weaklink.kept-part/1";

  /** One record, by the name of its kind. */
  private record Entry(String kind, Map<String, Object> values) {}

  /** Records of one kind; what names all of them has an s at its end. */
  private record Entries(String kind, List<Map<String, Object>> values) {}

  private final String text;

  /** What it is about, null for a list of audits. */
  private final @Nullable Entry head;

  private final List<Entries> lists;

  private KeptAudits(String text, @Nullable Entry head, Entries... lists) {
    this.text = text;
    this.head = head;
    this.lists = List.of(lists);
  }

  /** All audits. */
  public static KeptAudits log(List<RecordedRun> runs) {
    return new KeptAudits(
        AuditHistoryText.log(runs), null, new Entries("audit", list(runs, KeptAudits::audit)));
  }

  /** One audit, and what changed with it. */
  public static KeptAudits run(RunDetails run) {
    return new KeptAudits(
        AuditHistoryText.run(run),
        new Entry("audit", audit(run.run())),
        new Entries("kernel", list(run.kernels(), KeptAudits::kernel)),
        new Entries("group", list(run.groups(), KeptAudits::group)),
        new Entries("change", list(run.changes(), KeptAudits::change)));
  }

  /** One node. */
  public static KeptAudits node(NodeHistory node) {
    Map<String, Object> values = object("name", node.name());
    put(values, "first", node.first());
    put(values, "last", node.last());
    return new KeptAudits(
        AuditHistoryText.node(node),
        new Entry("node", values),
        new Entries("span", list(node.spans(), KeptAudits::span)));
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
    if (head != null) {
      document.put(head.kind(), head.values());
    }
    for (Entries list : lists) {
      document.put(list.kind() + "s", list.values());
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
    if (head != null) {
      all.add(head);
    }
    for (Entries list : lists) {
      list.values().forEach(values -> all.add(new Entry(list.kind(), values)));
    }
    return all;
  }

  private static Map<String, Object> kernel(RunDetails.AskedKernel kernel) {
    return object(
        "label", kernel.label(),
        "safe", kernel.safe(),
        "unsafe", kernel.unsafe(),
        "unknown", kernel.unknown());
  }

  private static Map<String, Object> group(RunDetails.KeptGroup group) {
    return object(
        "kernel", group.kernel(),
        "digest", group.digest(),
        "nodes", group.nodes(),
        "count", group.count());
  }

  private static Map<String, Object> change(RunDetails.Change change) {
    return object(
        "change", change.appeared() ? "new" : "gone",
        "what", change.what(),
        "nodes", change.nodes().folded(),
        "count", change.nodes().count());
  }

  private static Map<String, Object> span(Span span) {
    String about = span.kind() == NodeHistory.Kind.FAULT ? "fault" : "modules";
    Map<String, Object> values = object("about", about, "what", span.what());
    put(values, "since", span.since());
    put(values, "until", span.until());
    return values;
  }

  private static Map<String, Object> audit(RecordedRun run) {
    return object(
        "id", run.id(),
        "at", run.at().toString(),
        "nodes", run.nodes(),
        "changed", run.changed(),
        "broken", run.broken(),
        "problems", run.problems());
  }

  /** The time and the number of an audit; nothing if there was none. */
  private static void put(Map<String, Object> values, String key, @Nullable Moment moment) {
    if (moment != null) {
      values.put(key, moment.at().toString());
      values.put(key + "Audit", moment.run());
    }
  }
}
