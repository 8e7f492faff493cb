package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.Samples;
import dev.weaklink.fleet.report.AuditCsvTest;
import dev.weaklink.fleet.report.SampleAudits;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unit;
import dev.weaklink.links.plan.ModulePlan.Unused;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.report.PlanResults;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Format;
import dev.weaklink.report.Markdown;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Checks and plans as JUnit, CSV and Markdown. {@code -Drenew-golden} writes the expected files. */
class ModuleFormsTest {
    private static final Path GOLDEN = Path.of("test-fixtures/results");

    private static ByteArrayOutputStream bytes(Format format, ModuleResults results) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public void close() {
                throw new AssertionError("closed");
            }
        };
        ModuleForms.write(format, results, out);
        return out;
    }

    private static String written(Format format, ModuleResults results) throws IOException {
        return bytes(format, results).toString(StandardCharsets.UTF_8);
    }

    private static List<Verdict> verdicts() {
        return List.of(
                Samples.refused(
                        "mlx5_core",
                        "ENOENT",
                        Samples.changed("mlx5_core", "ether_setup"),
                        Samples.missing("mlx5_core", "fput")),
                Samples.refused("mlx5_ib", "EINVAL", Samples.changed("mlx5_ib", "ether_setup")),
                Samples.compatible("mlxfw"),
                Samples.undetermined("odd", Samples.unreadable("not an ELF file")));
    }

    private static CheckReport check() {
        return new CheckReport(
                List.of(Samples.target()), verdicts(), List.of(new InputProblem("b.ko", "no such file")));
    }

    private static GateReport gate(List<Verdict> verdicts) {
        return gate(verdicts, List.of());
    }

    private static GateReport gate(List<Verdict> verdicts, List<GateAnswer.MissingModule> missing) {
        GateAnswer answer = new GateAnswer(
                Samples.target(), verdicts, missing, Set.of(), Set.of(), List.of(), null, true, List.of());
        return new GateReport(List.of(answer), 1, false, List.of());
    }

    private static ModuleResults plan() {
        List<ModulePlan> modules = List.of(
                planned("knem", Action.KEEP, Outcome.COMPATIBLE, null),
                planned(
                        "mlx5_core",
                        Action.REBUILD,
                        Outcome.INCOMPATIBLE,
                        verdicts().get(1)),
                planned("mlxfw", Action.LINK, Outcome.COMPATIBLE, verdicts().get(2)),
                planned("odd", Action.BLOCKED, Outcome.UNDETERMINED, verdicts().get(3)));
        Plan plan = new Plan(List.of(new KernelPlan(Samples.KERNEL, modules)));
        return PlanResults.of(plan, List.of());
    }

    private static ModulePlan planned(String name, Action action, Outcome outcome, @Nullable Verdict why) {
        String build = "/lib/modules/6.1.0-53-amd64/extra/" + name + ".ko";
        return new ModulePlan(
                name,
                new Unit("ofed", "mlnx-ofed"),
                action,
                null,
                false,
                build,
                List.<LinkEdit>of(),
                outcome,
                why,
                "because",
                null,
                null);
    }

    private static ModuleResults results(String what) {
        return switch (what) {
            case "check" -> ModuleResults.of(check());
            case "in-use" -> ModuleResults.of(gate(verdicts()), Root.HOST);
            default -> plan();
        };
    }

    @ParameterizedTest
    @CsvSource({
        "check,CSV,csv", "check,MARKDOWN,md", "check,JUNIT,xml",
        "in-use,CSV,csv", "in-use,MARKDOWN,md", "in-use,JUNIT,xml",
        "plan,CSV,csv", "plan,MARKDOWN,md", "plan,JUNIT,xml"
    })
    void writesTheSameAsBefore(String what, Format format, String ending) throws IOException {
        String written = written(format, results(what));
        Path file = GOLDEN.resolve(what + "." + ending);
        if (System.getProperty("renew-golden") != null) {
            Files.createDirectories(GOLDEN);
            Files.writeString(file, written);
        }
        assertThat(written).isEqualTo(Files.readString(file));
    }

    @ParameterizedTest
    @CsvSource({"check,4,2,1", "in-use,4,2,1", "plan,4,2,1"})
    void writesATestForEachModule(String what, int tests, int failures, int errors) throws Exception {
        Document document = parsed(bytes(Format.JUNIT, results(what)));
        assertCountsAreRight(document);
        Element suite = all(document, "testsuite").get(0);
        assertThat(suite.getAttribute("name")).isEqualTo("kernel " + Samples.KERNEL);
        assertThat(suite.getAttribute("tests")).isEqualTo(Integer.toString(tests));
        assertThat(suite.getAttribute("failures")).isEqualTo(Integer.toString(failures));
        assertThat(suite.getAttribute("errors")).isEqualTo(Integer.toString(errors));
    }

    @Test
    void reportsUnreadableFilesAsErrors() throws Exception {
        Document document = parsed(bytes(Format.JUNIT, ModuleResults.of(check())));
        Element input = all(document, "testsuite").get(1);
        assertThat(input.getAttribute("name")).isEqualTo("input");
        assertThat(input.getAttribute("errors")).isEqualTo("1");
    }

    @Test
    void failsAPipelineIfNothingWasChecked() throws Exception {
        CheckReport nothing = new CheckReport(List.of(Samples.target()), List.of(), List.of());
        Document document = parsed(bytes(Format.JUNIT, ModuleResults.of(nothing)));
        assertThat(all(document, "error")).hasSize(1);
    }

    @Test
    void failsAModuleWithoutABuildInPlace() throws Exception {
        GateReport report = gate(
                List.of(Samples.compatible("a"), Samples.compatible("b")),
                List.of(new GateAnswer.MissingModule(
                        "b",
                        "6.1.0-53-amd64",
                        Outcome.COMPATIBLE,
                        GateAnswer.MissingModule.AbsenceCause.NOT_INSTALLED,
                        "")));
        Document document = parsed(bytes(Format.JUNIT, ModuleResults.of(report, Root.HOST)));
        assertCountsAreRight(document);
        assertThat(all(document, "failure"))
                .extracting(failure -> failure.getAttribute("type"))
                .containsExactly("not-in-place");
    }

    @Test
    void failsAPipelineIfAModuleInUseWasNotChecked() throws Exception {
        GateAnswer answer = new GateAnswer(
                Samples.target(),
                List.of(Samples.compatible("a")),
                List.of(),
                Set.of(),
                Set.of(),
                List.of(),
                null,
                false,
                List.of());
        GateReport report = new GateReport(List.of(answer), 1, false, List.of());
        Document document = parsed(bytes(Format.JUNIT, ModuleResults.of(report, Root.HOST)));
        assertThat(all(document, "error")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"check", "in-use", "plan"})
    void writesACellForEachHeading(String what) throws IOException {
        List<List<String>> rows = AuditCsvTest.parse(written(Format.CSV, results(what)));
        assertThat(rows).allMatch(row -> row.size() == rows.get(0).size());
        assertThat(rows).filteredOn(row -> row.get(0).equals("module")).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource(names = {"CSV", "MARKDOWN", "JUNIT"})
    void textOfModulesIsHarmless(Format format) throws IOException {
        String hostile = SampleAudits.HOSTILE;
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(
                        Samples.refused(hostile, "EINVAL", Samples.changed(hostile, hostile)),
                        Samples.refused("b", "EINVAL", Samples.changed(hostile, hostile))),
                List.of(new InputProblem(hostile, hostile)));
        String written = written(format, ModuleResults.of(report));
        assertThat(written)
                .doesNotContain("\u001b", "\u2028", "\u202e", "\u0000")
                .contains("u2028", "31m");
    }

    @Test
    void failsAModuleThatDepmodDoesNotChooseButNotAnUnplannedModule() throws Exception {
        ModulePlan kept = planned("knem", Action.KEEP, Outcome.COMPATIBLE, null);
        ModulePlan left =
                planned("old", Action.LEAVE, Outcome.INCOMPATIBLE, verdicts().get(0));
        Plan plan = new Plan(List.of(
                new KernelPlan(Samples.KERNEL, List.of(kept.withUnused(new Unused("/x/knem.ko", null, false)), left))));
        Document document = parsed(bytes(Format.JUNIT, PlanResults.of(plan, List.of())));
        List<Element> failures = all(document, "failure");
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).getAttribute("type")).isEqualTo("not-used");
        assertThat(failures.get(0).getAttribute("message")).isEqualTo("depmod chooses /x/knem.ko");
    }

    @Test
    void escapesMarkupInMarkdown() {
        assertThat(Markdown.plain("a|b <i> [x](y) mlx5_core __x__"))
                .isEqualTo("a\\|b \\<i\\> \\[x\\](y) mlx5_core \\_\\_x\\_\\_");
        assertThat(Markdown.code("a``b`")).isEqualTo("``` a``b` ```");
        assertThat(Markdown.code("x_y")).isEqualTo("`x_y`");
    }

    private static Document parsed(ByteArrayOutputStream out) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(out.toByteArray()));
    }

    private static List<Element> all(Document document, String name) {
        List<Element> elements = new ArrayList<>();
        NodeList nodes = document.getElementsByTagName(name);
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    private static void assertCountsAreRight(Document document) {
        for (Element suite : all(document, "testsuite")) {
            assertThat(suite.getElementsByTagName("testcase").getLength())
                    .isEqualTo(Integer.parseInt(suite.getAttribute("tests")));
            assertThat(suite.getElementsByTagName("failure").getLength())
                    .isEqualTo(Integer.parseInt(suite.getAttribute("failures")));
            assertThat(suite.getElementsByTagName("error").getLength())
                    .isEqualTo(Integer.parseInt(suite.getAttribute("errors")));
        }
    }
}
