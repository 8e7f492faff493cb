package dev.weaklink.cli;

import dev.weaklink.audit.Audit;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.Census;
import dev.weaklink.audit.Conclusion;
import dev.weaklink.audit.FilesJudge;
import dev.weaklink.audit.TargetAnswers;
import dev.weaklink.check.AuditJudge;
import dev.weaklink.check.AuditRequest;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.intake.Intake;
import dev.weaklink.intake.IntakeProblem;
import dev.weaklink.intake.Inventory;
import dev.weaklink.intake.ModuleTables;
import dev.weaklink.intake.NodeVisitor;
import dev.weaklink.report.AuditJson;
import dev.weaklink.report.AuditTable;
import dev.weaklink.report.ExitCode;
import dev.weaklink.report.InputProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit}: which nodes are alike, and what is wrong on which? */
final class AuditCommand implements Command {
  @Override
  public CommandSpec spec() {
    return AuditOptions.spec();
  }

  @Override
  public Map<String, Command> commands() {
    Map<String, Command> commands = new LinkedHashMap<>();
    commands.put("log", new AuditLogCommand());
    commands.put("show", new AuditShowCommand());
    return commands;
  }

  @Override
  public Manual manual() {
    return AuditOptions.MANUAL;
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    String format = Options.word(parsed, AuditOptions.FORMAT, AuditOptions.FORMATS);
    if (StoreCommand.names(parsed).isEmpty()) {
      throw new UsageException(
          "name what nodes told: a file, a directory, or - for standard input");
    }
    boolean isKept = AuditDatabase.isAsked(parsed);
    Gathering gathering = new Gathering(console);
    Intake intake = new Intake(gathering);
    for (String input : StoreCommand.names(parsed)) {
      intake.read(input, console.in());
    }
    gathering.tellWhatWasNotShown();
    Census census = gathering.audit.census();
    AuditReport report = judged(parsed, console, census, intake.tables(), gathering);
    write(report, format, console.out());
    if (isKept && !keep(parsed, report, console)) {
      return ExitCode.UNUSABLE.number();
    }
    return exitCode(report, kernels(parsed)).number();
  }

  private static AuditReport judged(
      ParseResult parsed,
      Console console,
      Census census,
      ModuleTables tables,
      Gathering gathering) {
    List<InputProblem> problems = new ArrayList<>();
    List<TargetAnswers> answers = List.of();
    if (!kernels(parsed).isEmpty()) {
      answers = AuditJudge.judge(request(parsed), census.sets(), tables, problems);
    }
    for (InputProblem problem : problems) {
      console.message(problem.subject() + ": " + problem.message());
    }
    return Conclusion.of(
        census, new FilesJudge(), answers, gathering.problems + problems.size(), null);
  }

  private static AuditRequest request(ParseResult parsed) {
    return new AuditRequest(
        Options.root(parsed),
        kernels(parsed),
        StoreCommand.store(parsed),
        LoaderOverrides.parse(parsed),
        Options.texts(parsed, AuditOptions.MODULES),
        null,
        ReadOptions.anew(Options.jobs(parsed)));
  }

  private static boolean keep(ParseResult parsed, AuditReport report, Console console) {
    try {
      AuditDatabase.keep(parsed, report);
      return true;
    } catch (IOException e) {
      console.message("the audit was not kept: " + e.getMessage());
      return false;
    }
  }

  private static List<String> kernels(ParseResult parsed) {
    return KernelOption.kernels(parsed);
  }

  private static void write(AuditReport report, String format, OutputStream out)
      throws IOException {
    switch (format) {
      case AuditOptions.JSON -> AuditJson.writeDocument(report, out);
      case AuditOptions.NDJSON -> AuditJson.writeLines(report, out);
      default -> out.write(AuditTable.lines(report).getBytes(StandardCharsets.UTF_8));
    }
  }

  private static ExitCode exitCode(AuditReport report, List<String> kernels) {
    if (report.nodes() == 0 || !kernels.isEmpty() && report.targets().isEmpty()) {
      return ExitCode.UNUSABLE;
    }
    if (report.hasDefects() || report.hasRefusals()) {
      return ExitCode.INCOMPATIBLE;
    }
    return report.hasUnknown() ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
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
    public void node(String name, Inventory inventory) {
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
