package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.JudgedParts;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.report.AnswerSpill;
import dev.weaklink.report.AuditPlanFile;
import dev.weaklink.report.JudgedPartsJson;
import dev.weaklink.report.UnusableAuditException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit merge}: the judged parts of a plan as one. */
final class AuditMergeCommand implements Command {
  private static final String PLAN = "--plan";

  @Override
  public void declare(CommandSpec spec) {
    StoreCommand.addNames(spec, "RESULT", "1..*");
    spec.addOption(Options.value("DIR", PLAN));
    AuditOptions.addOutput(spec);
    AuditOptions.addDatabase(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    AuditOutput output = AuditOutput.of(parsed, console);
    boolean isKept = AuditDatabase.isAsked(parsed);
    String plan = Options.text(parsed, PLAN);
    try (AnswerSpill spill = new AnswerSpill()) {
      JudgedParts all = merged(StoreCommand.names(parsed), spill);
      if (plan == null) {
        if (isKept || parsed.hasMatchedOption(OutputForm.FORMAT)) {
          throw new UsageException("name the plan with " + PLAN + " DIR for a report");
        }
        return output.form().write(out -> JudgedPartsJson.write(all, out), console, 0);
      }
      AuditReport report = report(all, plan, console);
      ExitCode usual = all.answers().isEmpty() ? ExitCode.UNUSABLE : AuditOutput.exitCode(report);
      int status = output.write(report, console, usual);
      boolean lost = isKept && !AuditDatabase.keep(parsed, report, console);
      return lost ? ExitCode.UNUSABLE.number() : status;
    } catch (UncheckedIOException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
  }

  private static AuditReport report(JudgedParts all, String plan, Console console)
      throws IOException {
    String file = plan + "/" + AuditPlanCommand.NODES;
    GatheredNodes nodes = AuditOutput.read(file, in -> nodes(all, in));
    return nodes.report(all.answers(), all.problems(), console);
  }

  private static JudgedParts merged(List<String> files, AnswerSpill spill) throws IOException {
    JudgedParts all = new JudgedParts(spill);
    for (String file : files) {
      AuditOutput.read(
          file,
          in -> {
            JudgedPartsJson.read(in, all);
            return all;
          });
    }
    return all;
  }

  private static GatheredNodes nodes(JudgedParts all, InputStream in) throws IOException {
    AuditPlanFile head = AuditPlanFile.read(in);
    if (head.part() != 0 || !head.plan().equals(all.plan()) || head.of() != all.of()) {
      throw new UnusableAuditException("the results are of another plan");
    }
    String missing = all.missing();
    if (missing != null) {
      throw new UsageException(missing);
    }
    return GatheredNodes.ofPlan(head, in);
  }
}
