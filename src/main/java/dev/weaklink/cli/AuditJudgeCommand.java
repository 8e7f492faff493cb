package dev.weaklink.cli;

import dev.weaklink.audit.AnswerStore;
import dev.weaklink.audit.JudgedParts;
import dev.weaklink.audit.ModuleSet;
import dev.weaklink.audit.NumberedAnswers;
import dev.weaklink.audit.TargetAnswers;
import dev.weaklink.check.AuditJudge;
import dev.weaklink.check.AuditRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.intake.Intake;
import dev.weaklink.intake.ModuleTables;
import dev.weaklink.intake.NodeInventory;
import dev.weaklink.report.AuditPlanFile;
import dev.weaklink.report.JudgedPartsJson;
import dev.weaklink.report.UnusableAuditException;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit judge}: one part of a plan. */
final class AuditJudgeCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    StoreCommand.addNames(spec, "PART", "1");
    Options.addJobs(spec);
    Options.addNoCache(spec);
    OutputFile.addTo(spec);
  }

  /**
   * What is in a part.
   *
   * @param sets by their places in the plan
   */
  private record Part(
      AuditPlanFile head, SortedMap<Integer, ModuleSet> sets, ModuleTables tables) {}

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    OutputFile output = OutputFile.of(parsed);
    String file = StoreCommand.names(parsed).get(0);
    Part part = AuditOutput.read(file, AuditJudgeCommand::read);
    AuditRequest request = AuditKernels.request(options(file, part.head, parsed), console);
    List<InputProblem> problems = new ArrayList<>();
    Progress progress = TerminalProgress.on(console);
    List<TargetAnswers> answers =
        AuditJudge.judge(request, List.copyOf(part.sets.values()), part.tables, problems, progress);
    progress.done();
    request.reading().cache().save();
    console.report(problems);
    JudgedParts judged = judged(part, answers, problems);
    boolean written = output.write(out -> JudgedPartsJson.write(judged, out), console);
    console.out().flush();
    return (written ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
  }

  private static Part read(InputStream in) throws IOException {
    AuditPlanFile head = AuditPlanFile.read(in);
    if (head.part() == 0) {
      throw new UnusableAuditException("has the nodes of a plan, and is no part");
    }
    SortedMap<Integer, ModuleSet> sets = new TreeMap<>();
    try {
      Intake intake =
          GatheredNodes.read(in, (name, node) -> sets.put(Integer.parseInt(name), set(node)));
      head.requireLines(sets.size());
      return new Part(head, sets, intake.tables());
    } catch (NumberFormatException e) {
      throw new UnusableAuditException("is damaged: a set has no place");
    }
  }

  private static ModuleSet set(NodeInventory node) {
    String kernel = node.kernels().isEmpty() ? "" : node.kernels().get(0).release();
    return ModuleSet.of(kernel, node.modules(), node.policy());
  }

  /** The options of the plan, and those about how it is done. */
  private static ParseResult options(String file, AuditPlanFile head, ParseResult parsed) {
    CommandSpec spec = CommandSpec.create();
    AuditKernels.addTo(spec);
    List<String> words = new ArrayList<>(head.options());
    for (String name : Options.ABOUT_EFFORT) {
      words.addAll(Options.words(parsed, name));
    }
    try {
      return new CommandLine(spec).parseArgs(words.toArray(new String[0]));
    } catch (ParameterException e) {
      throw new UsageException(file + ": is damaged: its options cannot be read");
    }
  }

  private static JudgedParts judged(
      Part part, List<TargetAnswers> answers, List<InputProblem> problems) throws IOException {
    JudgedParts judged = new JudgedParts(AnswerStore.inMemory());
    judged.begin(part.head.plan(), part.head.of(), Set.of(part.head.part()), problems);
    List<Integer> places = List.copyOf(part.sets.keySet());
    for (TargetAnswers target : answers) {
      NumberedAnswers placed = judged.on(target.target());
      target
          .answers()
          .forEach((set, answer) -> placed.put(places.get(set), judged.store().keep(answer)));
    }
    return judged;
  }
}
