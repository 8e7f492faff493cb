package dev.weaklink.links;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the journal's two files. An image's journal may be anybody's work: whatever does not have
 * the expected form is an error, and what it says is checked again before anything is done.
 */
final class JournalInput {
  private final JsonParser json;

  private JournalInput(JsonParser json) {
    this.json = json;
  }

  /** Something that fills a field of an object. */
  private interface FieldReader {
    void read(String field) throws IOException;
  }

  /**
   * Reads a transaction's record.
   *
   * @throws IOException if it has not the expected form
   */
  static TransactionRecord record(byte[] bytes) throws IOException {
    try (JsonParser json = open(bytes)) {
      return new JournalInput(json).record();
    } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
      throw malformed();
    }
  }

  /**
   * Reads how far a transaction got.
   *
   * @throws IOException if it has not the expected form
   */
  static TransactionProgress progress(byte[] bytes) throws IOException {
    try (JsonParser json = open(bytes)) {
      return new JournalInput(json).progress();
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw malformed();
    }
  }

  private static JsonParser open(byte[] bytes) throws IOException {
    return JsonFactory.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .build()
        .createParser(bytes);
  }

  private TransactionRecord record() throws IOException {
    RecordFields fields = new RecordFields();
    expect(json.nextToken(), JsonToken.START_OBJECT);
    object(field -> recordField(field, fields));
    return fields.build();
  }

  private void recordField(String field, RecordFields fields) throws IOException {
    switch (field) {
      case "schema" -> schema(JournalOutput.RECORD_SCHEMA);
      case "number" -> fields.number = json.getIntValue();
      case "time" -> fields.time = Instant.ofEpochSecond(json.getLongValue()).getEpochSecond();
      case "title" -> fields.title = string();
      case "undoes" -> fields.undoes = json.getIntValue();
      case "kernels" -> fields.kernels = strings();
      case "restored" -> fields.restored = strings();
      case "initramfs" -> fields.initramfs = strings();
      case "changes" -> fields.changes = changes();
      case "installed" -> fields.installed = strings();
      case "saved" -> fields.saved = indexes();
      default -> throw malformed();
    }
  }

  private static final class RecordFields {
    private int number;
    private long time;
    private @Nullable String title;
    private int undoes;
    private List<String> kernels = List.of();
    private List<String> restored = List.of();
    private List<String> initramfs = List.of();
    private @Nullable List<PathChange> changes;
    private List<String> installed = List.of();
    private List<IndexSet> saved = List.of();

    TransactionRecord build() throws IOException {
      if (title == null || changes == null || number <= 0) {
        throw malformed();
      }
      return new TransactionRecord(
          number, time, title, undoes, kernels, restored, initramfs, changes, installed, saved);
    }
  }

  private TransactionProgress progress() throws IOException {
    TransactionProgress.Phase[] phase = {TransactionProgress.Phase.BEGUN};
    @Nullable String[] problem = {null};
    List<IndexSet> written = new ArrayList<>();
    List<String> pending = new ArrayList<>();
    expect(json.nextToken(), JsonToken.START_OBJECT);
    object(
        field -> {
          switch (field) {
            case "schema" -> schema(JournalOutput.PROGRESS_SCHEMA);
            case "phase" -> phase[0] = TransactionProgress.Phase.valueOf(string());
            case "problem" -> problem[0] = string();
            case "initramfsPending" -> pending.addAll(strings());
            case "written" -> written.addAll(indexes());
            default -> throw malformed();
          }
        });
    return new TransactionProgress(phase[0], written, pending, problem[0]);
  }

  private List<PathChange> changes() throws IOException {
    List<PathChange> changes = new ArrayList<>();
    expect(json.currentToken(), JsonToken.START_ARRAY);
    while (json.nextToken() != JsonToken.END_ARRAY) {
      changes.add(change());
    }
    return changes;
  }

  private PathChange change() throws IOException {
    @Nullable String[] path = {null};
    PathState[] states = {PathState.ABSENT, PathState.ABSENT};
    object(
        field -> {
          switch (field) {
            case "path" -> path[0] = string();
            case "before" -> states[0] = state();
            case "after" -> states[1] = state();
            default -> throw malformed();
          }
        });
    if (path[0] == null) {
      throw malformed();
    }
    return new PathChange(path[0], states[0], states[1]);
  }

  private PathState state() throws IOException {
    if (json.currentToken() == JsonToken.START_OBJECT) {
      @Nullable String[] text = {null};
      object(
          field -> {
            if (!field.equals("text")) {
              throw malformed();
            }
            text[0] = string();
          });
      if (text[0] == null) {
        throw malformed();
      }
      return new PathState.Text(text[0]);
    }
    return json.currentToken() == JsonToken.VALUE_STRING
        ? new PathState.Link(string())
        : new PathState.Directory(json.getIntValue());
  }

  private List<IndexSet> indexes() throws IOException {
    List<IndexSet> sets = new ArrayList<>();
    object(
        kernel -> {
          SortedMap<String, String> marks = new TreeMap<>();
          object(file -> marks.put(file, string()));
          sets.add(new IndexSet(kernel, marks));
        });
    return sets;
  }

  private void object(FieldReader reader) throws IOException {
    expect(json.currentToken(), JsonToken.START_OBJECT);
    while (json.nextToken() != JsonToken.END_OBJECT) {
      expect(json.currentToken(), JsonToken.FIELD_NAME);
      String field = json.currentName();
      json.nextToken();
      reader.read(field);
    }
  }

  private List<String> strings() throws IOException {
    List<String> values = new ArrayList<>();
    expect(json.currentToken(), JsonToken.START_ARRAY);
    while (json.nextToken() != JsonToken.END_ARRAY) {
      values.add(string());
    }
    return values;
  }

  private String string() throws IOException {
    expect(json.currentToken(), JsonToken.VALUE_STRING);
    return json.getText();
  }

  private void schema(String expected) throws IOException {
    if (!string().equals(expected)) {
      throw new IOException("written by another version of this program");
    }
  }

  private static void expect(@Nullable JsonToken found, JsonToken wanted) throws IOException {
    if (found != wanted) {
      throw malformed();
    }
  }

  private static IOException malformed() {
    return new IOException("not a journal of this program");
  }
}
