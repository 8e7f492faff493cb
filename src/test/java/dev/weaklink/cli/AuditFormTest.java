package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The formats and output files of audits. */
class AuditFormTest {
    private static final String OLD = "5.14.0-503";
    private static final String GOOD =
            new NodeLines(OLD).module(OLD, "mlx5_core", "A").line("cn1");
    private static final String BAD = new NodeLines(OLD)
            .module(OLD, "mlx5_core", "A")
            .danglingLink(OLD, "knem")
            .line("cn2");

    @TempDir
    Path directory;

    private static WholeRun audit(String told, String... options) {
        List<String> arguments = new ArrayList<>(List.of("audit", "-"));
        arguments.addAll(List.of(options));
        return WholeRun.reading((told + "\n").getBytes(StandardCharsets.UTF_8), arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "html!<!DOCTYPE html>",
                "csv!record,kernel,",
                "prometheus!# HELP weaklink_audit_nodes ",
                "nagios!WEAKLINK CRITICAL - 1 node, 1 thing wrong today"
            })
    void writesTheSameToAFileAsToStandardOutput(String format, String start) throws IOException {
        WholeRun printed = audit(BAD, "--format", format, "-o", "-");
        assertThat(printed.out()).startsWith(start);
        assertThat(printed.err()).isEmpty();
        Path file = directory.resolve("result");
        WholeRun written = audit(BAD, "--format", format, "--output", file.toString());
        assertThat(written.out()).isEmpty();
        assertThat(written.status()).isEqualTo(printed.status());
        assertThat(Files.readString(file)).isEqualTo(printed.out());
    }

    @Test
    void returnsTheSameExitStatusExceptForMonitoring() {
        assertThat(audit(BAD, "--format", "csv").status()).isEqualTo(1);
        assertThat(audit(BAD, "--format", "nagios").status()).isEqualTo(2);
        assertThat(audit(GOOD, "--format", "nagios").status()).isZero();
        assertThat(audit("noise", "--format", "nagios").status()).isEqualTo(3);
        assertThat(audit("noise", "--format", "csv").status()).isEqualTo(2);
    }

    @Test
    void reportsAWriteErrorInOneLine() throws IOException {
        WholeRun nowhere = audit(GOOD, "-o", directory.resolve("none/x").toString());
        assertThat(nowhere.at(directory)).isEqualTo(new WholeRun(2, "", """
                weaklink: --output DIR/none/x: there is no directory DIR/none
                Try: weaklink audit --help
                """));
        WholeRun onDirectory = audit(GOOD, "-o", directory.toString());
        assertThat(onDirectory.at(directory)).isEqualTo(new WholeRun(2, "", """
                weaklink: --output takes the name of a file, not 'DIR'
                Try: weaklink audit --help
                """));
        WholeRun full = audit(GOOD, "-o", "/dev/full");
        assertThat(full.status()).isEqualTo(2);
        assertThat(full.messages()).containsExactly("/dev/full: cannot be written: No space left on device");
        try (var files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void listsTheFormatsIfOneIsUnknown() {
        WholeRun run = audit(GOOD, "--format", "pdf");
        assertThat(run).isEqualTo(new WholeRun(2, "", """
                weaklink: --format takes table, json, ndjson, html, csv, prometheus, nagios; not 'pdf'
                Try: weaklink audit --help
                """));
    }
}
