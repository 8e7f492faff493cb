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
 * The weak-updates links below a root directory with their defects.
 *
 * @param root the root directory that contains the links
 * @param kernels the number of kernels that the request covers: installed kernels, and removed kernels whose
 *     weak-updates directory still exists
 * @param links the links by kernel from old to new, then by path
 * @param needsDepmod the kernels for which depmod must run because modules.dep does not match their links
 * @param listed a problem for each kernel whose modules.dep lists removed links
 * @param interrupted the transaction or rebuild that a killed process left unfinished, null if there is none
 * @param problems the problems met during the check, without duplicates
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
