package dev.weaklink.manage;

import dev.weaklink.plan.Plan;
import dev.weaklink.report.ExitCode;
import dev.weaklink.report.InputProblem;
import dev.weaklink.sys.Root;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * A plan and what got in the way of making it.
 *
 * @param root the tree it is for
 * @param plan what should happen
 * @param problems what could not be read, each once
 */
public record PlanResult(Root root, Plan plan, List<InputProblem> problems) {
  public PlanResult {
    problems = List.copyOf(new LinkedHashSet<>(problems));
  }

  /** What a caller learns from the exit status as long as the plan is not carried out. */
  public ExitCode exitCode() {
    return plan.changesNothing() || plan.kernels().isEmpty()
        ? exitCodeOnceApplied()
        : ExitCode.INCOMPATIBLE;
  }

  /** What a caller learns from the exit status once the plan has been carried out. */
  public ExitCode exitCodeOnceApplied() {
    if (plan.kernels().isEmpty()) {
      return ExitCode.UNUSABLE;
    }
    if (plan.leavesWork()) {
      return ExitCode.INCOMPATIBLE;
    }
    return plan.leavesDoubt() || !problems.isEmpty() ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
  }
}
