package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Which kernels are safe: for people, or as one JSON object ({@code weaklink.gate/1}). */
public final class GateText {
  private static final int WORD_WIDTH = 9;

  private GateText() {}

  /** A line for every kernel, and one for the newest that is safe. */
  public static String lines(GateReport report) {
    StringBuilder text = new StringBuilder();
    for (GateAnswer answer : report.answers()) {
      String word = answer.word().id();
      text.append(word)
          .append(" ".repeat(WORD_WIDTH - word.length()))
          .append(Escape.text(answer.target().label()))
          .append(": ")
          .append(reason(answer))
          .append('\n');
    }
    GateAnswer newest = report.newestSafe();
    if (report.answers().size() > 1) {
      text.append("newest safe: ")
          .append(newest == null ? "none" : Escape.text(newest.target().label()))
          .append('\n');
    }
    return text.toString();
  }

  /** Why, escaped. */
  static String reason(GateAnswer answer) {
    int all = answer.verdicts().size();
    Verdict against = answer.against();
    if (against == null) {
      return all == 0 ? "no modules of your own" : Numbers.of(all, "module") + " would load";
    }
    boolean refused = answer.word() == GateAnswer.Word.NO;
    int count = answer.names(against.outcome()).size();
    return count
        + " of "
        + Numbers.of(all, "module")
        + (refused ? " would be refused: " : " cannot be judged: ")
        + Escape.text(against.module().name())
        + " ("
        + VerdictReason.of(against)
        + ")";
  }

  /** Writes the object and ends its line. */
  public static void write(GateReport report, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.gate/1");
      json.writeArrayFieldStart("kernels");
      for (GateAnswer answer : report.answers()) {
        answer(json, answer);
      }
      json.writeEndArray();
      GateAnswer newest = report.newestSafe();
      JsonOutput.optional(json, "newestSafe", newest == null ? null : newest.target().label());
      json.writeArrayFieldStart("problems");
      for (InputProblem problem : report.problems()) {
        json.writeStartObject();
        json.writeStringField("subject", problem.subject());
        json.writeStringField("message", problem.message());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberField("exitCode", report.exitCode().number());
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void answer(JsonGenerator json, GateAnswer answer) throws IOException {
    json.writeStartObject();
    json.writeStringField("target", answer.target().label());
    JsonOutput.optional(json, "release", answer.target().release());
    json.writeStringField("safe", answer.word().id());
    json.writeNumberField("modules", answer.verdicts().size());
    JsonOutput.strings(json, "refused", answer.names(Outcome.INCOMPATIBLE));
    JsonOutput.strings(json, "undetermined", answer.names(Outcome.UNDETERMINED));
    JsonOutput.optional(json, "reason", firstReason(answer));
    json.writeEndObject();
  }

  private static @Nullable String firstReason(GateAnswer answer) {
    Verdict against = answer.against();
    return against == null ? null : VerdictReason.of(against);
  }
}
