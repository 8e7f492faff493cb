package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.Audit;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReportBuilder;
import dev.weaklink.fleet.AuditReportBuilder.TargetAnswers;
import dev.weaklink.fleet.NodeGroups;
import dev.weaklink.fleet.intake.Intake;
import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.judge.AuditJudge;
import dev.weaklink.fleet.judge.AuditJudge.AuditRequest;
import dev.weaklink.fleet.report.AuditTable;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.ImageCase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The audits of the nodes in {@code test-fixtures/cases/audit}. */
class AuditCasesTest {
    private static final TableOptions TABLE = new TableOptions(100, false, false);

    private final Audit audit = new Audit();
    private final List<InputProblem> problems = new ArrayList<>();

    static List<String> audits() throws IOException {
        return ImageCase.names("audit");
    }

    @ParameterizedTest
    @MethodSource("audits")
    void audit(String name, @TempDir Path root) throws IOException {
        ImageCase asked = ImageCase.read("audit", name);
        asked.build(root);
        Intake intake = new Intake(new Nodes(), Set.of());
        byte[] lines = asked.nodes().getBytes(StandardCharsets.UTF_8);
        intake.read(Intake.STDIN, new ByteArrayInputStream(lines));
        intake.finish();
        NodeGroups census = audit.census();
        List<TargetAnswers> answers =
                AuditJudge.judge(request(asked, root), census.sets(), intake.tables(), problems, Progress.NONE);
        AuditReport report = AuditReportBuilder.of(census, answers, List.of(), problems.size());

        StringBuilder text = new StringBuilder(AuditTable.lines(report, TABLE));
        problems.forEach(problem -> text.append("\nproblem: ")
                .append(problem.subject())
                .append(": ")
                .append(problem.message())
                .append('\n'));
        String plain = text.toString().replace(root + "/", "").replace(root.toString(), "ROOT");
        // Columns are as wide as the removed paths.
        String answered = plain.replaceAll("\\b[0-9a-f]{12}\\b", "DIGEST").replaceAll("(?<=\\S) {2,}", "  ");
        assertThat(answered).isEqualTo(asked.expected(answered));
    }

    /** Returns the request of a case. A kernel that is not a symvers file of the case is passed on as written. */
    private static AuditRequest request(ImageCase asked, Path root) {
        List<String> kernels = new ArrayList<>();
        for (String kernel : asked.words("ask")) {
            Path file = root.resolve(kernel);
            kernels.add(file.toFile().isFile() ? file.toString() : kernel);
        }
        return new AuditRequest(
                root,
                kernels,
                null,
                Map.of(),
                List.of(),
                List.of(),
                false,
                new ReadOptions(1, FactsCache.NONE, RefusalExplainer::new));
    }

    private final class Nodes implements NodeVisitor {
        @Override
        public void node(String name, NodeInventory inventory) {
            audit.add(name, inventory);
        }

        @Override
        public void problem(InputProblem problem) {
            problems.add(problem);
        }
    }
}
