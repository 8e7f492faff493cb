package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.DefectChange;
import dev.weaklink.fleet.AuditReport.ModuleVerdict;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.loader.Outcome;
import dev.weaklink.report.TableOptions;
import dev.weaklink.testing.AuditReports;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the comparison with an earlier audit that is read from its document. */
class BaselineTest {
    private static String document(AuditReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditJson.writeDocument(report, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static AuditReport compared(AuditReports earlier, AuditReports now) throws IOException {
        return Baseline.read(stream(document(earlier.build()))).compare(now.build());
    }

    private static DefectChange change(String what, String... nodes) {
        return new DefectChange(what, Nodes.of(List.of(nodes)));
    }

    private static AuditReports alike(String... nodes) {
        return new AuditReports()
                .nodes(nodes.length)
                .target("6.1.0-56")
                .set("6.1.0-54", "ofed", "knem", "mlx5_core")
                .group(0, Nodes.of(List.of(nodes)), 1);
    }

    private static AuditReports refused(AuditReports audit, Outcome outcome, String... nodes) {
        Nodes those = Nodes.of(List.of(nodes));
        return audit.refused(0, 0, NodeState.REBUILD, new ModuleVerdict("knem", outcome, null, List.of(), 0))
                .kernel(0, Map.of(NodeState.REBUILD, those))
                .action(NodeState.REBUILD, 0, 0, those, null);
    }

    @Test
    void findsNoDifferenceToItself() throws IOException {
        AuditReport report = compared(AuditReports.full(), AuditReports.full());
        assertThat(report.changes()).isNotNull();
        assertThat(report.changes().appeared()).isEmpty();
        assertThat(report.changes().fixed()).isEmpty();
        assertThat(report.changes().unchanged()).isEqualTo(4);
        assertThat(report.sets()).isEqualTo(AuditReports.full().build().sets());
    }

    @Test
    void reportsEverythingAsNewAfterAnEmptyAudit() throws IOException {
        AuditReport report = compared(new AuditReports().target("6.1.0-56"), AuditReports.full());
        assertThat(report.changes().appeared())
                .containsExactly(
                        change("6.1.0-54: knem: the link is dangling", "cn2", "cn3", "cn4", "gpu7"),
                        change("6.1.0-54: mlx5_core: the loaded build is not the build on disk", "cn2"),
                        change("6.1.0-56 refuses mlx5_core of 6.1.0-54", "cn2", "cn3", "cn4", "gpu7"),
                        change(
                                "RDMA libraries: mlx5: " + UserspaceFinding.LibraryDefect.SYMBOL_MISSING.meaning(),
                                "cn3"));
        assertThat(compared(new AuditReports(), AuditReports.full()).changes().appeared())
                .hasSize(3)
                .noneMatch(one -> one.what().contains("refuses"));
    }

    @Test
    void reportsAMovedDefectAsNewAndFixed() throws IOException {
        AuditReport report = compared(
                refused(alike("cn1", "cn2", "cn3"), Outcome.INCOMPATIBLE, "cn1", "cn2", "cn3"),
                refused(alike("cn2", "cn3", "cn4"), Outcome.INCOMPATIBLE, "cn3", "cn4"));
        assertThat(report.changes().appeared()).containsExactly(change("6.1.0-56 refuses knem of 6.1.0-54", "cn4"));
        assertThat(report.changes().fixed()).containsExactly(change("6.1.0-56 refuses knem of 6.1.0-54", "cn2"));
        assertThat(report.changes().unchanged()).isEqualTo(1);
    }

    @Test
    void countsAModuleThatKeepsOthersFromLoading() throws IOException {
        AuditReport report = compared(alike("cn1"), refused(alike("cn1"), Outcome.COMPATIBLE, "cn1"));
        assertThat(report.changes().appeared())
                .containsExactly(change("knem of 6.1.0-54 keeps modules of 6.1.0-56 from loading", "cn1"));
    }

    @Test
    void doesNotCountUndeterminedDefectsAsFixed() throws IOException {
        Nodes node = Nodes.of(List.of("cn1"));
        AuditReports now = alike("cn1")
                .refused(
                        0,
                        0,
                        NodeState.UNDETERMINED,
                        new ModuleVerdict("knem", Outcome.UNDETERMINED, null, List.of(), 0))
                .kernel(0, Map.of(NodeState.UNDETERMINED, node))
                .action(NodeState.UNDETERMINED, 0, 0, node, null);
        AuditReport report = compared(refused(alike("cn1"), Outcome.INCOMPATIBLE, "cn1"), now);
        assertThat(report.changes().fixed()).isEmpty();
        AuditReports without = alike("cn1", "cn2");
        AuditReports broken = alike("cn1", "cn2")
                .libraries(
                        Nodes.of(List.of("cn1", "cn2")),
                        AuditReports.library(
                                UserspaceFinding.LibraryDefect.SYMBOL_MISSING,
                                "mlx5",
                                "x",
                                "",
                                Nodes.of(List.of("cn1", "cn2"))));
        assertThat(compared(broken, without).changes().fixed()).isEmpty();
        without.libraries(Nodes.of(List.of("cn2")));
        assertThat(compared(broken, without).changes().fixed())
                .containsExactly(change(
                        "RDMA libraries: mlx5: " + UserspaceFinding.LibraryDefect.SYMBOL_MISSING.meaning(), "cn2"));
    }

    @Test
    void doesNotCountAnUnknownModuleAsFixed() throws IOException {
        Nodes node = Nodes.of(List.of("cn1"));
        AuditReports now = alike("cn1")
                .refused(
                        0,
                        0,
                        NodeState.REBUILD,
                        new ModuleVerdict("knem", Outcome.UNDETERMINED, null, List.of(), 0),
                        new ModuleVerdict("mlx5_core", Outcome.INCOMPATIBLE, null, List.of(), 0))
                .kernel(0, Map.of(NodeState.REBUILD, node))
                .action(NodeState.REBUILD, 0, 0, node, null);
        Changes changes = compared(refused(alike("cn1"), Outcome.INCOMPATIBLE, "cn1"), now)
                .changes();
        assertThat(changes.fixed()).isEmpty();
        assertThat(changes.unknown()).isEqualTo(node);
        assertThat(changes.appeared()).containsExactly(change("6.1.0-56 refuses mlx5_core of 6.1.0-54", "cn1"));
    }

    @Test
    void doesNotCountUnreadDefectsAsFixed() throws IOException {
        AuditReports now = new AuditReports()
                .nodes(4)
                .target("6.1.0-56")
                .target("6.1.0-54")
                .set("6.1.0-54", "mlnx-ofed 24.10-1.1.4", "knem", "mlx5_core")
                .group(0, Nodes.of(List.of("cn2", "cn3", "cn4", "gpu7")), 4)
                .incomplete(Nodes.of(List.of("cn2", "cn3")));
        Changes changes = compared(AuditReports.full(), now).changes();
        assertThat(changes.fixed())
                .contains(change("6.1.0-54: knem: the link is dangling", "cn4", "gpu7"))
                .noneMatch(one -> one.nodes().names().contains("cn2"));
        assertThat(changes.unknown()).isEqualTo(Nodes.of(List.of("cn2", "cn3")));
    }

    @Test
    void countsVanishedNodesSeparately() throws IOException {
        AuditReport report = compared(refused(alike("cn1", "cn2", "cn3"), Outcome.INCOMPATIBLE, "cn1"), alike("cn2"));
        assertThat(report.changes().fixed()).isEmpty();
        assertThat(report.changes().vanished()).isEqualTo(Nodes.of(List.of("cn1", "cn3")));
        assertThat(AuditTable.lines(report, new TableOptions(80, false, false)))
                .contains("  in the earlier audit only: 2 nodes: cn[1,3]\n");
    }

    @Test
    void refusesAFileThatIsNotAnAudit() throws IOException {
        String full = document(AuditReports.full().build());
        assertRefused("[]", "is not a JSON object");
        assertRefused(full + full, "contains more than one JSON object");
        assertRefused(full.substring(0, 900), "is truncated or not valid JSON");
        assertRefused("{\"a\":".repeat(40), "is truncated or not valid JSON");
        assertRefused(
                "{\"schema\":\"weaklink.node/1\"}",
                "not an audit: expected schema weaklink.audit/1, from 'weaklink audit --format json'");
        assertRefused("{\"schema\":\"weaklink.audit/1\"}", "not an audit: 'targets' is missing or has the wrong type");
        assertRefused(
                full.replace("\"target\":0,\"set\":1,", "\"target\":2,\"set\":1,"),
                "not an audit: there is no target '2'");
        assertRefused(
                full.replace("\"target\":0,\"set\":1,", "\"target\":0,\"set\":-1,"),
                "not an audit: 'set' is missing or has the wrong type");
        assertRefused(full.replace("dangling-link", "x-link"), "not an audit: there is no kind 'x-link'");
        assertRefused(full.replace("cn[2-4],gpu7", "cn[2-"), "not an audit: 'nodes' is not a valid node set: ");
    }

    private static void assertRefused(String document, String message) {
        assertThatThrownBy(() -> Baseline.read(stream(document)))
                .hasMessageStartingWith(message)
                .isInstanceOf(IOException.class);
    }
}
