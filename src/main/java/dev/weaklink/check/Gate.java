package dev.weaklink.check;

import dev.weaklink.load.Verdict;
import dev.weaklink.report.CheckReport;
import dev.weaklink.report.GateAnswer;
import dev.weaklink.report.GateReport;
import dev.weaklink.report.InputProblem;
import dev.weaklink.report.TargetSummary;
import dev.weaklink.source.InstalledKernels;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.OutOfTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says which of the kernels offered can be booted with the modules in use. */
public final class Gate {
  private final CheckEngine engine;

  public Gate(CheckEngine engine) {
    this.engine = engine;
  }

  /**
   * Judges the modules on every kernel.
   *
   * @param request with kernels; without modules those are meant that did not come with the newest
   *     installed kernel that is not offered, and that it would load
   */
  public GateReport judge(CheckRequest request) {
    List<InputProblem> problems = new ArrayList<>();
    List<String> modules = request.modules();
    if (modules.isEmpty()) {
      modules = inUse(request, problems);
    }
    CheckReport report =
        engine.check(modules.isEmpty() ? request : request.with(modules), Progress.NONE);
    boolean none = modules.isEmpty();
    problems.addAll(report.problems());
    List<GateAnswer> answers = new ArrayList<>();
    List<Verdict> verdicts = none ? List.of() : report.verdicts();
    int each = report.targets().isEmpty() ? 0 : verdicts.size() / report.targets().size();
    for (int i = 0; i < report.targets().size(); i++) {
      TargetSummary target = report.targets().get(i);
      answers.add(new GateAnswer(target, verdicts.subList(i * each, (i + 1) * each)));
    }
    return new GateReport(answers, problems);
  }

  private static List<String> inUse(CheckRequest request, List<InputProblem> problems) {
    List<String> files = new ArrayList<>();
    try {
      Root root = request.root() == null ? Root.HOST : Root.of(request.root());
      String release = newestBesides(request.kernels(), InstalledKernels.list(root));
      if (release == null) {
        return files;
      }
      ModuleTree tree = ModuleTree.scan(root, release);
      for (ModuleFile file : OutOfTree.of(tree)) {
        if (file.equals(tree.chosen(file.name()))) {
          files.add(file.host().toString());
        }
      }
    } catch (IOException e) {
      problems.add(new InputProblem("the modules in use", IoReason.of(e)));
    }
    return files;
  }

  private static @Nullable String newestBesides(List<String> offered, List<String> installed) {
    List<String> others = new ArrayList<>(installed);
    others.removeAll(offered);
    List<String> from = others.isEmpty() ? installed : others;
    return from.isEmpty() ? null : from.get(from.size() - 1);
  }
}
