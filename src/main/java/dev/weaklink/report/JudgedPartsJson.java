package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.JudgedParts;
import dev.weaklink.audit.NumberedAnswers;
import dev.weaklink.audit.SetAnswer;
import dev.weaklink.audit.TargetAnswers;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.json.JsonTree;
import dev.weaklink.json.MalformedJsonException;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What came of parts of a plan: a line about them, then one for each answer, and who gets it. */
public final class JudgedPartsJson {
  private static final String SCHEMA = "weaklink.audit-result/1";

  private final JudgedParts parts;
  private final List<NumberedAnswers> targets = new ArrayList<>();
  private boolean hasHead;
  private int lines;

  private JudgedPartsJson(JudgedParts parts) {
    this.parts = parts;
  }

  /** Writes them. */
  public static void write(JudgedParts parts, OutputStream out) throws IOException {
    List<TargetAnswers> targets = parts.answers();
    AnswerPlaces places = AnswerPlaces.of(parts);
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
    for (int i = 0; i < places.size(); i++) {
      Map<String, Object> line = answer(parts.store().get(places.number(i)));
      line.put(
          "on",
          list(
              places.targets(i).entrySet(),
              on -> object("target", on.getKey(), "sets", on.getValue())));
      JsonOutput.writeLine(line, out);
    }
  }

  private static Object target(TargetAnswers asked) {
    Target target = asked.target();
    return object(
        "label", target.label(),
        "release", target.release(),
        "vermagic", target.vermagic(),
        "source", target.source(),
        "notes", target.notes());
  }

  /** An answer by itself. */
  static Map<String, Object> answer(SetAnswer answer) {
    return object(
        "loads", answer.loads(),
        "fails", answer.fails(),
        "undetermined", answer.undetermined(),
        "reason", answer.reason(),
        "modules", list(answer.modules(), AuditJson::moduleVerdict),
        "causes", list(answer.causes(), AuditJson::cause),
        "unchecked", answer.unchecked());
  }

  /**
   * Reads some more.
   *
   * @throws UnusableAuditException if they are none, or do not belong to those there are
   */
  public static void read(InputStream in, JudgedParts into) throws IOException {
    JudgedPartsJson reader = new JudgedPartsJson(into);
    try {
      JsonTree.readEach(in, reader::take);
    } catch (MalformedJsonException e) {
      throw new UnusableAuditException(
          e.getMessage() + "; expected a result of 'weaklink audit judge'");
    }
    if (!reader.hasHead) {
      throw new UnusableAuditException("is empty");
    }
    if (reader.lines != 0) {
      throw new UnusableAuditException("is truncated");
    }
  }

  private void take(JsonTree json) throws IOException {
    if (!hasHead) {
      head(json);
      return;
    }
    lines--;
    int number = parts.store().keep(AuditReader.answer(json, json.texts("unchecked")));
    for (JsonTree on : json.objects("on")) {
      NumberedAnswers answers = targets.get(AuditReader.place(on, "target", targets.size()));
      for (int set : on.numbers("sets")) {
        if (set >= NumberedAnswers.MOST_SETS) {
          throw new MalformedJsonException("has a set that no plan has");
        }
        answers.put(set, number);
      }
    }
  }

  private void head(JsonTree json) throws IOException {
    if (!SCHEMA.equals(json.require("schema"))) {
      throw new MalformedJsonException("is of another schema");
    }
    hasHead = true;
    lines = json.number("lines");
    String unfit =
        parts.begin(
            json.require("plan"),
            json.number("of"),
            new TreeSet<>(json.numbers("parts")),
            json.list(
                "problems",
                one -> new InputProblem(one.require("subject"), one.require("message"))));
    if (unfit != null) {
      throw new UnusableAuditException(unfit);
    }
    for (Target target : json.list("targets", JudgedPartsJson::readTarget)) {
      targets.add(parts.on(target));
    }
  }

  private static Target readTarget(JsonTree json) throws MalformedJsonException {
    return Target.of(
        json.require("label"),
        json.text("release"),
        json.text("vermagic"),
        json.require("source"),
        json.texts("notes"));
  }
}
