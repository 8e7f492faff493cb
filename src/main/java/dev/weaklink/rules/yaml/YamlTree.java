package dev.weaklink.rules.yaml;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a YAML text into nodes. Aliases, tags and further documents are refused, so that the nodes
 * are no more than the text; depth and number are bounded.
 */
final class YamlTree {
  /** Rule files need 5. */
  private static final int MAX_DEPTH = 12;

  private static final int MAX_NODES = 20_000;

  private static final YAMLFactory YAML = new YAMLFactory();

  private final YAMLParser parser;
  private final Problems problems;
  private int nodes;

  private YamlTree(YAMLParser parser, Problems problems) {
    this.parser = parser;
    this.problems = problems;
  }

  /** The document; null if it is no usable YAML, about which there is a problem then. */
  static @Nullable Node read(String text, Problems problems) {
    try (YAMLParser parser = YAML.createParser(text)) {
      return new YamlTree(parser, problems).document();
    } catch (TooMuchException e) {
      problems.add(e.at, e.reason);
    } catch (JsonProcessingException e) {
      YamlError.of(e, place(e.getLocation()), text).addTo(problems);
    } catch (IOException | RuntimeException e) {
      // The parser below Jackson has exceptions of its own that are not always translated.
      YamlError.of(e, Place.WHOLE, text).addTo(problems);
    }
    return null;
  }

  private static Place place(@Nullable JsonLocation location) {
    return location == null || location.getLineNr() < 1
        ? Place.WHOLE
        : new Place(location.getLineNr(), Math.max(1, location.getColumnNr()));
  }

  private Node document() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null) {
      return new Node.Empty(Place.WHOLE);
    }
    Node node = node(first, 1);
    if (parser.nextToken() != null) {
      problems.add(here(), "a second document begins here; use a file for each");
    }
    return node;
  }

  private Place here() {
    return place(parser.currentTokenLocation());
  }

  private Node node(JsonToken token, int depth) throws IOException {
    Place at = here();
    if (depth > MAX_DEPTH) {
      throw new TooMuchException(at, "nested more than " + MAX_DEPTH + " deep");
    }
    if (++nodes > MAX_NODES) {
      throw new TooMuchException(at, "more than " + MAX_NODES + " values; use several files");
    }
    boolean usable = isPlain(at);
    Node node =
        switch (token) {
          case START_OBJECT -> mapping(at, depth);
          case START_ARRAY -> items(at, depth);
          case VALUE_NULL -> new Node.Empty(at);
          default -> new Node.Scalar(parser.getText(), at);
        };
    return usable ? node : new Node.Refused(at);
  }

  private boolean isPlain(Place at) throws IOException {
    if (parser.isCurrentAlias() || parser.getObjectId() != null) {
      problems.add(at, "anchors and aliases are not known here; write it out");
      return false;
    }
    if (parser.getTypeId() != null) {
      problems.add(at, "tags are not known here; remove it");
      return false;
    }
    return true;
  }

  private Node mapping(Place at, int depth) throws IOException {
    List<Node.Entry> entries = new ArrayList<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      Place keyAt = here();
      isPlain(keyAt);
      entries.add(new Node.Entry(key, keyAt, node(next(parser), depth + 1)));
    }
    return new Node.Mapping(List.copyOf(entries), at);
  }

  private Node items(Place at, int depth) throws IOException {
    List<Node> items = new ArrayList<>();
    JsonToken token = next(parser);
    while (token != JsonToken.END_ARRAY) {
      items.add(node(token, depth + 1));
      token = next(parser);
    }
    return new Node.Items(List.copyOf(items), at);
  }

  private static JsonToken next(JsonParser parser) throws IOException {
    JsonToken token = parser.nextToken();
    if (token == null) {
      throw new IOException("it ends too early");
    }
    return token;
  }

  private static final class TooMuchException extends IOException {
    private final transient Place at;
    private final String reason;

    TooMuchException(Place at, String reason) {
      super(reason);
      this.at = at;
      this.reason = reason;
    }
  }
}
