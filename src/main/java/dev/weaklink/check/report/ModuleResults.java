package dev.weaklink.check.report;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.FindingText;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.Tally;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The results of a check or a plan for modules on kernels, in one shape for all formats of {@link ModuleForms}.
 *
 * @param command the command, such as {@code weaklink check}
 * @param columns the names of the values in {@link ModuleResult#facts}
 * @param notes sentences to read before the results
 * @param conclusion the final sentence, escaped; empty if there is none
 */
public record ModuleResults(
        String command,
        List<String> columns,
        List<KernelResults> kernels,
        List<InputProblem> problems,
        List<String> notes,
        String conclusion) {
    private static final List<String> OF_VERDICT = List.of("errno", "file", "package", "version");

    /**
     * A kernel and the modules on it.
     *
     * @param label the kernel's name
     * @param state the state of the kernel itself; {@code FINE} if only modules were judged
     * @param answer the result in a few words
     * @param verdicts the loader's verdicts on modules that were judged
     */
    public record KernelResults(
            String label, ResultState state, String answer, List<ModuleResult> modules, List<Verdict> verdicts) {
        boolean isUnexplained() {
            for (ModuleResult module : modules) {
                if (module.state() != ResultState.FINE) {
                    return false;
                }
            }
            return state != ResultState.FINE;
        }
    }

    /**
     * A module on a kernel.
     *
     * @param path the path of the module's file
     * @param rule the stable id of the reason for the result
     * @param result the result in one word
     * @param reason the reason in one sentence, escaped
     * @param findings the findings except notes, escaped
     * @param facts one value for each column
     */
    public record ModuleResult(
            String name,
            String path,
            ResultState state,
            String rule,
            String result,
            String reason,
            List<String> findings,
            List<String> facts) {
        private ModuleResult notInPlace(String why) {
            String rule = "not-in-place";
            return new ModuleResult(name, path, ResultState.WRONG, rule, result, why, findings, facts);
        }
    }

    public enum ResultState {
        FINE,
        TO_DO,
        WRONG,
        UNKNOWN
    }

    public static ModuleResults of(CheckReport report) {
        List<KernelResults> kernels = new ArrayList<>();
        List<String> notes = new ArrayList<>(report.judged());
        for (TargetSummary target : report.targets()) {
            target.causes().forEach(note -> notes.add(target.label() + ": " + note));
            List<Verdict> verdicts = report.verdictsOn(target);
            kernels.add(kernel(target, ResultState.FINE, Tally.of(verdicts).words(), verdicts));
        }
        String conclusion = report.verdicts().isEmpty() ? "" : SummaryFooter.next(report);
        return new ModuleResults("weaklink check", OF_VERDICT, kernels, report.problems(), notes, conclusion);
    }

    public static ModuleResults of(GateReport report, Root root) {
        List<KernelResults> kernels = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (GateAnswer answer : report.asked()) {
            answer.target().causes().forEach(note -> notes.add(answer.target().label() + ": " + note));
            String words = answer.word().id() + ": " + GateText.reason(answer);
            ResultState state = switch (answer.word()) {
                case YES -> ResultState.FINE;
                case NO -> ResultState.WRONG;
                case UNKNOWN -> ResultState.UNKNOWN;
            };
            KernelResults kernel = kernel(answer.target(), state, words, answer.verdicts());
            kernels.add(answer.missing().isEmpty() ? kernel : missing(kernel, answer, root));
        }
        return new ModuleResults(
                "weaklink check",
                OF_VERDICT,
                kernels,
                report.problems(),
                notes,
                report.answers().isEmpty() ? "" : GateText.conclusion(report));
    }

    private static KernelResults missing(KernelResults kernel, GateAnswer answer, Root root) {
        Map<String, String> reasons = new TreeMap<>();
        for (GateAnswer.MissingModule missing : answer.missing()) {
            reasons.put(missing.name(), GateText.reason(missing, root));
        }
        List<ModuleResult> modules = new ArrayList<>();
        for (ModuleResult module : kernel.modules()) {
            String reason = reasons.get(module.name());
            boolean refused = module.state() == ResultState.WRONG;
            modules.add(reason == null || refused ? module : module.notInPlace(reason));
        }
        return new KernelResults(kernel.label(), kernel.state(), kernel.answer(), modules, kernel.verdicts());
    }

    private static KernelResults kernel(
            TargetSummary target, ResultState state, String answer, List<Verdict> verdicts) {
        List<ModuleResult> modules =
                verdicts.stream().map(verdict -> module(verdict)).toList();
        return new KernelResults(target.label(), state, answer, modules, verdicts);
    }

    private static ModuleResult module(Verdict verdict) {
        Origin origin = verdict.module().origin();
        Origin.Owner owner = origin.owner();
        String rule = rule(verdict);
        return new ModuleResult(
                verdict.module().name(),
                origin.toString(),
                state(verdict.outcome()),
                rule,
                verdict.outcome().name(),
                VerdictReason.of(verdict),
                lines(verdict),
                List.of(
                        orEmpty(verdict.errno()),
                        origin.toString(),
                        owner == null ? "" : owner.name(),
                        owner == null ? "" : owner.version()));
    }

    public static ResultState state(Outcome outcome) {
        return switch (outcome) {
            case COMPATIBLE -> ResultState.FINE;
            case INCOMPATIBLE -> ResultState.WRONG;
            case UNDETERMINED -> ResultState.UNKNOWN;
        };
    }

    private static String rule(Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == VerdictReason.decisive(verdict)) {
                return finding.kind().id();
            }
        }
        return "undetermined";
    }

    public static List<String> lines(Verdict verdict) {
        return verdict.findings().stream()
                .filter(finding -> finding.effect() != Effect.NOTE)
                .map(finding -> FindingText.line(finding))
                .toList();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
