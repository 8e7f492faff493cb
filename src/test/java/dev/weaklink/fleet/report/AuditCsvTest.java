package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.sys.Escape;
import dev.weaklink.testing.AuditReports;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

public class AuditCsvTest {
    private static List<List<String>> rows(AuditReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditCsv.write(report, out);
        return parse(out.toString(StandardCharsets.UTF_8));
    }

    /** Parses CSV by the grammar of RFC 4180, section 2. */
    public static List<List<String>> parse(String text) {
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            StringBuilder cell = new StringBuilder();
            if (text.charAt(at) == '"') {
                for (at++; text.charAt(at) != '"' || text.startsWith("\"\"", at); at++) {
                    at += text.charAt(at) == '"' ? 1 : 0;
                    cell.append(text.charAt(at));
                }
                at++;
            } else {
                for (; text.charAt(at) != ',' && text.charAt(at) != '\r'; at++) {
                    assertThat(text.charAt(at)).isNotIn('"', '\n');
                    cell.append(text.charAt(at));
                }
            }
            row.add(cell.toString());
            if (text.charAt(at) == ',') {
                at++;
            } else {
                assertThat(text.substring(at, at + 2)).isEqualTo("\r\n");
                at += 2;
                rows.add(row);
                row = new ArrayList<>();
            }
        }
        assertThat(row).isEmpty();
        return rows;
    }

    @Test
    void writesARowForEachVerdictAndDefect() throws IOException {
        List<List<String>> rows = rows(SampleAudits.small());
        assertThat(rows).hasSize(1 + 9 + 1 + 1 + 2 + 1 + 1).allMatch(row -> row.size() == 11);
        assertThat(rows.get(1))
                .containsSubsequence("verdict", "mlnx-ofed 24.10-1.1.4", "rebuild", "412", "cn[001-412]")
                .endsWith("net_device.reg_state became u8 (spelling only)");
        assertThat(rows.get(10)).containsSubsequence("defect", "dangling-link", "knem", "2", "oss[1-2]");
        assertThat(rows.get(11)).containsSubsequence("running", "loaded-differs", "3", "cn[017-019]");
        assertThat(rows.get(12))
                .containsSubsequence("userspace", "userspace.version-missing", "mlx5", "2", "cn[003-004]");
        assertThat(rows.get(15)).startsWith("incomplete").endsWith("1", "oss2", "");
    }

    @Test
    void escapesFormulasAndQuotes() throws IOException {
        List<List<String>> rows = rows(SampleAudits.hostile());
        assertThat(rows).hasSize(5).allMatch(row -> row.size() == 11);
        for (List<String> row : rows) {
            assertThat(row).noneMatch(cell -> cell.matches("(?s)[=+@\\t\\r\\n-].*"));
        }
        assertThat(rows.get(1).get(2))
                .isEqualTo("'" + Escape.text(SampleAudits.HOSTILE))
                .contains("\"'`<b>", ",;");
    }

    @Test
    void writesOnlyHeadingsWithoutNodes() throws IOException {
        assertThat(rows(new AuditReports().build())).hasSize(1);
    }
}
