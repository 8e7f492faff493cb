package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.load.Layer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A log in SARIF 2.1.0 (OASIS) of one run, written result by result. */
final class Sarif {
  /** The rule of a module of which nothing is found wrong, but which is not known to load. */
  static final String UNDETERMINED = "undetermined";

  private static final String VERSION = "2.1.0";
  private static final String SCHEMA =
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

  private final JsonGenerator json;
  private final List<String> rules;

  /**
   * Begins the log; {@code out} is left open.
   *
   * @param rules by id, what they say
   * @param successful whether anything could be looked at
   * @param warnings about what was not looked at, escaped
   */
  Sarif(
      SortedMap<String, String> rules, boolean successful, List<String> warnings, OutputStream out)
      throws IOException {
    this.json = JsonOutput.open(out);
    this.rules = List.copyOf(rules.keySet());
    json.writeStartObject();
    json.writeStringField("$schema", SCHEMA);
    json.writeStringField("version", VERSION);
    json.writeArrayFieldStart("runs");
    json.writeStartObject();
    tool(rules);
    invocation(successful, warnings);
    json.writeStringField("columnKind", "utf16CodeUnits");
    json.writeArrayFieldStart("results");
  }

  /** What the rule of a loader's step, or {@link #UNDETERMINED}, says. */
  static String ruleOfStep(String id) {
    if (id.equals(Layer.INPUT.id())) {
      return "the module's file cannot be read";
    }
    return id.equals(UNDETERMINED)
        ? "something decisive could not be looked at"
        : "the kernel's module loader objects at the step " + id;
  }

  /** Ends the log. */
  void end() throws IOException {
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
    json.writeRaw('\n');
    json.close();
  }

  private void tool(Map<String, String> described) throws IOException {
    json.writeObjectFieldStart("tool");
    json.writeObjectFieldStart("driver");
    json.writeStringField("name", "weaklink");
    json.writeArrayFieldStart("rules");
    for (Map.Entry<String, String> rule : described.entrySet()) {
      json.writeStartObject();
      json.writeStringField("id", rule.getKey());
      text("shortDescription", rule.getValue());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndObject();
  }

  private void invocation(boolean successful, List<String> warnings) throws IOException {
    json.writeArrayFieldStart("invocations");
    json.writeStartObject();
    json.writeBooleanField("executionSuccessful", successful);
    json.writeArrayFieldStart("toolExecutionNotifications");
    for (String words : warnings) {
      json.writeStartObject();
      json.writeStringField("level", "warning");
      text("message", words);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndArray();
  }

  /** Writes a result. */
  void result(Result result) throws IOException {
    json.writeStartObject();
    json.writeStringField("ruleId", result.rule);
    json.writeNumberField("ruleIndex", rules.indexOf(result.rule));
    json.writeStringField("level", result.level);
    text("message", result.words);
    location(result);
    json.writeObjectFieldStart("partialFingerprints");
    json.writeStringField("weaklinkIdentity/v1", result.identity);
    json.writeEndObject();
    json.writeObjectFieldStart("properties");
    for (Map.Entry<String, String> property : result.properties.entrySet()) {
      json.writeStringField(property.getKey(), property.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private void location(Result result) throws IOException {
    json.writeArrayFieldStart("locations");
    json.writeStartObject();
    if (result.path != null) {
      json.writeObjectFieldStart("physicalLocation");
      json.writeObjectFieldStart("artifactLocation");
      json.writeStringField("uri", FileUri.relative(result.path));
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeArrayFieldStart("logicalLocations");
    json.writeStartObject();
    json.writeStringField("name", result.module);
    json.writeStringField("fullyQualifiedName", result.kernel + "/" + result.module);
    json.writeStringField("kind", "module");
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndArray();
  }

  /** A text in which nothing is a placeholder (3.11.5) and nothing a link (3.11.6). */
  private void text(String key, String words) throws IOException {
    json.writeObjectFieldStart(key);
    json.writeStringField("text", words.replace("{", "{{").replace("}", "}}").replace("](", "] ("));
    json.writeEndObject();
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
      Map<String, String> properties) {}
}
