package dev.weaklink.format.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.weaklink.sys.StableId;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object that was read completely: strings, integers, booleans, objects and lists of these types. A key whose
 * value is null or a fraction is treated as absent. Most accessors throw {@link UnreadableException} if the value is
 * missing or has another type.
 */
public final class JsonTree {
    private static final int MAX_TEXT = 64 << 20;
    private static final int MAX_DEPTH = 32;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(MAX_TEXT)
                    .maxNestingDepth(MAX_DEPTH)
                    .build())
            .build();

    private static final Object NOTHING = new Object();

    private final Map<String, Object> values = new LinkedHashMap<>();

    private JsonTree() {}

    public static JsonTree read(byte[] bytes) throws IOException {
        return read(new ByteArrayInputStream(bytes));
    }

    public static JsonTree read(InputStream in) throws IOException {
        try (JsonParser json = JSON.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new UnreadableException("is not a JSON object");
            }
            // Equal strings share one instance, because an audit file repeats the same names again and again.
            JsonTree tree = object(json, new HashMap<>());
            if (json.nextToken() != null) {
                throw new UnreadableException("contains more than one JSON object");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw new UnreadableException("is truncated or not valid JSON");
        }
    }

    private static JsonTree object(JsonParser json, Map<String, String> texts) throws IOException {
        JsonTree tree = new JsonTree();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            Object value = value(json, texts);
            if (value != null) {
                tree.values.put(key, value);
            }
        }
        return tree;
    }

    private static @Nullable Object value(JsonParser json, Map<String, String> texts) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json, texts);
            case START_ARRAY -> list(json, texts);
            case VALUE_NUMBER_INT -> json.getLongValue();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            case VALUE_STRING -> {
                String text = json.getText();
                String same = texts.putIfAbsent(text, text);
                yield same == null ? text : same;
            }
            default -> null;
        };
    }

    private static List<Object> list(JsonParser json, Map<String, String> texts) throws IOException {
        List<Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            Object value = value(json, texts);
            list.add(value == null ? NOTHING : value);
        }
        return list;
    }

    public Set<String> keys() {
        return values.keySet();
    }

    public boolean has(String key) {
        return values.containsKey(key);
    }

    public boolean hasObject(String key) {
        return values.get(key) instanceof JsonTree;
    }

    public boolean hasText(String key) {
        return values.get(key) instanceof String;
    }

    /** Returns the string of a key, or null if the key is absent. */
    public @Nullable String text(String key) throws UnreadableException {
        return has(key) ? require(key) : null;
    }

    public String require(String key) throws UnreadableException {
        return as(String.class, values.get(key), key);
    }

    public <T extends StableId> T constant(String key, T[] constants) throws UnreadableException {
        String id = require(key);
        T constant = StableId.of(id, List.of(constants));
        if (constant == null) {
            throw new UnreadableException("there is no " + key + " '" + id + "'");
        }
        return constant;
    }

    public int number(String key) throws UnreadableException {
        long value = longNumber(key);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw wrong(key);
        }
        return (int) value;
    }

    public int numberIfAny(String key) throws UnreadableException {
        return has(key) ? number(key) : 0;
    }

    public long longNumber(String key) throws UnreadableException {
        return as(Long.class, values.get(key), key);
    }

    public boolean isTrue(String key) {
        return Boolean.TRUE.equals(values.get(key));
    }

    public JsonTree object(String key) throws UnreadableException {
        return as(JsonTree.class, values.get(key), key);
    }

    public interface JsonReader<T> {
        T make(JsonTree item) throws UnreadableException;
    }

    public List<JsonTree> objects(String key) throws UnreadableException {
        return items(JsonTree.class, key);
    }

    public <T> List<T> list(String key, JsonReader<T> maker) throws UnreadableException {
        List<T> made = new ArrayList<>();
        for (JsonTree item : objects(key)) {
            made.add(maker.make(item));
        }
        return made;
    }

    public List<String> texts(String key) throws UnreadableException {
        return items(String.class, key);
    }

    public List<String> textsIfAny(String key) throws UnreadableException {
        return has(key) ? texts(key) : List.of();
    }

    public <T> List<T> listIfAny(String key, JsonReader<T> maker) throws UnreadableException {
        return has(key) ? list(key, maker) : List.of();
    }

    /** Returns all keys and their values, which must be strings. */
    public SortedMap<String, String> allTexts() throws UnreadableException {
        SortedMap<String, String> texts = new TreeMap<>();
        for (String key : keys()) {
            texts.put(key, require(key));
        }
        return texts;
    }

    private <T> List<T> items(Class<T> type, String key) throws UnreadableException {
        List<T> items = new ArrayList<>();
        for (Object item : as(List.class, values.get(key), key)) {
            items.add(as(type, item, key));
        }
        return items;
    }

    private static <T> T as(Class<T> type, @Nullable Object value, String key) throws UnreadableException {
        if (!type.isInstance(value)) {
            throw wrong(key);
        }
        return type.cast(value);
    }

    private static UnreadableException wrong(String key) {
        return new UnreadableException("'" + key + "' is missing or has the wrong type");
    }
}
