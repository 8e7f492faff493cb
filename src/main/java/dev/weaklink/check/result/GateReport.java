package dev.weaklink.check.result;

import dev.weaklink.check.result.GateAnswer.Word;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report on whether kernels can be booted with the modules in use.
 *
 * @param answers one answer for each judged kernel: first the requested kernels, by default the newest; then older
 *     kernels that were checked until one was safe
 * @param count the number of answers that precede the answers about older kernels
 * @param onlyRequested true if the user requested kernels, so that no other kernel was checked
 * @param problems the inputs that could not be judged
 */
public record GateReport(List<GateAnswer> answers, int count, boolean onlyRequested, List<InputProblem> problems) {
    public GateReport {
        answers = List.copyOf(answers);
        problems = List.copyOf(problems);
    }

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

    private static String release(GateAnswer answer) {
        String release = answer.target().release();
        return release == null ? answer.target().label() : release;
    }

    public List<GateAnswer> asked() {
        return answers.subList(0, count);
    }

    public static boolean isAnySafe(List<GateAnswer> answers) {
        return answers.stream().anyMatch(answer -> answer.word() == Word.YES);
    }

    public Word word() {
        Word worst = asked().isEmpty() ? Word.UNKNOWN : Word.YES;
        for (GateAnswer answer : asked()) {
            worst = answer.word() == Word.NO || worst == Word.YES ? answer.word() : worst;
        }
        return worst;
    }

    public CheckReport check() {
        List<TargetSummary> targets = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        for (GateAnswer answer : asked()) {
            targets.add(answer.target());
            verdicts.addAll(answer.verdicts());
        }
        return new CheckReport(targets, verdicts, problems);
    }

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
