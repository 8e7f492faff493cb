package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.audit.JudgedParts;
import dev.weaklink.audit.SetAnswer;
import dev.weaklink.audit.TargetAnswers;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.json.JsonTree;
import dev.weaklink.json.MalformedJsonException;
import dev.weaklink.source.InputProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What came of parts of a plan: a line about them, then one for each answer, and who gets it. */
public final class JudgedPartsJson {
  private static final String SCHEMA = "weaklink.audit-result/1";

  private final List<TargetAnswers> targets = new ArrayList<>();
  private @Nullable JudgedParts parts;
  private int lines;

  private final VerdictSpill spill;

  private JudgedPartsJson(VerdictSpill spill) {
    this.spill = spill;
  }

  /** Writes them. */
  public static void write(JudgedParts parts, OutputStream out) throws IOException {
    List<TargetAnswers> targets = parts.answers();
    Map<SetAnswer, SortedMap<Integer, List<Integer>>> places = places(targets);
    JsonOutput.writeLine(
        object(
            "schema", SCHEMA,
            "plan", parts.plan(),
            "of", parts.of(),
            "lines", places.size(),
            "parts", parts.parts(),
            "targets", list(targets, JudgedPartsJson::target),
            "problems",
                list(
                    parts.problems(),
                    one -> object("subject", one.subject(), "message", one.message()))),
        out);
    for (Map.Entry<SetAnswer, SortedMap<Integer, List<Integer>>> each : places.entrySet()) {
      JsonOutput.writeLine(answer(each.getKey(), each.getValue()), out);
    }
  }

  /** By answer, which sets get it on each target. */
  private static Map<SetAnswer, SortedMap<Integer, List<Integer>>> places(
      List<TargetAnswers> targets) {
    Map<SetAnswer, SortedMap<Integer, List<Integer>>> places = new LinkedHashMap<>();
    for (int i = 0; i < targets.size(); i++) {
      int target = i;
      targets
          .get(i)
          .answers()
          .forEach(
              (set, answer) ->
                  places
                      .computeIfAbsent(answer, key -> new TreeMap<>())
                      .computeIfAbsent(target, key -> new ArrayList<>())
                      .add(set));
    }
    return places;
  }

  private static Object target(TargetAnswers target) {
    return object(
        "label", target.label(),
        "release", target.release(),
        "vermagic", target.vermagic(),
        "source", target.source(),
        "notes", target.notes());
  }

  private static Object answer(SetAnswer answer, SortedMap<Integer, List<Integer>> places) {
    return object(
        "loads", answer.loads(),
        "fails", answer.fails(),
        "undetermined", answer.undetermined(),
        "reason", answer.reason(),
        "modules", list(answer.modules(), AuditJson::moduleVerdict),
        "causes", list(answer.causes(), AuditJson::cause),
        "unchecked", answer.unchecked(),
        "on", list(places.entrySet(), on -> object("target", on.getKey(), "sets", on.getValue())));
  }

  /**
   * Reads them.
   *
   * @param spill takes what is said of modules
   * @throws UnusableAuditException if they are none
   */
  public static JudgedParts read(InputStream in, VerdictSpill spill) throws IOException {
    JudgedPartsJson reader = new JudgedPartsJson(spill);
    try {
      JsonTree.readEach(in, reader::take);
    } catch (MalformedJsonException e) {
      throw new UnusableAuditException(
          "is not what 'weaklink audit judge' wrote: " + e.getMessage());
    }
    if (reader.parts == null) {
      throw new UnusableAuditException("is empty");
    }
    if (reader.lines != 0) {
      throw new UnusableAuditException("is truncated");
    }
    reader.parts.add(new TreeSet<>(), reader.targets, List.of());
    return reader.parts;
  }

  private void take(JsonTree json) throws MalformedJsonException {
    if (parts == null) {
      parts = head(json);
      return;
    }
    lines--;
    SetAnswer answer =
        new SetAnswer(
            json.number("loads"),
            json.number("fails"),
            json.number("undetermined"),
            json.require("reason"),
            spill.keep(AuditReader.items(json, "modules", AuditReader::moduleVerdict)),
            AuditReader.items(json, "causes", AuditReader::cause),
            json.texts("unchecked"));
    for (JsonTree on : json.objects("on")) {
      Map<Integer, SetAnswer> answers =
          targets.get(AuditReader.place(on, "target", targets.size())).answers();
      on.numbers("sets").forEach(set -> answers.put(set, answer));
    }
  }

  private JudgedParts head(JsonTree json) throws MalformedJsonException {
    if (!SCHEMA.equals(json.require("schema"))) {
      throw new MalformedJsonException("is of another schema");
    }
    lines = json.number("lines");
    targets.addAll(AuditReader.items(json, "targets", JudgedPartsJson::readTarget));
    JudgedParts head = new JudgedParts(json.require("plan"), json.number("of"));
    head.add(
        new TreeSet<>(json.numbers("parts")),
        List.of(),
        AuditReader.items(
            json,
            "problems",
            one -> new InputProblem(one.require("subject"), one.require("message"))));
    return head;
  }

  private static TargetAnswers readTarget(JsonTree json) throws MalformedJsonException {
    return new TargetAnswers(
        json.require("label"),
        json.text("release"),
        json.text("vermagic"),
        json.require("source"),
        json.texts("notes"),
        new TreeMap<>());
  }
}
