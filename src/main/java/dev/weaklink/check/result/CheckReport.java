package dev.weaklink.check.result;

import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The result of a check.
 *
 * @param targets the targets in the order given
 * @param verdicts the verdicts by target as given, then by module order
 * @param judged one line for each bare module name that the user typed, with the build that was chosen for the name
 * @param problems the inputs that could not be judged; an unreadable module file also has a verdict
 */
public record CheckReport(
        List<TargetSummary> targets, List<Verdict> verdicts, List<String> judged, List<InputProblem> problems) {

    public CheckReport(List<TargetSummary> targets, List<Verdict> verdicts, List<InputProblem> problems) {
        this(targets, verdicts, List.of(), problems);
    }

    public CheckReport {
        judged = List.copyOf(judged);
        targets = List.copyOf(targets);
        verdicts = List.copyOf(verdicts);
        problems = List.copyOf(problems);
    }

    public List<Verdict> verdictsOn(TargetSummary target) {
        List<Verdict> on = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.target().equals(target.label())) {
                on.add(verdict);
            }
        }
        return on;
    }

    public Tally tally() {
        return Tally.of(verdicts);
    }

    public Set<String> brokenInUse() {
        return Verdicts.brokenInUse(verdicts);
    }

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

    /** Returns the problems without a verdict: all problems except unreadable module files. */
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

    private boolean nothingJudged() {
        for (Verdict verdict : verdicts) {
            if (!Verdicts.isUnreadable(verdict)) {
                return false;
            }
        }
        return true;
    }
}
