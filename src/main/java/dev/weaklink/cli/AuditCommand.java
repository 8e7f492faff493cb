package dev.weaklink.cli;

import dev.weaklink.audit.Audit;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Part;
import dev.weaklink.audit.AuditReportBuilder;
import dev.weaklink.audit.FilesJudge;
import dev.weaklink.audit.NodeGroups;
import dev.weaklink.audit.TargetAnswers;
import dev.weaklink.check.AuditJudge;
import dev.weaklink.check.AuditRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.intake.Intake;
import dev.weaklink.intake.IntakeProblem;
import dev.weaklink.intake.NodeInventory;
import dev.weaklink.intake.NodeVisitor;
import dev.weaklink.source.InputProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit}: which nodes are alike, and what is wrong on which? */
final class AuditCommand implements Command {
  @Override
  public CommandSpec spec() {
    return AuditOptions.spec();
  }

  @Override
  public Manual manual() {
    return AuditOptions.MANUAL;
  }

  @Override
  public Map<String, Command> commands() {
    Map<String, Command> commands = new LinkedHashMap<>();
    commands.put("merge", new AuditMergeCommand());
    commands.put("log", new AuditLogCommand());
    commands.put("show", new AuditShowCommand());
    return commands;
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    AuditOutput output = AuditOutput.of(parsed);
    Part part = AuditOptions.part(parsed);
    if (part != null && !output.isDocument()) {
      throw new UsageException("--shard makes a part to be merged; give --format json");
    }
    if (part != null && output.hasBaseline()) {
      throw new UsageException("--baseline is for the whole; give it to 'audit merge'");
    }
    if (StoreCommand.names(parsed).isEmpty()) {
      throw new UsageException(
          "name the inventories: a file, a directory, or - for standard input");
    }
    boolean isKept = AuditDatabase.isAsked(parsed);
    if (part != null && isKept) {
      throw new UsageException("--db keeps whole audits, not a part of one");
    }
    Gathering gathering = new Gathering(console);
    Intake intake = new Intake(gathering);
    for (String input : StoreCommand.names(parsed)) {
      intake.read(input, console.in());
    }
    gathering.tellWhatWasNotShown();
    NodeGroups census = gathering.audit.census();
    List<InputProblem> problems = new ArrayList<>();
    List<TargetAnswers> answers = List.of();
    AuditRequest request = request(parsed, part, console);
    if (!request.kernels().isEmpty()) {
      answers = AuditJudge.judge(request, census.sets(), intake.tables(), problems);
      request.reading().cache().save();
    }
    for (InputProblem problem : problems) {
      console.message(problem.subject() + ": " + problem.message());
    }
    long leftAside = gathering.problems + problems.size();
    AuditReport report = AuditReportBuilder.of(census, new FilesJudge(), answers, leftAside, part);
    boolean unusable = !request.kernels().isEmpty() && answers.isEmpty();
    ExitCode usual = unusable ? ExitCode.UNUSABLE : AuditOutput.exitCode(report);
    int status = output.write(report, console, usual);
    return isKept && !AuditDatabase.keep(parsed, report, console)
        ? ExitCode.UNUSABLE.number()
        : status;
  }

  private static AuditRequest request(ParseResult parsed, @Nullable Part part, Console console) {
    return new AuditRequest(
        Options.root(parsed),
        KernelOption.kernels(parsed),
        StoreCommand.store(parsed),
        TrustOptions.loader(parsed),
        TrustOptions.certificates(parsed),
        Options.texts(parsed, AuditOptions.MODULES),
        part,
        Options.reading(parsed, console));
  }

  /** Adds nodes to an audit, and shows problems as they come. */
  private static final class Gathering implements NodeVisitor {
    /** Whoever needs more has a damaged file as a whole. */
    private static final int SHOWN = 1000;

    private final Console console;
    final Audit audit = new Audit();
    long problems;

    Gathering(Console console) {
      this.console = console;
    }

    @Override
    public void node(String name, NodeInventory inventory) {
      audit.add(name, inventory);
    }

    @Override
    public void problem(IntakeProblem problem) {
      problems++;
      if (problems <= SHOWN) {
        console.message(problem.place() + ": " + problem.message());
      }
    }

    void tellWhatWasNotShown() {
      if (problems > SHOWN) {
        console.message("and " + (problems - SHOWN) + " more problems with the input, not shown");
      }
    }
  }
}
