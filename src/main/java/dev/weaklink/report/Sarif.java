package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.load.FindingKind;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A log in SARIF 2.1.0 (OASIS) of one run, written result by result. */
final class Sarif {
  /** The rule of a module of which nothing is found wrong, but which is not known to load. */
  static final String UNDETERMINED = "undetermined";

  private static final String VERSION = "2.1.0";
  private static final String SCHEMA =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

  /** More than this no reader of SARIF that is in wide use takes in one run. */
  private static final int MOST_RESULTS = 25_000;

  private static final long MOST_BYTES = 9_900_000;

  private final CountedStream counted;
  private final JsonGenerator json;
  private final List<String> rules;
  private final boolean successful;
  private final List<String> warnings;
  private final SortedMap<String, Integer> left = new TreeMap<>();
  private int written;

  /**
   * Begins the log; {@code out} is left open.
   *
   * @param rules by id, what they say
   * @param successful whether anything could be looked at
   * @param warnings about what was not checked, escaped
   */
  Sarif(
      SortedMap<String, String> rules, boolean successful, List<String> warnings, OutputStream out)
      throws IOException {
    this.counted = new CountedStream(out);
    this.json = JsonOutput.open(counted);
    this.rules = List.copyOf(rules.keySet());
    this.successful = successful;
    this.warnings = new ArrayList<>(warnings);
    json.writeStartObject();
    json.writeStringField("$schema", SCHEMA);
    json.writeStringField("version", VERSION);
    json.writeArrayFieldStart("runs");
    json.writeStartObject();
    json.writeFieldName("tool");
    JsonOutput.write(json, tool(rules));
    json.writeStringField("columnKind", "utf16CodeUnits");
    json.writeArrayFieldStart("results");
  }

  /**
   * What the rule of a kind of finding, of a layer in older audits, or of the undetermined says.
   */
  static String ruleOf(String id) {
    if (id.equals(UNDETERMINED)) {
      return "something decisive could not be checked";
    }
    FindingKind kind = FindingKind.of(id);
    return kind == null
        ? "refused by the kernel's module loader at the step " + id
        : kind.meaning();
  }

  /** Ends the log, and says what it had no room for. */
  void end() throws IOException {
    json.writeEndArray();
    if (!left.isEmpty()) {
      warnings.add(rest());
    }
    json.writeFieldName("invocations");
    JsonOutput.write(json, List.of(invocation(successful, warnings)));
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
    json.writeRaw('\n');
    json.close();
  }

  private String rest() {
    int all = 0;
    StringBuilder kinds = new StringBuilder();
    for (Map.Entry<String, Integer> rule : left.entrySet()) {
      all += rule.getValue();
      kinds.append(kinds.isEmpty() ? ": " : ", ");
      kinds.append(rule.getValue()).append(' ').append(rule.getKey());
    }
    return all + " more results do not fit into a SARIF log" + kinds + "; --format json has all";
  }

  private static Object tool(Map<String, String> described) {
    List<Object> rules = new ArrayList<>();
    described.forEach((id, words) -> rules.add(object("id", id, "shortDescription", text(words))));
    return object("driver", object("name", "weaklink", "rules", rules));
  }

  private static Object invocation(boolean successful, List<String> warnings) {
    return object(
        "executionSuccessful",
        successful,
        "toolExecutionNotifications",
        list(warnings, words -> object("level", "warning", "message", text(words))));
  }

  /** Writes a result, unless the log is full. */
  void result(Result result) throws IOException {
    long bytes = counted.count + json.getOutputBuffered();
    if (written == MOST_RESULTS || bytes + result.length() > MOST_BYTES) {
      left.merge(result.rule, 1, Integer::sum);
      return;
    }
    written++;
    JsonOutput.write(
        json,
        object(
            "ruleId", result.rule,
            "ruleIndex", rules.indexOf(result.rule),
            "level", result.level,
            "message", text(result.words),
            "locations", List.of(location(result)),
            "partialFingerprints", object("weaklinkIdentity/v1", result.identity),
            "properties", result.properties));
  }

  private static Object location(Result result) {
    String path = result.path;
    Object logical =
        object(
            "name",
            result.module,
            "fullyQualifiedName",
            result.kernel + "/" + result.module,
            "kind",
            "module");
    return object(
        "physicalLocation",
        path == null ? null : physical(path),
        "logicalLocations",
        List.of(logical));
  }

  private static Object physical(String path) {
    return object("artifactLocation", object("uri", FileUri.relative(path)));
  }

  /** A text in which nothing is a placeholder (3.11.5) and nothing a link (3.11.6). */
  private static Object text(String words) {
    return object("text", words.replace("{", "{{").replace("}", "}}").replace("](", "] ("));
  }

  /**
   * Something that is wrong. All texts but the path are escaped.
   *
   * @param rule the id of its rule
   * @param level error or warning
   * @param path of the module's file, null if it has none
   * @param identity by which the same thing is known again in another run
   */
  record Result(
      String rule,
      String level,
      String words,
      @Nullable String path,
      String module,
      String kernel,
      String identity,
      Map<String, String> properties) {
    /** About how long it is in JSON, at most: texts may have to be escaped. */
    private long length() {
      long length =
          1_000 + words.length() + identity.length() + 2L * (kernel.length() + module.length());
      for (String value : properties.values()) {
        length += value.length();
      }
      return length * 2;
    }
  }

  private static final class CountedStream extends FilterOutputStream {
    private long count;

    CountedStream(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      count++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      count += length;
    }
  }
}
