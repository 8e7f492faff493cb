package dev.weaklink.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.report.PlanTable;
import dev.weaklink.report.TableOptions;
import dev.weaklink.status.StatusText;
import dev.weaklink.status.SystemStatus;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the cases of {@code plan} and {@code links} in {@code test-fixtures/cases}. */
class LinkCasesTest {
    private static final TableOptions TABLE = new TableOptions(100, false, false);

    static List<String> plans() throws IOException {
        return ImageCase.names("plan");
    }

    static List<String> audits() throws IOException {
        return ImageCase.names("links");
    }

    private static PlanRequest request(ImageCase asked, Path root) {
        asked.build(root);
        return new PlanRequest(root, asked.words("ask"), new ReadOptions(1, FactsCache.NONE));
    }

    @ParameterizedTest
    @MethodSource("plans")
    void plan(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("plan", name);
        PlanResult result = new LinkManager().plan(request(asked, root));
        StringBuilder text = new StringBuilder(new PlanTable(TABLE).render(result.plan()));
        for (KernelPlan kernel : result.plan().nextFirst()) {
            text.append("\n").append(kernel.kernel()).append(":\n");
            kernel.modules().forEach(module -> text.append(module(module)));
            kernel.needsDepmod().forEach(path -> text.append("  depmod has not seen " + path + "\n"));
        }
        text.append(problems(result.problems(), root));
        text.append("\nexit status ").append(result.exitCode().number()).append('\n');
        assertThat(text).hasToString(asked.expected(text.toString()));
    }

    private static String module(ModulePlan plan) {
        StringBuilder text = new StringBuilder("  " + plan.action().id() + " " + plan.module());
        text.append(" (")
                .append(plan.outcome())
                .append("): ")
                .append(plan.reason())
                .append('\n');
        if (plan.advice() != null) {
            text.append("    advice: ").append(plan.advice()).append('\n');
        }
        if (plan.unused() != null) {
            text.append("    depmod chooses ").append(plan.unused().chosen()).append("; override: ");
            text.append(plan.unused().override()).append('\n');
        }
        for (LinkEdit edit : plan.edits()) {
            text.append("    ").append(edit.path()).append(": ");
            text.append(target(edit.before()))
                    .append(" => ")
                    .append(target(edit.after()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String target(@Nullable String path) {
        return path == null ? "no link" : path;
    }

    private static String problems(List<InputProblem> problems, Path root) {
        StringBuilder text = new StringBuilder();
        for (InputProblem problem : problems) {
            text.append("\nproblem: ").append(problem.subject()).append(": ").append(problem.message());
            text.append('\n');
        }
        return text.toString().replace(root.toString(), "ROOT");
    }

    @ParameterizedTest
    @MethodSource("audits")
    void audit(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("links", name);
        LinkDefects result = new LinkManager().audit(request(asked, root));
        SystemStatus status = new SystemStatus(
                result, null, List.of(), null, List.of(), List.of(), List.of(), result.problems(), Set.of());
        String text = new StatusText(TABLE, "", Map.of()).render(status) + problems(status.problems(), root);
        assertThat(text).isEqualTo(asked.expected(text));
    }
}
