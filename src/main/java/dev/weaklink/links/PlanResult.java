package dev.weaklink.links;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * A plan and the problems met while making it.
 *
 * @param root the root directory that the plan is for
 * @param linkless true if the system does not use weak-updates links and a requested kernel is installed; the plan is
 *     then empty, with a problem for each kernel
 * @param interrupted true if a killed process left a transaction or rebuild unfinished; a problem then describes it
 * @param problems the problems met while planning, without duplicates
 */
public record PlanResult(Root root, Plan plan, boolean linkless, boolean interrupted, List<InputProblem> problems) {
    public PlanResult {
        problems = List.copyOf(new LinkedHashSet<>(problems));
    }

    public ExitCode exitCode() {
        return interrupted || !plan.changesNothing() ? ExitCode.INCOMPATIBLE : exitCodeOfNothing();
    }

    private ExitCode exitCodeOfNothing() {
        if (plan.kernels().isEmpty()) {
            return linkless ? ExitCode.UNDETERMINED : ExitCode.UNUSABLE;
        }
        if (plan.leavesWork()) {
            return ExitCode.INCOMPATIBLE;
        }
        return plan.leavesDoubt() || InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }
}
