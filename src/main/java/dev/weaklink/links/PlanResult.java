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
 * @param root the tree it is for
 * @param plan what should happen
 * @param linkless whether it is a system that knows no links, so that there is no plan; a problem then says so of each
 *     kernel
 * @param interrupted whether a killed process left a transaction unfinished; a problem says so
 * @param problems what could not be read, each once
 */
public record PlanResult(Root root, Plan plan, boolean linkless, boolean interrupted, List<InputProblem> problems) {
    public PlanResult {
        problems = List.copyOf(new LinkedHashSet<>(problems));
    }

    /** What a caller learns from the exit status. */
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
