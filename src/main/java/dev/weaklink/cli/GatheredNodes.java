package dev.weaklink.cli;

import dev.weaklink.fleet.Audit;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.Missing;
import dev.weaklink.fleet.AuditReportBuilder;
import dev.weaklink.fleet.NodeGroups;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.TargetAnswers;
import dev.weaklink.fleet.intake.Intake;
import dev.weaklink.fleet.intake.ModuleTables;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeVisitor;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ParseResult;

/**
 * What nodes reported.
 *
 * @param tables of their modules
 * @param missing nodes that did not answer
 * @param problems how many pieces of input were left aside
 */
record GatheredNodes(NodeGroups census, ModuleTables tables, List<Missing> missing, long problems) {

  /** Reads the inventories that were named; problems are shown as they come. */
  static GatheredNodes read(ParseResult parsed, Console console) {
    if (Options.names(parsed).isEmpty()) {
      throw new UsageException(
          "name the inventories: a file, a directory, or - for standard input");
    }
    Gathering gathering = Gathering.of(parsed, console);
    Intake intake = new Intake(gathering, gathering.expected);
    for (String input : Options.names(parsed)) {
      intake.read(input, console.in());
    }
    gathering.tellWhatWasNotShown();
    List<Missing> missing = gathering.missing(intake);
    return new GatheredNodes(
        gathering.audit.census(), intake.tables(), missing, gathering.problems);
  }

  /** The report, after what was wrong with files was said. */
  AuditReport report(List<TargetAnswers> answers, Collection<InputProblem> met, Console console) {
    Set<InputProblem> distinct = new LinkedHashSet<>(met);
    console.report(distinct);
    return AuditReportBuilder.of(census, answers, missing, problems + distinct.size());
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
    public void problem(InputProblem problem) {
      problems++;
      if (problems <= SHOWN) {
        console.report(List.of(problem));
      }
    }

    @Override
    public void remark(InputProblem remark) {
      console.report(List.of(remark));
    }

    /** Also names nodes that nobody expects. */
    List<Missing> missing(Intake intake) {
      if (!others.isEmpty()) {
        console.message("unexpected nodes: " + Nodes.of(others).folded());
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
