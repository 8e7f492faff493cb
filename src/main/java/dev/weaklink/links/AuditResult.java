package dev.weaklink.links;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The links of a root.
 *
 * @param root the tree they are in
 * @param kernels how many kernels were looked at
 * @param links by kernel from old to new, then by path
 * @param needsDepmod kernels whose modules.dep lacks links, or lists some that are gone
 * @param listed which of those that are gone
 * @param interrupted the transaction that a killed process left unfinished, null if there is none
 * @param problems what could not be read, each once
 */
public record AuditResult(
        Root root,
        int kernels,
        List<AuditedLink> links,
        List<String> needsDepmod,
        List<InputProblem> listed,
        @Nullable InputProblem interrupted,
        List<InputProblem> problems) {
    public AuditResult {
        links = List.copyOf(links);
        needsDepmod = List.copyOf(needsDepmod);
        listed = List.copyOf(listed);
        problems = List.copyOf(new LinkedHashSet<>(problems));
    }

    /** What could not be read, what was interrupted, and what depmod has not seen. */
    public List<InputProblem> allProblems() {
        List<InputProblem> all = problemsLeft();
        all.addAll(listed);
        return all;
    }

    /** The same once depmod has run. */
    public List<InputProblem> problemsLeft() {
        List<InputProblem> all = new ArrayList<>();
        if (interrupted != null) {
            all.add(interrupted);
        }
        all.addAll(problems);
        return all;
    }

    /** What a caller learns from the exit status alone. */
    public ExitCode exitCode() {
        if (interrupted != null || !needsDepmod.isEmpty()) {
            return ExitCode.INCOMPATIBLE;
        }
        if (kernels == 0) {
            return ExitCode.UNUSABLE;
        }
        boolean doubt = !problems.isEmpty();
        for (AuditedLink link : links) {
            if (link.isDefective()) {
                return ExitCode.INCOMPATIBLE;
            }
            doubt |= link.isDoubtful();
        }
        return doubt ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }
}
