package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.testing.AuditReports;
import dev.weaklink.testing.ExternalTool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditMetricsTest {
    private static final Pattern HELP = Pattern.compile("# HELP ([a-z_]+) [A-Z][^\\\\]*\\.");
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-z_]+) gauge");
    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(\\{[a-z]+=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\""
            + "(?:,[a-z]+=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\")*\\})? (\\d+)");

    @TempDir
    Path directory;

    private static String metrics(AuditReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditMetrics.write(report, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void countsNodesWithoutNamingThem() throws IOException {
        assertThat(metrics(SampleAudits.small()))
                .contains(
                        "weaklink_audit_nodes 415\n",
                        "weaklink_audit_kernel_nodes{kernel=\"5.14.0-570.el9.x86_64\",state=\"link\"} 413\n",
                        "weaklink_audit_module_sets{kernel=\"5.14.0-570.el9.x86_64\",state=\"link\"} 2\n",
                        "kind=\"dangling-link\",module=\"knem\"} 2\n")
                .doesNotContain("oss", "cn0");
    }

    @Test
    void writesValidLinesAndNoSeriesTwice() throws IOException {
        for (AuditReport report : List.of(SampleAudits.small(), SampleAudits.hostile())) {
            String metric = "";
            Set<String> seen = new HashSet<>();
            for (String line : metrics(report).split("\n")) {
                if (line.startsWith("# HELP")) {
                    metric = HELP.matcher(line).replaceFirst("$1");
                    assertThat(seen.add("# " + metric)).as(line).isTrue();
                } else if (line.startsWith("#")) {
                    assertThat(TYPE.matcher(line).replaceFirst("$1")).isEqualTo(metric);
                } else {
                    assertThat(line).matches(SAMPLE).startsWith(metric);
                    assertThat(seen.add(line.substring(0, line.lastIndexOf(' '))))
                            .as(line)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void equalDefectsAreOneSeries() throws IOException {
        Nodes node = Nodes.of(List.of("cn1"));
        AuditReports audit = new AuditReports().nodes(1).target("a").target("a");
        audit.set("a", null, "m").group(0, node, 1, defect("/x/m.ko"), defect("/y/m.ko"));
        audit.kernel(0, Map.of(NodeState.BLOCKED, node)).kernel(1, Map.of(NodeState.BLOCKED, node));
        assertThat(metrics(audit.build()))
                .contains("{kernel=\"a\",state=\"blocked\"} 2\n")
                .contains("{kernel=\"a\",kind=\"not-used\",module=\"m\"} 1\n");
    }

    private static Defect defect(String file) {
        return new Defect(Defect.ModuleDefectKind.NOT_USED, "m", file);
    }

    @Test
    void passesPromtool() throws IOException {
        ExternalTool.orSkip("promtool");
        Path file = directory.resolve("metrics.prom");
        for (AuditReport report : List.of(SampleAudits.small(), SampleAudits.hostile(), SampleAudits.calm())) {
            Files.writeString(file, metrics(report));
            String check = "promtool check metrics < '" + file + "'";
            assertThat(ExternalTool.find("sh").orElseThrow().run("-c", check)).isEmpty();
        }
    }
}
