package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.weaklink.fleet.nodeset.NodeSet;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON over several lines: what Ansible's json callback and Salt's json outputter print, or nodes
 * that a formatter went over.
 */
final class DocumentIntake {
  /** Deeper than what Ansible prints: Python's own limit is a tenth of it. */
  private static final int MAX_DEPTH = 10_000;

  /**
   * The names of keys are those of nodes here: a table of them would only grow. What one node makes
   * large must not cost the others in the document.
   */
  static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(Lines.MAX_LENGTH)
                  .maxNameLength(Lines.MAX_LENGTH)
                  .maxNumberLength(Lines.MAX_LENGTH)
                  .maxNestingDepth(MAX_DEPTH)
                  .build())
          .build();

  private final Receiver receiver;
  private final @Nullable String fallback;

  DocumentIntake(Receiver receiver, @Nullable String fallback) {
    this.receiver = receiver;
    this.fallback = fallback;
  }

  /** Reads one object after the other; behind damage in one nothing can be found any more. */
  void read(InputStream in) throws IOException {
    try (JsonParser json = JSON.createParser(in)) {
      while (json.nextToken() != null) {
        readObject(json);
      }
    } catch (StreamConstraintsException e) {
      receiver.problem(0, NodeLine.BEYOND_LIMITS + "; the rest of the file is skipped");
    } catch (JsonProcessingException e) {
      long line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      receiver.problem(line, "is truncated or not JSON; the rest of the file is skipped");
    } catch (CharConversionException e) {
      receiver.problem(0, "is not valid UTF-8; the rest of the file is skipped");
    }
  }

  private void readObject(JsonParser json) throws IOException {
    long line = json.currentTokenLocation().getLineNr();
    long start = json.currentTokenLocation().getCharOffset();
    if (json.currentToken() != JsonToken.START_OBJECT) {
      json.skipChildren();
      receiver.problem(line, "is not a JSON object");
      return;
    }
    InventoryDraft draft = new InventoryDraft(receiver.tables());
    boolean hosts = false;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      json.nextToken();
      if (key.equals("plays") || key.equals("hosts")) {
        hosts = true;
        readResults(key, json);
      } else if (draft.isOther(key) && NodeSet.isName(key)) {
        hosts = true;
        HostResult.read(key, json, receiver);
      } else if (!take(draft, key, json, line)) {
        return;
      }
    }
    if (!hosts) {
      finish(draft, line, (int) Math.min(Integer.MAX_VALUE, offset(json) - start));
    }
  }

  /** Takes one key of a node; false if it is damaged, and the parser stands behind the node. */
  private boolean take(InventoryDraft draft, String key, JsonParser json, long line)
      throws IOException {
    try {
      if (!draft.take(key, json)) {
        json.skipChildren();
      }
      return true;
    } catch (MalformedNodeException e) {
      receiver.problem(line, e.getMessage() + "; skipped");
      while (!json.getParsingContext().inRoot()) {
        json.nextToken();
      }
      return false;
    }
  }

  private void finish(InventoryDraft draft, long line, int length) {
    try {
      int counted = (int) Math.max(0, length - draft.tableLength());
      NodeLine node = new NodeLine(draft.node(), draft.finish(), counted);
      receiver.accept(node, List.of(), fallback, line);
    } catch (MalformedNodeException e) {
      receiver.problem(line, e.getMessage() + "; skipped");
    }
  }

  private static long offset(JsonParser json) {
    return json.currentLocation().getCharOffset();
  }

  /**
   * Looks for results of hosts below a key of {@code plays}, {@code tasks} and {@code hosts}; what
   * lies below other keys is passed over.
   */
  private void readResults(String key, JsonParser json) throws IOException {
    if (key.equals("hosts") && json.currentToken() == JsonToken.START_OBJECT) {
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String host = json.currentName();
        json.nextToken();
        HostResult.read(host, json, receiver);
      }
      return;
    }
    if (json.currentToken() != JsonToken.START_ARRAY) {
      json.skipChildren();
      return;
    }
    String wanted = key.equals("plays") ? "tasks" : "hosts";
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() == JsonToken.START_OBJECT) {
        readBelow(wanted, json);
      } else {
        json.skipChildren();
      }
    }
  }

  private void readBelow(String wanted, JsonParser json) throws IOException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean isWanted = json.currentName().equals(wanted);
      json.nextToken();
      if (isWanted) {
        readResults(wanted, json);
      } else {
        json.skipChildren();
      }
    }
  }
}
