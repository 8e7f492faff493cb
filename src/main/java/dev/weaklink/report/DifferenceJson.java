package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.explain.CauseCount;
import dev.weaklink.explain.CrcCause;
import dev.weaklink.explain.ExplainReport;
import dev.weaklink.explain.ExportChange;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.explain.MemberChange;
import dev.weaklink.explain.SymbolChange;
import dev.weaklink.explain.TypeChange;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/**
 * What differs between two kernels as JSON: one object ({@code weaklink.diff/1}), or a line for
 * each symbol whose CRC changed ({@code weaklink.symbol-change/1}).
 */
public final class DifferenceJson {
  private final ExplainReport report;

  private DifferenceJson(ExplainReport report) {
    this.report = report;
  }

  /** Writes one object for each symbol whose CRC changed. */
  public static void writeLines(ExplainReport report, OutputStream out) throws IOException {
    KernelDifference difference = report.difference();
    if (difference == null) {
      return;
    }
    DifferenceJson writer = new DifferenceJson(report);
    try (JsonGenerator json = JsonOutput.open(out)) {
      for (SymbolChange change : difference.changed()) {
        writer.symbol(json, change, true);
        json.writeRaw('\n');
      }
    }
  }

  /** Writes one object. */
  public static void writeDocument(ExplainReport report, OutputStream out) throws IOException {
    DifferenceJson writer = new DifferenceJson(report);
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.diff/1");
      json.writeStringField("from", report.from());
      json.writeStringField("to", report.to());
      KernelDifference difference = report.difference();
      if (difference != null) {
        writer.difference(json, difference);
      }
      JsonOutput.strings(json, "notes", report.notes());
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private void difference(JsonGenerator json, KernelDifference difference) throws IOException {
    json.writeNumberField("compared", difference.compared());
    json.writeNumberField("explained", difference.explained());
    json.writeArrayFieldStart("causes");
    for (CauseCount count : difference.causes()) {
      json.writeStartObject();
      type(json, count.change());
      json.writeNumberField("symbols", count.symbols());
      json.writeNumberField("onlyCause", count.only());
      json.writeStringField("example", count.example().symbol());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("changed");
    for (SymbolChange change : difference.changed()) {
      symbol(json, change, false);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("exports");
    for (ExportChange other : difference.others()) {
      json.writeStartObject();
      json.writeStringField("symbol", other.symbol());
      json.writeStringField("change", word(other.kind()));
      JsonOutput.optional(json, "before", other.before());
      JsonOutput.optional(json, "after", other.after());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void symbol(JsonGenerator json, SymbolChange change, boolean alone) throws IOException {
    json.writeStartObject();
    if (alone) {
      json.writeStringField("schema", "weaklink.symbol-change/1");
    }
    json.writeStringField("symbol", change.symbol());
    json.writeStringField("owner", change.owner());
    if (alone) {
      json.writeStringField("from", report.from());
      json.writeStringField("to", report.to());
    }
    json.writeObjectFieldStart("crc");
    json.writeStringField("from", Numbers.crc(Integer.toUnsignedLong(change.from())));
    json.writeStringField("to", Numbers.crc(Integer.toUnsignedLong(change.to())));
    json.writeEndObject();
    CrcCause cause = change.cause();
    if (cause != null) {
      json.writeObjectFieldStart("cause");
      type(json, cause.change());
      JsonOutput.strings(json, "path", cause.path());
      json.writeStringField("certainty", word(cause.certainty()));
      json.writeArrayFieldStart("candidates");
      for (TypeChange other : cause.others()) {
        json.writeStartObject();
        json.writeStringField("kind", other.kind());
        json.writeStringField("name", other.name());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void type(JsonGenerator json, TypeChange change) throws IOException {
    json.writeStringField("kind", change.kind());
    json.writeStringField("name", change.name());
    json.writeStringField("change", word(change.change()));
    if (change.sizeBefore() >= 0) {
      json.writeObjectFieldStart("size");
      json.writeNumberField("from", change.sizeBefore());
      json.writeNumberField("to", change.sizeAfter());
      json.writeEndObject();
    }
    json.writeArrayFieldStart("members");
    for (MemberChange member : change.members()) {
      json.writeStartObject();
      json.writeStringField("name", member.name());
      JsonOutput.optional(json, "before", member.before());
      JsonOutput.optional(json, "after", member.after());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
