package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.report.CheckTable;
import dev.weaklink.check.report.GateText;
import dev.weaklink.check.report.MatchText;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.links.ProductLabels;
import dev.weaklink.links.RemovedLinks;
import dev.weaklink.rebuild.run.RebuildSources;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The answers of {@code check} about the modules in {@code test-fixtures/cases/check}, about the kernels in
 * {@code in-use} without modules, and of {@code --best} about the builds in {@code best}.
 */
class CheckCasesTest {
    private static final TableOptions TABLE = new TableOptions(100, false, false);

    static List<String> checks() throws IOException {
        return ImageCase.names("check");
    }

    @ParameterizedTest
    @MethodSource("checks")
    void check(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("check", name);
        asked.build(root);
        List<String> modules = new ArrayList<>();
        for (String module : asked.words("check")) {
            modules.add(module.contains("/") ? root.resolve(module).toString() : module);
        }
        CheckReport report = Checker.check(request(asked, modules, root), Progress.NONE);

        StringBuilder text = new StringBuilder(new CheckTable(TABLE).render(report)).append('\n');
        report.problemsBesidesVerdicts().forEach(problem -> text.append(line(problem)));
        text.append("exit status " + report.exitCode().number() + "\n");
        // Columns are as wide as the removed paths.
        String answered = text.toString().replace(root + "/", "").replace(root.toString(), "ROOT");
        assertThat(answered).isEqualTo(asked.expected(answered));
    }

    static List<String> gates() throws IOException {
        return ImageCase.names("in-use");
    }

    @ParameterizedTest
    @MethodSource("gates")
    void gate(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("in-use", name);
        asked.build(root);
        CheckRequest request = request(asked, List.of(), root);
        GateReport report = Gate.judge(request, RemovedLinks.of(Root.of(root), new ArrayList<>()));

        Set<InputProblem> problems = new LinkedHashSet<>(report.problems());
        List<InputProblem> ofLabels = new ArrayList<>();
        StringBuilder text =
                new StringBuilder(GateText.lines(report, new TableOptions(1000, false, true), Map.of(), Root.of(root)));
        text.append("\nunits:\n");
        ProductLabels products = ProductLabels.find(Root.of(root), ofLabels);
        Map<String, String> unbuildable = RebuildSources.unknown(report, request, products.labels(), Root.of(root));
        text.append(GateText.units(report, products.labels(), products.autoinstalled(), unbuildable, Root.of(root)));
        problems.addAll(ofLabels);
        text.append('\n');
        problems.forEach(problem -> text.append(line(problem)));
        text.append("exit status " + report.exitCode().number() + "\n");
        String answered = text.toString().replace(root + "/", "").replace(root.toString(), "ROOT");
        assertThat(answered).isEqualTo(asked.expected(answered));
    }

    static List<String> matches() throws IOException {
        return ImageCase.names("best");
    }

    @ParameterizedTest
    @MethodSource("matches")
    void match(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("best", name);
        asked.build(root);
        List<String> places = new ArrayList<>();
        for (String place : asked.words("check")) {
            Path file = root.resolve(place);
            places.add(Files.exists(file) ? file.toString() : place);
        }
        MatchReport report = Matcher.match(request(asked, places, root));

        StringBuilder text = new StringBuilder(MatchText.lines(report)).append('\n');
        report.problems().forEach(problem -> text.append(line(problem)));
        text.append("exit status " + report.exitCode().number() + "\n");
        String answered = text.toString().replace(root + "/", "").replace(root.toString(), "ROOT");
        assertThat(answered).isEqualTo(asked.expected(answered));
    }

    private static String line(InputProblem problem) {
        return "problem: " + problem.subject() + ": " + problem.message() + "\n";
    }

    /** Returns the request of a case. A kernel that is not a symvers file of the case is passed on as written. */
    private static CheckRequest request(ImageCase asked, List<String> modules, Path root) {
        List<String> kernels = new ArrayList<>();
        for (String kernel : asked.words("ask")) {
            Path file = root.resolve(kernel);
            kernels.add(file.toFile().isFile() ? file.toString() : kernel);
        }
        return new CheckRequest(
                root,
                modules,
                kernels,
                null,
                false,
                Map.of(),
                List.of(),
                new ReadOptions(1, FactsCache.NONE, RefusalExplainer::new),
                InputStream.nullInputStream());
    }
}
