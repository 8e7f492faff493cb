package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads back, of what {@link ManifestJson} wrote, what a later run wants to know. */
public final class ManifestReader {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(16).build())
          .build();

  private String state = "";
  private String backend = "";
  private String subject = "";
  private final List<String> modules = new ArrayList<>();

  private ManifestReader() {}

  /**
   * What a run was.
   *
   * @param state how it ended, as {@code Manifest.State} calls it
   * @param backend what built
   * @param subject what was built, without its version; empty if that was not told
   * @param modules names of the modules that were built
   */
  public record Told(String state, String backend, String subject, List<String> modules) {
    public Told {
      modules = List.copyOf(modules);
    }
  }

  /** Reads a document; null if it is none. */
  public static @Nullable Told read(byte[] document) {
    try (JsonParser json = JSON.createParser(document)) {
      ManifestReader reader = new ManifestReader();
      reader.document(json);
      return new Told(reader.state, reader.backend, reader.subject, reader.modules);
    } catch (IOException e) {
      return null;
    }
  }

  private void document(JsonParser json) throws IOException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw new IOException("not an object");
    }
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      JsonToken value = json.nextToken();
      switch (key) {
        case "state" -> state = text(json, value);
        case "backend" -> backend = text(json, value);
        case "inputs" -> subject = String.join("", texts(json, "subject"));
        case "modules" -> modules.addAll(texts(json, "module"));
        default -> json.skipChildren();
      }
    }
  }

  private static String text(JsonParser json, JsonToken value) throws IOException {
    json.skipChildren();
    return value == JsonToken.VALUE_STRING ? json.getText() : "";
  }

  /** The texts of that key anywhere in the object or list that begins here. */
  private static List<String> texts(JsonParser json, String key) throws IOException {
    List<String> texts = new ArrayList<>();
    int depth = 0;
    JsonToken token = json.currentToken();
    while (token != null) {
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      if (depth == 0) {
        return texts;
      }
      if (token == JsonToken.VALUE_STRING && key.equals(json.currentName())) {
        texts.add(json.getText());
      }
      token = json.nextToken();
    }
    throw new IOException("it is truncated");
  }
}
