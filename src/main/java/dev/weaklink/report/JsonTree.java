package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One JSON object that was read whole: text, numbers, truth values, objects and lists of those. */
final class JsonTree {
  private static final int MAX_TEXT = 64 << 20;

  /** Equal texts are one: an audit has the same names again and again. */
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(MAX_TEXT).maxNestingDepth(32).build())
          .build();

  private final Map<String, Object> values = new HashMap<>();

  private JsonTree() {}

  /**
   * Reads a stream that holds one object and nothing else.
   *
   * @throws UnusableAuditException if it does not
   */
  static JsonTree read(InputStream in) throws IOException {
    try (JsonParser json = JSON.createParser(in)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new UnusableAuditException("is not a JSON object");
      }
      JsonTree tree = object(json, new HashMap<>());
      if (json.nextToken() != null) {
        throw new UnusableAuditException("holds more than one JSON object");
      }
      return tree;
    } catch (JsonProcessingException e) {
      throw new UnusableAuditException("is truncated or not valid JSON");
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

  private static @Nullable Object value(JsonParser json, Map<String, String> texts)
      throws IOException {
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
      if (value != null) {
        list.add(value);
      }
    }
    return list;
  }

  /** The text of a key, null if it is absent. */
  @Nullable String text(String key) throws UnusableAuditException {
    Object value = values.get(key);
    if (value != null && !(value instanceof String)) {
      throw wrong(key);
    }
    return (String) value;
  }

  String require(String key) throws UnusableAuditException {
    String text = text(key);
    if (text == null) {
      throw wrong(key);
    }
    return text;
  }

  /** A number from 0 on. */
  int number(String key) throws UnusableAuditException {
    if (values.get(key) instanceof Long value && value >= 0 && value <= Integer.MAX_VALUE) {
      return value.intValue();
    }
    throw wrong(key);
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  /** The object of a key. */
  JsonTree object(String key) throws UnusableAuditException {
    if (values.get(key) instanceof JsonTree tree) {
      return tree;
    }
    throw wrong(key);
  }

  /** The objects in a list. */
  List<JsonTree> objects(String key) throws UnusableAuditException {
    List<JsonTree> objects = new ArrayList<>();
    for (Object item : list(key)) {
      if (!(item instanceof JsonTree tree)) {
        throw wrong(key);
      }
      objects.add(tree);
    }
    return objects;
  }

  /** The texts in a list. */
  List<String> texts(String key) throws UnusableAuditException {
    List<String> texts = new ArrayList<>();
    for (Object item : list(key)) {
      if (!(item instanceof String text)) {
        throw wrong(key);
      }
      texts.add(text);
    }
    return List.copyOf(texts);
  }

  private List<?> list(String key) throws UnusableAuditException {
    if (values.get(key) instanceof List<?> list) {
      return list;
    }
    throw wrong(key);
  }

  private static UnusableAuditException wrong(String key) {
    return new UnusableAuditException("is no audit: '" + key + "' is missing or of another type");
  }
}
