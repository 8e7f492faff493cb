package dev.weaklink.cli;

import dev.weaklink.audit.Audit;
import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.FilesJudge;
import dev.weaklink.intake.Intake;
import dev.weaklink.intake.IntakeProblem;
import dev.weaklink.intake.Inventory;
import dev.weaklink.intake.NodeVisitor;
import dev.weaklink.report.ExitCode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit}: which nodes are alike, and what is wrong on which? */
final class AuditCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Group the nodes of a cluster by kernel and modules, and say what is wrong.")
        .description(
            "Reads what nodes told of themselves (schema weaklink.node/1, one line each) as the"
                + " program that asked them printed it: bare lines, the prefixes of clush, pdsh,"
                + " srun --label and kubectl logs --prefix, blocks folded by clush -b or"
                + " dshbak -c, the output of Ansible's json callback, and directories of files such"
                + " as Ansible's fetch makes; gz, xz and zst too. A prefix's name goes before the"
                + " node's own.",
            "Nodes that have the same modules for a kernel are one group. Told of each: links that"
                + " lead to nothing, modules that modules.dep does not list, and modules whose"
                + " loaded build is not the one on disk. Damaged input is reported with file and"
                + " line, and the rest is audited. Whether kernels would load the modules is not"
                + " judged here; see 'weaklink check'.")
        .exitCodeList(exitCodes());
    StoreCommand.addNames(
        spec, "INPUT", "1..*", "A file, a directory of files, or '-' for standard input.");
    AuditOutput.addTo(spec);
    Options.addCommon(spec);
    return spec;
  }

  private static Map<String, String> exitCodes() {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "all input was read, and nothing of the above is wrong on any node");
    codes.put("1", "something is wrong on at least one node");
    codes.put("2", "wrong usage, or no node was found");
    codes.put("3", "nothing is known to be wrong, but some input or node could not be read");
    return codes;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(
            new Entry(
                "clush -a -b weaklink-collect | weaklink audit -",
                "The nodes of a cluster, folded on the way."),
            new Entry("weaklink audit nodes.ndjson.zst", "What was collected before.")),
        List.of(),
        List.of());
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    AuditOutput output = AuditOutput.of(parsed);
    Gathering gathering = new Gathering(console);
    Intake intake = new Intake(gathering);
    for (String input : StoreCommand.names(parsed)) {
      intake.read(input, console.in());
    }
    gathering.tellWhatWasNotShown();
    AuditReport report = gathering.audit.report(new FilesJudge(), gathering.problems);
    return output.write(report, console, exitCode(report));
  }

  private static ExitCode exitCode(AuditReport report) {
    if (report.nodes() == 0) {
      return ExitCode.UNUSABLE;
    }
    if (report.hasDefects()) {
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
