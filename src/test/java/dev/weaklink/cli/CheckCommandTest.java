package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.Samples;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {
    private static final CheckReport REFUSED =
            Samples.report(Samples.compatible("a"), Samples.refused("b", "EINVAL", Samples.changed("b", "fput")));

    @Test
    void passesEveryOptionOn(@TempDir Path root) {
        Run run = new Run(REFUSED);

        run.with(
                "check",
                "--root",
                root.toString(),
                "--kernel",
                "6.1.0-54-amd64",
                "--kernel=Module.symvers",
                "--alone",
                "--loader",
                "force-load=yes",
                "--loader",
                "version=6.1",
                "-j",
                "3",
                "a.ko",
                "-");

        CheckRequest request = run.requests.get(0);
        assertThat(request.root()).isEqualTo(root);
        assertThat(request.kernels()).containsExactly("6.1.0-54-amd64", "Module.symvers");
        assertThat(request.modules()).containsExactly("a.ko", "-");
        assertThat(request.alone()).isTrue();
        assertThat(request.reading().threads()).isEqualTo(3);
        assertThat(request.loader())
                .containsOnlyKeys(LoaderRule.FORCE_LOAD, LoaderRule.VERSION)
                .containsEntry(LoaderRule.VERSION, "6.1");
    }

    @Test
    void leavesDefaultsToTheChecker() {
        Run run = new Run(REFUSED);

        run.with("check", "m");

        CheckRequest request = run.requests.get(0);
        assertThat(request.root()).isNull();
        assertThat(request.modules()).containsExactly("m");
        assertThat(request.kernels()).isEmpty();
        assertThat(request.alone()).isFalse();
        assertThat(request.reading().threads()).isPositive();
    }

    @Test
    void readsFilesNamedLikeArgumentFilesOrVariables() {
        Run run = new Run(REFUSED);

        run.with("check", "@list", "${HOME}.ko", "--", "--kernel");

        assertThat(run.requests.get(0).modules()).containsExactly("@list", "${HOME}.ko", "--kernel");
    }

    @Test
    void returnsTheVerdictsStatusInEveryFormat() {
        for (String format : List.of("table", "json", "ndjson")) {
            assertThat(new Run(REFUSED).with("check", "m", "--format", format)).isEqualTo(1);
        }
        assertThat(new Run(REFUSED).with("check", "m", "--quiet")).isEqualTo(1);
    }

    @Test
    void quietPrintsProblemsOnly() {
        Run run = new Run(new CheckReport(
                List.of(Samples.target()),
                List.of(Samples.compatible("a")),
                List.of(new InputProblem("b.ko", "cannot be read"))));

        assertThat(run.with("check", "m", "-q")).isEqualTo(3);

        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEqualTo("weaklink: b.ko: cannot be read\n");
    }

    @Test
    void reportsAnUnreadableModuleOnceInATable() {
        CheckReport report = new CheckReport(
                List.of(Samples.target()),
                List.of(Samples.compatible("a"), Samples.undetermined("b", Samples.unreadable("not an ELF file"))),
                List.of(new InputProblem("extra/b.ko", "not an ELF file")));
        Run table = new Run(report);
        Run lines = new Run(report);

        table.with("check", "m");
        lines.with("check", "m", "--format", "ndjson");

        assertThat(table.err()).isEmpty();
        assertThat(table.out()).containsOnlyOnce("not an ELF file");
        assertThat(lines.err()).isEqualTo("weaklink: extra/b.ko: not an ELF file\n");
    }

    @Test
    void reportsAnErrorIfNoModuleIsFound() throws IOException {
        Run run = new Run(Samples.report());

        assertThat(run.with("check", "m", "--format", "json")).isEqualTo(2);

        assertThat(run.err()).isEqualTo("weaklink: no module was found, so nothing was checked; name module files\n");
        assertThat(new ObjectMapper()
                        .readTree(run.out())
                        .at("/summary/exitCode")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void escapesAHostileNameInAMessage() {
        Run run = new Run(new CheckReport(
                List.of(Samples.target()),
                List.of(Samples.compatible("a")),
                List.of(new InputProblem("x\n\u001b[31m.ko", "cannot be read"))));

        run.with("check", "m");

        assertThat(run.err()).isEqualTo("weaklink: x\\x0a\\x1b[31m.ko: cannot be read\n");
    }

    @Test
    void usesColoursOnATerminalOnly() {
        Run pipe = new Run(REFUSED);
        Run terminal = new Run(REFUSED).onTerminal();

        pipe.with("check", "m");
        terminal.with("check", "m");

        assertThat(terminal.out()).contains("\u001b[31mINCOMPATIBLE\u001b[0m");
        String plain = terminal.out().replaceAll("\u001b\\[[0-9;]*m", "");
        assertThat(plain.split("\\s+")).isEqualTo(pipe.out().split("\\s+"));
    }
}
