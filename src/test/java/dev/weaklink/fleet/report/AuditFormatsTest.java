package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests the properties that all formats of an audit share; {@code -Drenew-golden} writes the stored files again. */
class AuditFormatsTest {
    private static final TableOptions WIDE = new TableOptions(80, false, false);

    private static final Path GOLDEN = Path.of("test-fixtures/audit");

    private static String written(Format format, AuditReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditForms.write(format, report, WIDE, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"CSV,small.csv", "PROMETHEUS,small.prom", "NAGIOS,small.nagios"})
    void writesTheSameAsBefore(Format format, String file) throws IOException {
        String written = written(format, SampleAudits.small());
        if (System.getProperty("renew-golden") != null) {
            Files.writeString(Files.createDirectories(GOLDEN).resolve(file), written);
        }
        assertThat(written).isEqualTo(Files.readString(GOLDEN.resolve(file)));
    }

    @ParameterizedTest
    @FieldSource("dev.weaklink.fleet.report.AuditForms#FORMATS")
    void textOfNodesIsHarmlessOnATerminal(Format format) throws IOException {
        String written = written(format, SampleAudits.hostile());
        assertThat(written).doesNotContain("\u001b", "\u2028", "\u202e", "\u0000");
        // Nagios names safe kernels only, and this audit has none; the data of a page is packed.
        if (format != Format.NAGIOS && format != Format.HTML) {
            assertThat(written).contains("u2028", "31m");
        }
        if (format != Format.CSV) {
            assertThat(written).doesNotContain("\r");
        }
    }

    @ParameterizedTest
    @FieldSource("dev.weaklink.fleet.report.AuditForms#FORMATS")
    void leavesTheStreamOpen(Format format) throws IOException {
        OutputStream out = new ByteArrayOutputStream() {
            @Override
            public void close() {
                throw new AssertionError("closed");
            }
        };
        AuditForms.write(format, SampleAudits.small(), WIDE, out);
        assertThat(out.toString()).endsWith("\n");
    }

    @Test
    void givesEveryFormatItsOwnWord() {
        List<String> words = Format.words(AuditForms.FORMATS);
        assertThat(words).doesNotHaveDuplicates().startsWith("table");
        for (String word : words) {
            assertThat(Format.of(word).id()).isEqualTo(word);
        }
        assertThatThrownBy(() -> Format.of("pdf")).isInstanceOf(IllegalArgumentException.class);
    }
}
