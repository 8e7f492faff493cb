package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.check.result.BuildMatch;
import dev.weaklink.check.result.InputProblem;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.load.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Which builds fit: for people, or as one JSON object ({@code weaklink.match/1}). */
public final class MatchText {
  private static final int WORD_WIDTH = 14;

  private MatchText() {}

  /** A paragraph for every build, the best first, and what to install. */
  public static String lines(MatchReport report) {
    StringBuilder text = new StringBuilder();
    List<BuildMatch> advised = report.advised();
    for (BuildMatch build : report.builds()) {
      String word = advised.contains(build) ? "install" : build.fit().id();
      text.append(word).append(" ".repeat(WORD_WIDTH - word.length())).append(name(build));
      text.append('\n').append(" ".repeat(WORD_WIDTH)).append(words(build)).append('\n');
    }
    if (!report.builds().isEmpty() && advised.isEmpty()) {
      text.append("None of them is known to fit; rebuild the modules for this kernel.\n");
    }
    return text.toString();
  }

  private static String name(BuildMatch build) {
    return build.name().isEmpty()
        ? Escape.text(build.file())
        : Escape.text(build.name() + " " + build.version()) + "  " + Escape.text(build.file());
  }

  private static String words(BuildMatch build) {
    int all = build.tally().total();
    String built =
        build.exact()
            ? "built for this kernel"
            : build.builtFor().isEmpty()
                ? "built for an unknown kernel"
                : "built for " + Escape.text(String.join(", ", build.builtFor()));
    Verdict against = build.against();
    if (against == null) {
      return (all == 0 ? "no module that can be read" : Numbers.of(all, "module") + " would load")
          + "; "
          + built;
    }
    boolean refused = build.fit() == BuildMatch.Fit.REFUSED;
    int count = refused ? build.tally().incompatible() : build.tally().undetermined();
    return count
        + " of "
        + Numbers.of(all, "module")
        + (refused ? " would be refused; " : " cannot be judged; ")
        + built
        + "; "
        + Escape.text(against.module().name())
        + ": "
        + VerdictReason.of(against);
  }

  /** Writes the object and ends its line. */
  public static void write(MatchReport report, OutputStream out) throws IOException {
    List<BuildMatch> advised = report.advised();
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.match/1");
      TargetSummary target = report.target();
      JsonOutput.optional(json, "target", target == null ? null : target.label());
      JsonOutput.optional(json, "release", target == null ? null : target.release());
      json.writeArrayFieldStart("builds");
      for (BuildMatch build : report.builds()) {
        build(json, build, advised.contains(build));
      }
      json.writeEndArray();
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

  private static void build(JsonGenerator json, BuildMatch build, boolean install)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("file", build.file());
    if (!build.name().isEmpty()) {
      json.writeStringField("package", build.name());
      json.writeStringField("version", build.version());
    }
    json.writeBooleanField("install", install);
    json.writeStringField("fit", build.fit().id());
    json.writeBooleanField("exact", build.exact());
    JsonOutput.strings(json, "builtFor", build.builtFor());
    json.writeNumberField("compatible", build.tally().compatible());
    json.writeNumberField("incompatible", build.tally().incompatible());
    json.writeNumberField("undetermined", build.tally().undetermined());
    Verdict against = build.against();
    JsonOutput.optional(json, "reason", against == null ? null : VerdictReason.of(against));
    json.writeEndObject();
  }
}
