package dev.weaklink.check.result;

import dev.weaklink.check.result.GateAnswer.Word;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which of the kernels offered can be booted with the modules there are.
 *
 * @param answers one for each kernel: those installed in the order given, then the others, then those that were looked
 *     at as none of these is safe
 * @param count how many of the answers were asked for
 * @param problems what could not be judged
 */
public record GateReport(List<GateAnswer> answers, int count, List<InputProblem> problems) {
    public GateReport {
        answers = List.copyOf(answers);
        problems = List.copyOf(problems);
    }

    /** The newest kernel that is safe, null if none is. */
    public @Nullable GateAnswer newestSafe() {
        GateAnswer newest = null;
        for (GateAnswer answer : answers) {
            boolean safe = answer.word() == Word.YES;
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

    /** Those that were asked for. */
    public List<GateAnswer> asked() {
        return answers.subList(0, count);
    }

    /** Whether one of these kernels is safe. */
    public static boolean isAnySafe(List<GateAnswer> answers) {
        return answers.stream().anyMatch(answer -> answer.word() == Word.YES);
    }

    /** Yes if all kernels asked for are safe, no if one is not. */
    public Word word() {
        Word worst = answers.isEmpty() ? Word.UNKNOWN : Word.YES;
        for (GateAnswer answer : asked()) {
            worst = answer.word() == Word.NO || worst == Word.YES ? answer.word() : worst;
        }
        return worst;
    }

    /** The same as a check: what the loader says of each module on the kernels asked for. */
    public CheckReport check() {
        List<TargetSummary> targets = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        for (GateAnswer answer : asked()) {
            targets.add(answer.target());
            verdicts.addAll(answer.verdicts());
        }
        return new CheckReport(targets, verdicts, problems);
    }

    /** 0 if all kernels asked for are safe and nothing was left out. */
    public ExitCode exitCode() {
        if (answers.isEmpty()) {
            return ExitCode.UNUSABLE;
        }
        return switch (word()) {
            case YES -> InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
            case NO -> ExitCode.INCOMPATIBLE;
            case UNKNOWN -> ExitCode.UNDETERMINED;
        };
    }
}
