package dev.weaklink.rules.yaml;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Turns a YAML text into nodes. Aliases, tags and further documents are refused, so that the nodes
 * are no more than the text; depth and number are bounded.
 */
final class YamlTree {
  /** Rule files need 5. */
  private static final int MAX_DEPTH = 12;

  private static final int MAX_NODES = 20_000;

  /** What stands for nothing where it is not quoted (YAML 1.1, null). */
  private static final List<String> NULLS = List.of("", "~", "null", "Null", "NULL");

  private final Parser parser;
  private final Problems problems;
  private int nodes;

  private YamlTree(Parser parser, Problems problems) {
    this.parser = parser;
    this.problems = problems;
  }

  /** The document; null if it is no usable YAML, about which there is a problem then. */
  static @Nullable Node read(String text, Problems problems) {
    try {
      Parser parser = new ParserImpl(new StreamReader(text), new LoaderOptions());
      return new YamlTree(parser, problems).document();
    } catch (TooMuchException e) {
      problems.add(e.at, String.valueOf(e.getMessage()));
    } catch (MarkedYAMLException e) {
      problems.add(place(e.getProblemMark()), "not valid YAML: " + reason(e));
    } catch (ReaderException e) {
      Place at = place(text, e.getPosition());
      problems.add(at, "not valid YAML: control characters are not allowed");
    } catch (YAMLException e) {
      problems.add(Place.WHOLE, "not valid YAML: " + firstLine(e.getMessage()));
    }
    return null;
  }

  private static String reason(MarkedYAMLException e) {
    Mark start = e.getContextMark();
    String reason = firstLine(e.getProblem());
    return e.getContext() == null || start == null
        ? reason
        : reason + ", " + e.getContext() + " from line " + (start.getLine() + 1) + " on";
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "it cannot be parsed" : message.lines().findFirst().orElse("");
  }

  /** Where the character with this number is. */
  private static Place place(String text, int position) {
    String before = text.substring(0, text.offsetByCodePoints(0, position));
    int lineStart = before.lastIndexOf('\n') + 1;
    int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
    return new Place(line, 1 + before.codePointCount(lineStart, before.length()));
  }

  private static Place place(@Nullable Mark mark) {
    return mark == null ? Place.WHOLE : new Place(mark.getLine() + 1, mark.getColumn() + 1);
  }

  private Node document() {
    parser.getEvent(); // of the stream
    if (parser.checkEvent(Event.ID.StreamEnd)) {
      return new Node.Empty(Place.WHOLE);
    }
    parser.getEvent(); // of the document
    Node node = node(1);
    parser.getEvent();
    if (!parser.checkEvent(Event.ID.StreamEnd)) {
      parser.getEvent();
      Place at = place(parser.peekEvent().getStartMark());
      problems.add(at, "a second document begins here; use a file for each");
    }
    return node;
  }

  private Node node(int depth) {
    Event event = parser.getEvent();
    Place at = place(event.getStartMark());
    if (depth > MAX_DEPTH) {
      throw new TooMuchException(at, "nested more than " + MAX_DEPTH + " deep");
    }
    if (++nodes > MAX_NODES) {
      throw new TooMuchException(at, "more than " + MAX_NODES + " values; use several files");
    }
    boolean usable = isPlain(event, at);
    Node node = new Node.Refused(at);
    if (event instanceof MappingStartEvent) {
      node = mapping(at, depth);
    } else if (event instanceof SequenceStartEvent) {
      node = items(at, depth);
    } else if (event instanceof ScalarEvent scalar) {
      boolean empty = scalar.isPlain() && NULLS.contains(scalar.getValue());
      node = empty ? new Node.Empty(at) : new Node.Scalar(scalar.getValue(), at);
    }
    return usable ? node : new Node.Refused(at);
  }

  private boolean isPlain(Event event, Place at) {
    if (event instanceof NodeEvent node && node.getAnchor() != null) {
      problems.add(at, "anchors and aliases are not supported; write it out");
      return false;
    }
    if (event instanceof ScalarEvent scalar && scalar.getTag() != null
        || event instanceof CollectionStartEvent start && start.getTag() != null) {
      problems.add(at, "tags are not supported; remove it");
      return false;
    }
    return true;
  }

  private Node mapping(Place at, int depth) {
    List<Node.Entry> entries = new ArrayList<>();
    while (!parser.checkEvent(Event.ID.MappingEnd)) {
      Event key = parser.getEvent();
      Place keyAt = place(key.getStartMark());
      isPlain(key, keyAt);
      if (!(key instanceof ScalarEvent) && !(key instanceof AliasEvent)) {
        throw new TooMuchException(keyAt, "a key must be a word");
      }
      String name = key instanceof ScalarEvent scalar ? scalar.getValue() : "";
      entries.add(new Node.Entry(name, keyAt, node(depth + 1)));
    }
    parser.getEvent();
    return new Node.Mapping(List.copyOf(entries), at);
  }

  private Node items(Place at, int depth) {
    List<Node> items = new ArrayList<>();
    while (!parser.checkEvent(Event.ID.SequenceEnd)) {
      items.add(node(depth + 1));
    }
    parser.getEvent();
    return new Node.Items(List.copyOf(items), at);
  }

  /** More than a rule file may hold, at a place. */
  private static final class TooMuchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Place at;

    TooMuchException(Place at, String reason) {
      super(reason);
      this.at = at;
    }
  }
}
