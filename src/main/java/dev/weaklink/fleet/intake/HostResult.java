package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weaklink.fleet.nodeset.NodeSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What Ansible and Salt give as one host's result: an object with the command's output, or that
 * output alone. A result counts if its output has a node's line.
 */
final class HostResult {
  /** What Ansible says where the code says it. */
  static final String OF_CODE = "non-zero return code";

  /** What Salt says of a host that did not answer, if it does not say false. */
  private static final String NO_RETURN = "Minion did not return";

  /** No inventory has a key whose value is JSON in a text, or false, first. */
  private static final Pattern HOSTS =
      Pattern.compile("\\{\\s*\"[^\"\\\\]{1,255}\"\\s*:\\s*(\"\\{|\"" + NO_RETURN + "|false)");

  private HostResult() {}

  /** Takes in the value that the parser stands at. */
  static void read(String host, JsonParser json, Receiver receiver) throws IOException {
    read(host, json, json.currentTokenLocation().getLineNr(), receiver);
  }

  private static void read(String host, JsonParser json, long line, Receiver receiver)
      throws IOException {
    JsonToken token = json.currentToken();
    if (!NodeSet.isName(host)) {
      json.skipChildren();
      receiver.problem(line, "cannot be a node's name: " + Receiver.shortened(host));
    } else if (token == JsonToken.START_OBJECT) {
      readObject(host, JsonItem.read(json, receiver.tables().texts()), line, receiver);
    } else if (token == JsonToken.VALUE_STRING && !json.getText().startsWith(NO_RETURN)) {
      readOutput(host, json.getText(), line, receiver);
    } else if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_FALSE) {
      receiver.silent(List.of(host), FailureLine.of(NO_RETURN), true);
    } else {
      json.skipChildren();
    }
  }

  /** Whether a line is an object of hosts and their output: {@code salt --out-indent=-1}. */
  static boolean areOnLine(String line) {
    return HOSTS.matcher(line).lookingAt();
  }

  /** Takes in such a line. */
  static void readLine(byte[] bytes, int offset, int length, long line, Receiver receiver)
      throws IOException {
    try (JsonParser json = DocumentIntake.JSON.createParser(bytes, offset, length)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String host = json.currentName();
        json.nextToken();
        read(host, json, line, receiver);
      }
    } catch (JsonProcessingException e) {
      receiver.problem(line, "is truncated or not JSON; skipped");
    }
  }

  /** The same of JSON that stands behind a host's name in a text. */
  static void read(String host, byte[] bytes, int offset, int length, long line, Receiver receiver)
      throws IOException {
    try (JsonParser json = DocumentIntake.JSON.createParser(bytes, offset, length)) {
      json.nextToken();
      readObject(host, JsonItem.read(json, receiver.tables().texts()), line, receiver);
    } catch (JsonProcessingException e) {
      receiver.problem(line, "of node " + host + ": is truncated or not JSON; skipped");
      receiver.silent(List.of(host), FailureLine.DAMAGED, true);
    }
  }

  private static void readObject(String host, JsonItem result, long line, Receiver receiver) {
    boolean failed =
        Boolean.TRUE.equals(result.truth("unreachable"))
            || Boolean.TRUE.equals(result.truth("failed"));
    String output = result.get("stdout");
    String code = first(result.get("rc"), result.get("retcode"));
    if (output != null && !failed) {
      readOutput(host, output, line, receiver);
    }
    if (failed || code != null && !code.equals("0")) {
      String message = result.get("msg");
      String words = first(result.get("stderr"), OF_CODE.equals(message) ? output : message);
      receiver.silent(List.of(host), FailureLine.of(words == null ? "" : words), true);
      receiver.silent(List.of(host), FailureLine.of(code == null ? "failed" : "rc=" + code), true);
    }
  }

  private static @Nullable String first(@Nullable String one, @Nullable String other) {
    return one == null || one.isEmpty() ? other : one;
  }

  /** Other tasks print other things, which are nobody's mistake. */
  private static void readOutput(String host, String output, long line, Receiver receiver) {
    for (String text : output.split("\n", -1)) {
      byte[] bytes = text.strip().getBytes(StandardCharsets.UTF_8);
      if (bytes.length == 0 || bytes[0] != '{') {
        continue;
      }
      try {
        receiver.accept(
            NodeLine.parse(bytes, 0, bytes.length, receiver.tables()), List.of(host), null, line);
      } catch (MalformedNodeException e) {
        receiver.problem(line, "of node " + host + ": " + e.getMessage() + "; skipped");
        receiver.silent(List.of(host), e.failure(), true);
      } catch (RuntimeException e) {
        // A mistake of this program: it must not cost the other nodes.
        receiver.problem(line, "of node " + host + ": internal error: " + e + "; skipped");
      }
    }
  }
}
