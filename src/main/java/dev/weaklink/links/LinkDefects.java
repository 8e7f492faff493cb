package dev.weaklink.links;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.plan.CheckedLink;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The links of a root with their defects.
 *
 * @param root the root that contains the links
 * @param kernels the number of kernels that were checked
 * @param links the links by kernel from old to new, then by path
 * @param needsDepmod the kernels whose modules.dep lacks links, or lists modules that no longer exist
 * @param listed a problem for each module that modules.dep lists although it no longer exists
 * @param interrupted the transaction that a killed process left unfinished, null if there is none
 * @param problems the inputs that could not be read, without duplicates
 */
public record LinkDefects(
        Root root,
        int kernels,
        List<CheckedLink> links,
        List<String> needsDepmod,
        List<InputProblem> listed,
        @Nullable InputProblem interrupted,
        List<InputProblem> problems) {
    public LinkDefects {
        links = List.copyOf(links);
        needsDepmod = List.copyOf(needsDepmod);
        listed = List.copyOf(listed);
        problems = List.copyOf(new LinkedHashSet<>(problems));
    }

    public List<InputProblem> allProblems() {
        List<InputProblem> all = problemsLeft();
        all.addAll(listed);
        return all;
    }

    public List<InputProblem> problemsLeft() {
        List<InputProblem> all = new ArrayList<>();
        if (interrupted != null) {
            all.add(interrupted);
        }
        all.addAll(problems);
        return all;
    }

    public ExitCode exitCode() {
        if (interrupted != null || !needsDepmod.isEmpty()) {
            return ExitCode.INCOMPATIBLE;
        }
        if (kernels == 0) {
            return ExitCode.UNUSABLE;
        }
        boolean doubt = !problems.isEmpty();
        for (CheckedLink link : links) {
            if (link.isDefective()) {
                return ExitCode.INCOMPATIBLE;
            }
            doubt |= link.isDoubtful();
        }
        return doubt ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }
}
