package dev.weaklink.links.report;

import dev.weaklink.check.report.ModuleResults;
import dev.weaklink.check.report.ModuleResults.KernelResults;
import dev.weaklink.check.report.ModuleResults.ModuleResult;
import dev.weaklink.check.report.ModuleResults.ResultState;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unused;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

public final class PlanResults {
    private static final List<String> COLUMNS = List.of("unit", "product", "verdict", "build", "advice");

    private PlanResults() {}

    public static ModuleResults of(Plan plan, List<InputProblem> problems) {
        List<KernelResults> kernels = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (KernelPlan kernel : plan.kernels()) {
            kernel.notes().forEach(note -> notes.add(kernel.kernel() + ": " + note));
            List<ModuleResult> modules = new ArrayList<>();
            List<Verdict> verdicts = new ArrayList<>();
            for (ModulePlan module : kernel.modules()) {
                Verdict verdict = module.verdict();
                modules.add(module(module, verdict));
                if (verdict != null) {
                    verdicts.add(verdict);
                }
            }
            kernels.add(new KernelResults(kernel.kernel(), ResultState.FINE, counts(modules), modules, verdicts));
        }
        return new ModuleResults("weaklink plan", COLUMNS, kernels, problems, notes, "");
    }

    private static String counts(List<ModuleResult> modules) {
        Map<String, Integer> counts = new TreeMap<>();
        for (ModuleResult module : modules) {
            counts.merge(module.result(), 1, Integer::sum);
        }
        List<String> words = new ArrayList<>();
        counts.forEach((result, count) -> words.add(Numbers.grouped(count) + " " + result));
        return words.isEmpty() ? "no out-of-tree modules" : String.join(", ", words);
    }

    private static ModuleResult module(ModulePlan module, @Nullable Verdict verdict) {
        Unused unused = module.action() == Action.KEEP ? module.unused() : null;
        String id = unused == null ? module.action().id() : "not-used";
        return new ModuleResult(
                module.module(),
                module.build(),
                unused == null ? state(module) : ResultState.TO_DO,
                id,
                id,
                Escape.text(unused == null ? module.reason() : "depmod chooses " + unused.chosen()),
                verdict == null ? List.of() : ModuleResults.lines(verdict),
                List.of(
                        module.unit().name(),
                        Objects.requireNonNullElse(module.unit().product(), ""),
                        module.outcome().name(),
                        module.build(),
                        advice(module)));
    }

    private static ResultState state(ModulePlan module) {
        return switch (module.action()) {
            case LINK, REPLACE, UNLINK, BUILD -> ResultState.TO_DO;
            case REBUILD -> ResultState.WRONG;
            case BLOCKED -> module.outcome() == Outcome.UNDETERMINED ? ResultState.UNKNOWN : ResultState.WRONG;
            case LEAVE -> ResultState.FINE;
            case KEEP -> module.unused() != null ? ResultState.TO_DO : ModuleResults.state(module.outcome());
        };
    }

    private static String advice(ModulePlan module) {
        Unused unused = module.unused();
        String line = unused == null ? null : unused.override();
        return line == null ? Objects.requireNonNullElse(module.advice(), "") : line;
    }
}
