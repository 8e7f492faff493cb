package dev.weaklink.check.result;

import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All that one check found out.
 *
 * @param targets in the order given
 * @param verdicts by target as given, then by module order
 * @param judged which build a name stands for, a line each
 * @param problems what could not be judged; an unreadable module file has a verdict as well
 */
public record CheckReport(
        List<TargetSummary> targets, List<Verdict> verdicts, List<String> judged, List<InputProblem> problems) {

    /** Of files. */
    public CheckReport(List<TargetSummary> targets, List<Verdict> verdicts, List<InputProblem> problems) {
        this(targets, verdicts, List.of(), problems);
    }

    public CheckReport {
        judged = List.copyOf(judged);
        targets = List.copyOf(targets);
        verdicts = List.copyOf(verdicts);
        problems = List.copyOf(problems);
    }

    /** The verdicts of one target. */
    public List<Verdict> verdictsOn(TargetSummary target) {
        List<Verdict> on = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.target().equals(target.label())) {
                on.add(verdict);
            }
        }
        return on;
    }

    /** Counts of the verdicts. */
    public Tally tally() {
        return Tally.of(verdicts);
    }

    /** Names of modules the machine uses that would no longer load, sorted. */
    public Set<String> brokenInUse() {
        return Verdicts.brokenInUse(verdicts);
    }

    /** What a caller learns from the exit status alone. */
    public ExitCode exitCode() {
        Tally tally = tally();
        if (tally.incompatible() > 0 || Verdicts.breakOthers(verdicts)) {
            return ExitCode.INCOMPATIBLE;
        }
        if (nothingJudged()) {
            return ExitCode.UNUSABLE;
        }
        return tally.undetermined() > 0 || InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }

    /** Problems that no verdict covers: everything but unreadable module files. */
    public List<InputProblem> problemsBesidesVerdicts() {
        Set<String> covered = new HashSet<>();
        for (Verdict verdict : verdicts) {
            if (Verdicts.isUnreadable(verdict)) {
                covered.add(verdict.module().origin().toString());
            }
        }
        List<InputProblem> others = new ArrayList<>();
        for (InputProblem problem : problems) {
            if (!covered.contains(problem.subject())) {
                others.add(problem);
            }
        }
        return others;
    }

    /** Whether there is not one module that could be read and held against a target. */
    private boolean nothingJudged() {
        for (Verdict verdict : verdicts) {
            if (!Verdicts.isUnreadable(verdict)) {
                return false;
            }
        }
        return true;
    }
}
