package dev.weaklink.check.result;

import dev.weaklink.source.KernelReleaseOrder;
import dev.weaklink.sys.InputProblem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which of the kernels offered can be booted with the modules there are.
 *
 * @param answers one for each kernel: those installed in the order given, then the others
 * @param problems what could not be judged
 */
public record GateReport(List<GateAnswer> answers, List<InputProblem> problems) {
  public GateReport {
    answers = List.copyOf(answers);
    problems = List.copyOf(problems);
  }

  /** The newest kernel that is safe, null if none is. */
  public @Nullable GateAnswer newestSafe() {
    GateAnswer newest = null;
    for (GateAnswer answer : answers) {
      boolean safe = answer.word() == GateAnswer.Word.YES;
      if (safe && (newest == null || isNewer(answer, newest))) {
        newest = answer;
      }
    }
    return newest;
  }

  private static boolean isNewer(GateAnswer answer, GateAnswer than) {
    return KernelReleaseOrder.INSTANCE.compare(release(answer), release(than)) > 0;
  }

  /** A kernel of which only a file is known goes by that. */
  private static String release(GateAnswer answer) {
    String release = answer.target().release();
    return release == null ? answer.target().label() : release;
  }

  /** 0 if a kernel is safe and nothing was left out. */
  public ExitCode exitCode() {
    if (answers.isEmpty()) {
      return ExitCode.UNUSABLE;
    }
    if (newestSafe() != null) {
      return InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }
    for (GateAnswer answer : answers) {
      if (answer.word() == GateAnswer.Word.UNKNOWN) {
        return ExitCode.UNDETERMINED;
      }
    }
    return ExitCode.INCOMPATIBLE;
  }
}
