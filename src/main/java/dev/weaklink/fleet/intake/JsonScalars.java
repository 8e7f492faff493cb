package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The scalar values of a JSON object as strings; nested objects and arrays are skipped. */
final class JsonScalars {
    private final Map<String, String> values = new HashMap<>();

    static JsonScalars read(JsonParser json, StringPool pool) throws IOException {
        JsonScalars item = new JsonScalars();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            item.take(key, json, pool);
        }
        return item;
    }

    void take(String key, JsonParser json, StringPool pool) throws IOException {
        JsonToken value = json.currentToken();
        if (value != null && value.isScalarValue() && value != JsonToken.VALUE_NULL) {
            values.put(key, pool.same(json.getText()));
        } else {
            json.skipChildren();
        }
    }

    void addAll(JsonScalars other) {
        other.values.forEach(values::putIfAbsent);
    }

    boolean hasAny(Set<String> keys) {
        return values.keySet().stream().anyMatch(keys::contains);
    }

    boolean hasLonger(int most) {
        return values.values().stream().anyMatch(value -> value.length() > most);
    }

    @Nullable
    String get(String key) {
        return values.get(key);
    }

    String require(String key) throws UnreadableException {
        String value = values.get(key);
        if (value == null) {
            throw new UnreadableException(UnreadableKind.CONTENTS, "'" + key + "' is missing");
        }
        return value;
    }

    @Nullable
    Boolean truth(String key) {
        String value = values.get(key);
        return value == null ? null : value.equals("true");
    }

    /** Interns strings, because many module sets contain modules with the same names, paths and versions. */
    static final class StringPool {
        private static final int MOST = 1 << 16;
        private static final int LONGEST = 256;

        private final Map<String, String> texts = new HashMap<>();

        private String same(String text) {
            if (text.length() > LONGEST) {
                return text;
            }
            if (texts.size() == MOST) {
                texts.clear();
            }
            String same = texts.putIfAbsent(text, text);
            return same == null ? text : same;
        }
    }
}
