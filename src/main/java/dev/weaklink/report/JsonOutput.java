package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON as this program writes it: pure ASCII, so that names of any bytes are valid and harmless on
 * a terminal; a key whose value is null is left out; the stream is left open.
 */
final class JsonOutput {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
          .build();

  private JsonOutput() {}

  static JsonGenerator open(OutputStream out) throws IOException {
    JsonGenerator json = FACTORY.createGenerator(out);
    json.setRootValueSeparator(null);
    return json;
  }

  static void optional(JsonGenerator json, String key, @Nullable String value) throws IOException {
    if (value != null) {
      json.writeStringField(key, value);
    }
  }

  static void strings(JsonGenerator json, String key, List<String> values) throws IOException {
    json.writeArrayFieldStart(key);
    for (String value : values) {
      json.writeString(value);
    }
    json.writeEndArray();
  }
}
