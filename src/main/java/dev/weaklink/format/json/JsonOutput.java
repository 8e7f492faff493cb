package dev.weaklink.format.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON in pure ASCII, so that names of any bytes are valid and harmless on a terminal. The output stream stays
 * open.
 *
 * <p>Values are strings, integers, booleans, {@link #object objects}, collections of values, and {@link JsonWriter
 * writers}.
 */
public final class JsonOutput {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private JsonOutput() {}

    @FunctionalInterface
    public interface JsonWriter {
        void write(JsonGenerator json) throws IOException;
    }

    public static JsonGenerator open(OutputStream out) throws IOException {
        JsonGenerator json = FACTORY.createGenerator(out);
        json.setRootValueSeparator(null);
        return json;
    }

    /** Returns an object of alternating keys and values in the given order; null values are omitted. */
    public static Map<String, Object> object(@Nullable Object... keysAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            Object value = keysAndValues[i + 1];
            if (value != null) {
                object.put(String.valueOf(keysAndValues[i]), value);
            }
        }
        return object;
    }

    public static <T, V> List<V> list(Collection<T> items, Function<T, V> value) {
        List<V> list = new ArrayList<>(items.size());
        for (T item : items) {
            list.add(value.apply(item));
        }
        return list;
    }

    public static void writeLine(Object value, OutputStream out) throws IOException {
        try (JsonGenerator json = open(out)) {
            write(json, value);
            json.writeRaw('\n');
        }
    }

    public static byte[] line(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writeLine(value, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return bytes.toByteArray();
    }

    public static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> object) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : object.entrySet()) {
                json.writeFieldName((String) entry.getKey());
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Collection<?> list) {
            json.writeStartArray();
            for (Object item : list) {
                write(json, item);
            }
            json.writeEndArray();
        } else if (value instanceof JsonWriter writer) {
            writer.write(json);
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString((String) value);
        }
    }

    /** Writes a key and its value, unless the value is null. */
    public static void optional(JsonGenerator json, String key, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(key, value);
        }
    }

    public static void strings(JsonGenerator json, String key, List<String> values) throws IOException {
        json.writeArrayFieldStart(key);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }
}
