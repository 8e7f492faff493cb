package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.report.TableOptions;
import dev.weaklink.testing.AuditReports;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the order and the length of an audit's table. */
class AuditTableTest {
    private static final TableOptions SCREEN = new TableOptions(100, false, false);

    @ParameterizedTest
    @ValueSource(ints = {5, 300, 10_000})
    void fitsOnOneScreenAtAnySize(int sets) {
        String table = AuditTable.lines(SampleAudits.large(sets, 12), SCREEN);
        assertThat(table).startsWith("Best kernel: ");
        assertThat(table.lines().count()).isLessThanOrEqualTo(48);
        assertThat(table.lines().map(String::length))
                .as("node sets end with the line")
                .filteredOn(length -> length > 160)
                .isEmpty();
    }

    @Test
    void countsOmittedLinesAndShowsThemOnRequest() {
        String table = AuditTable.lines(SampleAudits.large(300, 12), SCREEN);
        assertThat(table).contains("  … and 294 more groups (-v)\n").doesNotContain("more kernels");
        String all = AuditTable.lines(SampleAudits.large(300, 12), new TableOptions(100, false, true));
        assertThat(all).doesNotContain("(-v)");
        assertThat(all.lines().count()).isGreaterThan(300);
    }

    /** A line that counts one more group would be as long as the group's line. */
    @Test
    void showsASingleFurtherGroup() {
        assertThat(AuditTable.lines(SampleAudits.large(7, 1), SCREEN)).doesNotContain("more group");
        assertThat(AuditTable.lines(SampleAudits.large(8, 1), SCREEN)).contains("  … and 2 more groups (-v)\n");
    }

    @Test
    void shortensProductsBeforeNodeSets() {
        String product = "mlnx-ofed 24.10-1.1.4.0.105-kernel";
        AuditReport report = new AuditReports()
                .nodes(2)
                .set("5.14.0-503.11.1.el9_5.x86_64", product, "mlx5_core")
                .group(0, Nodes.of(List.of("gpu-a1.example.com", "login-3.example.com")), 2)
                .build();
        assertThat(AuditTable.lines(report, new TableOptions(132, false, false)))
                .contains("  mlnx-ofed 24.10-1.1.4.…  2      2        gpu-a1.example.com,login-3.example.com\n");
        assertThat(AuditTable.lines(report, new TableOptions(160, false, false)))
                .contains("  mlnx-ofed 24.10-1.1.4.0.105-kern…  2 ");
    }

    @Test
    void countsOmittedStepsWithTheirNodes() {
        AuditReports audit = new AuditReports().nodes(12).target("6.1.0-56");
        Map<NodeState, Nodes> states = new EnumMap<>(NodeState.class);
        for (int i = 0; i < 6; i++) {
            NodeState state = i == 0 ? NodeState.UNDETERMINED : NodeState.BLOCKED;
            Nodes nodes = Nodes.of(List.of("a" + i, "b" + i));
            states.merge(state, nodes, Nodes::and);
            audit.set("6.1.0-50", "product " + i, "m" + i)
                    .group(i, nodes, 2)
                    .verdict(i, 0, state)
                    .action(state, 0, i, nodes, null);
        }
        String table = AuditTable.lines(audit.kernel(0, states).build(), SCREEN);
        assertThat(table)
                .contains("  blocked: product 1 on 2 nodes: a1,b1\n")
                .contains("  … and 2 more steps: blocked on 2 nodes, undetermined on 2 nodes (-v)\n");
    }

    @Test
    void showsKernelsThenMissingNodesThenDefects() {
        String table = AuditTable.lines(SampleAudits.small(), SCREEN);
        assertThat(table)
                .containsSubsequence(
                        "Best kernel: 5.14.0-503.11.1.el9_5.x86_64",
                        "KERNEL                        READY  LINK  INSTALL  REBUILD  BLOCKED  UNDETERMINED  NODES\n",
                        "No answer (connection refused): cn[998-999]\n",
                        "Wrong now in 5.14.0-503.11.1.el9_5.x86_64 on cn[017-019]:\n",
                        "KERNEL                        MODULES  SET",
                        "415 nodes in 3 groups; no answer from 2 nodes; skipped: 2 pieces of input\n");
    }
}
