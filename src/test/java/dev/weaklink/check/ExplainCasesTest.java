package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.check.report.CheckTable;
import dev.weaklink.explain.DifferenceDocument;
import dev.weaklink.explain.DifferenceJson;
import dev.weaklink.explain.DifferenceTable;
import dev.weaklink.explain.ExplainReport;
import dev.weaklink.report.Schemas;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.ImageCase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The causes of changed CRCs between the kernels in {@code test-fixtures/cases/explain}. */
class ExplainCasesTest {
    private static final TableOptions TABLE = new TableOptions(100, false, false);
    private static final ReadOptions READING = new ReadOptions(1, FactsCache.NONE, RefusalExplainer::new);

    private final List<InputProblem> problems = new ArrayList<>();

    static List<String> explanations() throws IOException {
        return ImageCase.names("explain");
    }

    @ParameterizedTest
    @MethodSource("explanations")
    void explain(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("explain", name);
        asked.build(root);
        List<String> modules = asked.words("check");
        String answer = modules.isEmpty() ? explained(asked, root) : checked(asked, modules, root);
        StringBuilder text = new StringBuilder(answer);
        for (InputProblem problem : problems) {
            text.append("problem: ").append(problem.subject()).append(": ").append(problem.message());
            text.append('\n');
        }
        String neutral = text.toString().replace(root + "/", "").replace(root.toString(), "ROOT");
        assertThat(neutral).isEqualTo(asked.expected(neutral));
    }

    /**
     * Returns the answer of {@code explain} about the symbols and modules of the case; about all symbols if the case
     * names none.
     */
    private String explained(ImageCase asked, Path root) throws IOException {
        List<String> words = new ArrayList<>(asked.words("explain"));
        boolean json = words.remove("--format=json");
        boolean markdown = words.remove("--format=markdown");
        boolean verbose = words.remove("-v");
        List<String> modules = words.stream().filter(word -> word.contains("/")).toList();
        List<String> symbols =
                words.stream().filter(word -> !word.contains("/")).toList();
        List<String> kernels = asked.words("ask");
        ExplainReport report = Explainer.explain(
                new ExplainRequest(
                        root,
                        kernels.subList(0, kernels.size() - 1),
                        kernels.subList(kernels.size() - 1, kernels.size()),
                        symbols,
                        modules,
                        null,
                        null,
                        READING),
                problems,
                Progress.NONE);
        report.unknown().forEach(unknown -> problems.add(new InputProblem(unknown, "in neither kernel")));
        if (json) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            DifferenceJson.writeDocument(report, out);
            assertThat(Schemas.problems(out.toString(StandardCharsets.UTF_8))).isEmpty();
            return new ObjectMapper().readTree(out.toByteArray()).toPrettyString() + "\n";
        }
        if (markdown) {
            return DifferenceDocument.markdown(report, verbose);
        }
        return symbols.isEmpty() ? DifferenceTable.overview(report, verbose) : DifferenceTable.symbols(report);
    }

    /** Returns the answer of {@code check --explain} about modules. */
    private String checked(ImageCase asked, List<String> modules, Path root) {
        CheckRequest request = new CheckRequest(
                root,
                modules,
                asked.words("ask"),
                null,
                false,
                false,
                true,
                Map.of(),
                List.of(),
                READING,
                InputStream.nullInputStream());
        return new CheckTable(TABLE).render(Checker.check(request, Progress.NONE));
    }
}
