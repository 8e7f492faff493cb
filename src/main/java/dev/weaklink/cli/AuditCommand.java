package dev.weaklink.cli;

import dev.weaklink.audit.Audit;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Missing;
import dev.weaklink.audit.AuditReport.Part;
import dev.weaklink.audit.AuditReportBuilder;
import dev.weaklink.audit.FilesJudge;
import dev.weaklink.audit.NodeGroups;
import dev.weaklink.audit.Nodes;
import dev.weaklink.audit.TargetAnswers;
import dev.weaklink.check.AuditJudge;
import dev.weaklink.check.AuditRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.intake.Intake;
import dev.weaklink.intake.IntakeProblem;
import dev.weaklink.intake.NodeInventory;
import dev.weaklink.intake.NodeVisitor;
import dev.weaklink.source.InputProblem;
import dev.weaklink.sys.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    AuditOutput output = AuditOutput.of(parsed, console);
    Part part = AuditOptions.part(parsed);
    boolean isKept = AuditDatabase.isAsked(parsed);
    requireFitting(parsed, output, part, isKept);
    Gathering gathering = Gathering.of(parsed, console);
    Intake intake = new Intake(gathering, gathering.expected);
    for (String input : StoreCommand.names(parsed)) {
      intake.read(input, console.in());
    }
    gathering.tellWhatWasNotShown();
    List<Missing> missing = gathering.missing(intake);
    NodeGroups census = gathering.audit.census();
    List<InputProblem> problems = new ArrayList<>();
    List<TargetAnswers> answers = List.of();
    AuditRequest request = request(parsed, part, console);
    if (!request.kernels().isEmpty()) {
      Progress progress = TerminalProgress.on(console);
      answers = AuditJudge.judge(request, census.sets(), intake.tables(), problems, progress);
      progress.done();
      request.reading().cache().save();
    }
    for (InputProblem problem : problems) {
      console.message(problem.subject() + ": " + problem.message());
    }
    long leftAside = gathering.problems + problems.size();
    AuditReport report =
        AuditReportBuilder.of(census, new FilesJudge(), answers, missing, leftAside, part);
    boolean unusable = !request.kernels().isEmpty() && answers.isEmpty();
    ExitCode usual = unusable ? ExitCode.UNUSABLE : AuditOutput.exitCode(report);
    int status = output.write(report, console, usual);
    return isKept && !AuditDatabase.keep(parsed, report, console)
        ? ExitCode.UNUSABLE.number()
        : status;
  }

  private static void requireFitting(
      ParseResult parsed, AuditOutput output, @Nullable Part part, boolean isKept) {
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
    if (isKept && (part != null || parsed.hasMatchedOption(AuditOptions.NODE))) {
      throw new UsageException("--db keeps whole audits, not a part of one");
    }
  }

  private static AuditRequest request(ParseResult parsed, @Nullable Part part, Console console) {
    return new AuditRequest(
        Options.root(parsed),
        KernelOption.kernels(parsed),
        StoreCommand.store(parsed),
        TrustOptions.loader(parsed),
        TrustOptions.certificates(parsed),
        Options.texts(parsed, AuditOptions.MODULES),
        parsed.hasMatchedOption(CheckCommand.EXPLAIN),
        part,
        Options.reading(parsed, console));
  }

  /** Adds nodes to an audit, and shows problems as they come. */
  private static final class Gathering implements NodeVisitor {
    /** Whoever needs more has a damaged file as a whole. */
    private static final int SHOWN = 1000;

    private final Console console;
    private final Set<String> only;
    final Set<String> expected;
    private final List<String> others = new ArrayList<>();
    final Audit audit = new Audit();
    long problems;

    /** {@code only}: nodes that count; empty if all do. */
    private Gathering(Console console, Set<String> only, Set<String> expected) {
      this.console = console;
      this.only = only;
      this.expected = expected;
    }

    static Gathering of(ParseResult parsed, Console console) {
      Set<String> only = nodes(parsed, AuditOptions.NODE);
      Set<String> expected = nodes(parsed, AuditOptions.EXPECT);
      if (!only.isEmpty()) {
        expected.retainAll(only);
        expected.addAll(only);
      }
      return new Gathering(console, only, expected);
    }

    private static Set<String> nodes(ParseResult parsed, String option) {
      return ExpectedNodes.of(option, Options.texts(parsed, option));
    }

    @Override
    public void node(String name, NodeInventory inventory) {
      if (only.isEmpty() || only.contains(name)) {
        audit.add(name, inventory);
        if (!expected.isEmpty() && !expected.contains(name)) {
          others.add(name);
        }
      }
    }

    @Override
    public void problem(IntakeProblem problem) {
      problems++;
      if (problems <= SHOWN) {
        console.message(problem.place() + ": " + problem.message());
      }
    }

    @Override
    public void remark(IntakeProblem remark) {
      console.message(remark.place() + ": " + remark.message());
    }

    /** Also names nodes that nobody expects. */
    List<Missing> missing(Intake intake) {
      if (!others.isEmpty()) {
        console.message("answered, but not among those expected: " + Nodes.of(others).folded());
      }
      Map<String, String> silent = intake.silent();
      if (!only.isEmpty()) {
        silent.keySet().retainAll(only);
      }
      return Missing.of(silent);
    }

    void tellWhatWasNotShown() {
      if (problems > SHOWN) {
        console.message("and " + (problems - SHOWN) + " more problems with the input, not shown");
      }
    }
  }
}
