package dev.weaklink.links;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Writes the journal's two files as JSON; {@link JournalInput} reads them. */
final class JournalOutput {
  static final String RECORD_SCHEMA = "weaklink.transaction/1";
  static final String PROGRESS_SCHEMA = "weaklink.transaction-progress/1";

  private JournalOutput() {}

  static byte[] record(TransactionRecord record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = open(bytes)) {
      json.writeStartObject();
      json.writeStringField("schema", RECORD_SCHEMA);
      json.writeNumberField("number", record.number());
      json.writeNumberField("time", record.time());
      json.writeStringField("title", record.title());
      json.writeNumberField("undoes", record.undoes());
      strings(json, "kernels", record.kernels());
      strings(json, "restored", record.restored());
      strings(json, "initramfs", record.initramfs());
      json.writeArrayFieldStart("changes");
      for (PathChange change : record.changes()) {
        change(json, change);
      }
      json.writeEndArray();
      strings(json, "installed", record.installed());
      indexes(json, "saved", record.saved());
      json.writeEndObject();
      json.writeRaw('\n');
    }
    return bytes.toByteArray();
  }

  static byte[] progress(TransactionProgress progress) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = open(bytes)) {
      json.writeStartObject();
      json.writeStringField("schema", PROGRESS_SCHEMA);
      json.writeStringField("phase", progress.phase().name());
      if (progress.problem() != null) {
        json.writeStringField("problem", progress.problem());
      }
      strings(json, "initramfsPending", progress.initramfsPending());
      indexes(json, "written", progress.written());
      json.writeEndObject();
      json.writeRaw('\n');
    }
    return bytes.toByteArray();
  }

  private static JsonGenerator open(ByteArrayOutputStream bytes) throws IOException {
    JsonGenerator json =
        JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build()
            .createGenerator(bytes);
    json.setRootValueSeparator(null);
    return json;
  }

  private static void change(JsonGenerator json, PathChange change) throws IOException {
    json.writeRaw('\n');
    json.writeStartObject();
    json.writeStringField("path", change.path());
    state(json, "before", change.before());
    state(json, "after", change.after());
    json.writeEndObject();
  }

  /** A link is its target, a text an object, a directory its mode, and nothing is left out. */
  private static void state(JsonGenerator json, String key, PathState state) throws IOException {
    if (state instanceof PathState.Link link) {
      json.writeStringField(key, link.target());
    } else if (state instanceof PathState.Text text) {
      json.writeObjectFieldStart(key);
      json.writeStringField("text", text.content());
      json.writeEndObject();
    } else if (state instanceof PathState.Directory directory) {
      json.writeNumberField(key, directory.mode());
    }
  }

  private static void indexes(JsonGenerator json, String key, List<IndexSet> sets)
      throws IOException {
    json.writeObjectFieldStart(key);
    for (IndexSet set : sets) {
      json.writeObjectFieldStart(set.kernel());
      for (Map.Entry<String, String> mark : set.marks().entrySet()) {
        json.writeStringField(mark.getKey(), mark.getValue());
      }
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void strings(JsonGenerator json, String key, List<String> values)
      throws IOException {
    json.writeArrayFieldStart(key);
    for (String value : values) {
      json.writeString(value);
    }
    json.writeEndArray();
  }
}
