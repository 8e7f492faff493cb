package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.report.AuditStatusLine.Status;
import dev.weaklink.testing.AuditReports;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuditStatusLineTest {
    private static final Nodes NODE = Nodes.of(List.of("cn1"));

    private static AuditReports one() {
        return new AuditReports().nodes(1).target("6.1.0-56|x").set("6.1.0-54", null, "m");
    }

    @Test
    void currentDefectsAreWorseThanFutureOnes() {
        AuditReports audit = one().kernel(0, Map.of(NodeState.BLOCKED, NODE));
        assertThat(AuditStatusLine.status(audit.build())).isEqualTo(Status.WARNING);
        audit.group(0, NODE, 1, new Defect(Defect.ModuleDefectKind.NOT_USED, "m", "/m.ko"));
        assertThat(AuditStatusLine.status(audit.build())).isEqualTo(Status.CRITICAL);
    }

    @Test
    void printsUnknown() {
        assertThat(AuditStatusLine.status(
                        one().kernel(0, Map.of(NodeState.UNDETERMINED, NODE)).build()))
                .isEqualTo(Status.UNKNOWN);
        assertThat(AuditStatusLine.status(one().incomplete(NODE).build())).isEqualTo(Status.UNKNOWN);
        assertThat(AuditStatusLine.status(one().problems(1).build())).isEqualTo(Status.UNKNOWN);
        assertThat(AuditStatusLine.line(new AuditReports().build()))
                .startsWith("WEAKLINK UNKNOWN - no nodes | nodes=0 ");
    }

    @Test
    void statusesHaveTheNumbersOfTheGuidelines() {
        assertThat(Status.values()).extracting(Status::number).containsExactly(0, 1, 2, 3);
    }

    @Test
    void namesTheNewestSafeKernelAndEscapesABarInItsName() {
        AuditReport report = one().kernel(0, Map.of()).build();
        assertThat(AuditStatusLine.line(report))
                .isEqualTo("WEAKLINK OK - 1 node, 1 of 1 kernel load all modules (newest: 6.1.0-56\\x7cx)"
                        + " | nodes=1 wrong=0;;0 refusing_kernels=0;0 undetermined_kernels=0 incomplete=0"
                        + " missing=0 input_problems=0\n");
    }

    @Test
    void writesOneLineWithOneBarForAnyNames() {
        String line = AuditStatusLine.line(SampleAudits.hostile());
        assertThat(line).matches("WEAKLINK CRITICAL - [^|\n]+ \\| [a-z_]+=\\d[a-z_=;0-9 ]+\n");
    }
}
