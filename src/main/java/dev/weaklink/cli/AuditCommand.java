package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.TargetAnswers;
import dev.weaklink.fleet.judge.AuditJudge;
import dev.weaklink.fleet.judge.AuditRequest;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit}: which nodes are alike, and what is wrong on which? */
final class AuditCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    AuditOptions.addInputs(spec);
    AuditOptions.addOutput(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    AuditOutput output = AuditOutput.of(parsed, console);
    GatheredNodes nodes = GatheredNodes.read(parsed, console);
    List<InputProblem> problems = new ArrayList<>();
    List<TargetAnswers> answers = List.of();
    AuditRequest request = AuditKernels.request(parsed, console);
    if (!request.kernels().isEmpty()) {
      Progress progress = TerminalProgress.on(console);
      answers =
          AuditJudge.judge(request, nodes.census().sets(), nodes.tables(), problems, progress);
      progress.done();
      request.reading().cache().save();
    }
    AuditReport report = nodes.report(answers, problems, console);
    boolean unusable = !request.kernels().isEmpty() && answers.isEmpty();
    ExitCode usual = unusable ? ExitCode.UNUSABLE : AuditOutput.exitCode(report);
    return output.write(report, console, usual);
  }
}
