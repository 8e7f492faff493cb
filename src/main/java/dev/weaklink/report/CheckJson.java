package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.InputProblem;
import dev.weaklink.check.result.Tally;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.load.Verdict;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** A check as JSON: one document, or one object a line. Keys and their order are a contract. */
public final class CheckJson {
  private static final int PART = 64;
  private static final int PARTS_PER_THREAD = 4;

  private CheckJson() {}

  /** Writes one object that holds everything ({@code weaklink.check/1}). */
  public static void writeDocument(CheckReport report, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.check/1");
      json.writeArrayFieldStart("targets");
      for (TargetSummary target : report.targets()) {
        target(json, target);
      }
      json.writeEndArray();
      verdictsAndProblems(json, report);
      json.writeFieldName("summary");
      summary(json, report);
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private static void verdictsAndProblems(JsonGenerator json, CheckReport report)
      throws IOException {
    json.writeArrayFieldStart("verdicts");
    FindingBytes findings = new FindingBytes();
    for (Verdict verdict : report.verdicts()) {
      VerdictLines.verdict(json, verdict, findings);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("problems");
    for (InputProblem problem : report.problems()) {
      problem(json, problem);
    }
    json.writeEndArray();
  }

  /**
   * Writes targets, verdicts, problems and the summary, each an object on a line of its own.
   *
   * @param threads how many threads put verdicts into words
   */
  public static void writeLines(CheckReport report, OutputStream out, int threads)
      throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      for (TargetSummary target : report.targets()) {
        target(json, target);
        json.writeRaw('\n');
      }
    }
    verdictLines(report.verdicts(), out, threads);
    try (JsonGenerator json = JsonOutput.open(out)) {
      for (InputProblem problem : report.problems()) {
        problem(json, problem);
        json.writeRaw('\n');
      }
      summary(json, report);
      json.writeRaw('\n');
    }
  }

  /** A few parts for each thread at a time, so that not all of the text is ever in memory. */
  private static void verdictLines(List<Verdict> verdicts, OutputStream out, int threads)
      throws IOException {
    int step = PART * PARTS_PER_THREAD * threads;
    List<VerdictLines> parts = new ArrayList<>();
    for (int from = 0; from < verdicts.size(); from += step) {
      int to = Math.min(from + step, verdicts.size());
      int count = (to - from + PART - 1) / PART;
      for (int i = 0; i < count; i++) {
        if (i == parts.size()) {
          parts.add(new VerdictLines());
        }
        int first = from + i * PART;
        parts.get(i).take(verdicts.subList(first, Math.min(first + PART, to)));
      }
      VerdictLines.write(parts.subList(0, count), threads);
      for (VerdictLines part : parts.subList(0, count)) {
        part.writeTo(out);
      }
    }
  }

  private static void target(JsonGenerator json, TargetSummary target) throws IOException {
    json.writeStartObject();
    json.writeStringField("schema", "weaklink.target/1");
    json.writeStringField("target", target.label());
    JsonOutput.optional(json, "release", target.release());
    json.writeStringField("kind", target.kind().id());
    JsonOutput.optional(json, "symvers", target.symvers());
    json.writeNumberField("vmlinuxExports", target.vmlinuxExports());
    json.writeNumberField("ownModules", target.ownModules());
    json.writeObjectFieldStart("rules");
    for (LoaderRule rule : LoaderRule.values()) {
      rule(json, rule, target.rules().setting(rule));
    }
    json.writeEndObject();
    JsonOutput.strings(json, "notes", target.notes());
    json.writeEndObject();
  }

  private static void rule(JsonGenerator json, LoaderRule rule, LoaderRules.Setting setting)
      throws IOException {
    json.writeObjectFieldStart(rule.key());
    json.writeStringField("value", setting.value());
    json.writeBooleanField("assumed", setting.assumed());
    json.writeStringField("evidence", setting.evidence());
    json.writeEndObject();
  }

  static void problem(JsonGenerator json, InputProblem problem) throws IOException {
    json.writeStartObject();
    json.writeStringField("schema", "weaklink.problem/1");
    json.writeStringField("subject", problem.subject());
    json.writeStringField("message", problem.message());
    json.writeEndObject();
  }

  private static void summary(JsonGenerator json, CheckReport report) throws IOException {
    Tally tally = report.tally();
    json.writeStartObject();
    json.writeStringField("schema", "weaklink.summary/1");
    json.writeNumberField("targets", report.targets().size());
    json.writeNumberField("verdicts", tally.total());
    json.writeNumberField("compatible", tally.compatible());
    json.writeNumberField("incompatible", tally.incompatible());
    json.writeNumberField("undetermined", tally.undetermined());
    json.writeNumberField("problems", report.problems().size());
    json.writeNumberField("exitCode", report.exitCode().number());
    json.writeEndObject();
  }
}
