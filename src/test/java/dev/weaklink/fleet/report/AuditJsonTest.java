package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.Changes;
import dev.weaklink.fleet.AuditReport.DefectChange;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.report.Schemas;
import dev.weaklink.sys.StableId;
import dev.weaklink.testing.AuditReports;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditJsonTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final AuditReport FULL = AuditReports.full()
            .serving(1, 0)
            .changes(new Changes(
                    List.of(new DefectChange("x", Nodes.of(List.of("cn1")))),
                    List.of(),
                    4,
                    Nodes.NONE,
                    Nodes.of(List.of("cn8"))))
            .build();

    private static String document(AuditReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditJson.writeDocument(report, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static List<String> lines(AuditReport report) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AuditJson.writeLines(report, out);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void writesValidDocumentsWithAllDataAndWithNone() throws IOException {
        assertThat(Schemas.problems(document(FULL))).isEmpty();
        assertThat(Schemas.problems(document(new AuditReports().build()))).isEmpty();
    }

    @Test
    void writesOneValidPartOnEachLine() throws IOException {
        List<String> keys = new ArrayList<>();
        for (String line : lines(FULL)) {
            assertThat(Schemas.problems(line)).as(line).isEmpty();
            List<String> names = new ArrayList<>();
            MAPPER.readTree(line).fieldNames().forEachRemaining(names::add);
            keys.add(names.get(1));
        }
        assertThat(keys)
                .containsExactly(
                        "target",
                        "target",
                        "set",
                        "set",
                        "group",
                        "group",
                        "running",
                        "userspace",
                        "verdict",
                        "verdict",
                        "kernel",
                        "kernel",
                        "action",
                        "advice",
                        "step",
                        "cause",
                        "missing",
                        "summary");
    }

    @Test
    void writesKeysInOrderAndOmitsUnknownValues() throws IOException {
        assertThat(document(new AuditReports().nodes(1).problems(3).build()))
                .isEqualTo("{\"schema\":\"weaklink.audit/1\",\"nodes\":1,\"targets\":[],\"sets\":[],\"groups\":[],"
                        + "\"running\":[],\"verdicts\":[],\"kernels\":[],\"actions\":[],"
                        + "\"steps\":[],\"causes\":[],\"missing\":[],"
                        + "\"incomplete\":{\"nodes\":\"\",\"count\":0},\"input\":{\"problems\":3}}\n");
        assertThat(document(FULL))
                .contains(
                        "{\"set\":1,\"target\":0,\"state\":\"rebuild\",\"reason\":"
                                + "\"mlx5_core: disagrees about version of symbol ether_setup: "
                                + "net_device.reg_state became u8 (spelling only)\","
                                + "\"loads\":1,\"fails\":1,\"undetermined\":0,\"modules\":[{"
                                + "\"module\":\"mlx5_core\",\"outcome\":\"INCOMPATIBLE\",\"errno\":\"EINVAL\","
                                + "\"findings\":[{\"layer\":\"symbol-crc\",\"id\":\"symbol.crc-mismatch\",\"symbol\":\"ether_setup\","
                                + "\"wanted\":\"0x1a2b3c4d\",\"offered\":\"0x99aabbcc\",\"message\":"
                                + "\"mlx5_core: disagrees about version of symbol ether_setup\","
                                + "\"cause\":{\"kind\":\"struct\",\"name\":\"net_device\",\"change\":\"spelling\","
                                + "\"summary\":\"net_device.reg_state became u8\"}}],\"more\":12}],"
                                + "\"causes\":[{\"kind\":\"struct\",\"name\":\"net_device\",\"change\":\"spelling\","
                                + "\"summary\":\"net_device.reg_state became u8\"}]}",
                        "{\"target\":0,\"ready\":{\"nodes\":\"\",\"count\":0},"
                                + "\"link\":{\"nodes\":\"\",\"count\":0},\"install\":{\"nodes\":\"\",\"count\":0},"
                                + "\"rebuild\":{\"nodes\":\"cn[2-4],gpu7\",\"count\":4},"
                                + "\"blocked\":{\"nodes\":\"\",\"count\":0},"
                                + "\"undetermined\":{\"nodes\":\"cn1\",\"count\":1},\"canaries\":\"\"}",
                        "\"baseline\":{\"new\":[{\"what\":\"x\",\"nodes\":\"cn1\",\"count\":1}],"
                                + "\"fixed\":[],\"unchanged\":4,\"unknown\":{\"nodes\":\"\",\"count\":0},"
                                + "\"vanished\":{\"nodes\":\"cn8\",\"count\":1}}");
    }

    @Test
    void detectsAnUnknownKeyOrWordAtAnyDepth() throws IOException {
        JsonNode extraKey = MAPPER.readTree(document(FULL));
        ((ObjectNode) extraKey.at("/verdicts/0/modules/0/findings/0")).put("surprise", 1);
        JsonNode otherWord = MAPPER.readTree(document(FULL));
        ((ObjectNode) otherWord.at("/verdicts/0")).put("state", "fatal");
        JsonNode missingKey = MAPPER.readTree(document(FULL));
        ((ObjectNode) missingKey.at("/kernels/0")).remove("blocked");
        assertThat(Schemas.problems(extraKey, "audit")).isNotEmpty();
        assertThat(Schemas.problems(otherWord, "audit")).isNotEmpty();
        assertThat(Schemas.problems(missingKey, "audit")).isNotEmpty();
    }

    @Test
    void schemaListsTheProgramsWords() throws IOException {
        JsonNode schema = MAPPER.readTree(Schemas.text("audit"));
        List<String> states = new ArrayList<>();
        for (NodeState state : NodeState.values()) {
            states.add(state.id());
            assertThat(StableId.of(state.id(), List.of(NodeState.values()))).isEqualTo(state);
        }
        List<String> kinds = new ArrayList<>();
        for (Defect.ModuleDefectKind kind : Defect.ModuleDefectKind.values()) {
            kinds.add(kind.id());
        }
        assertThat(schema.at("/$defs/state/enum")).extracting(JsonNode::asText).isEqualTo(states);
        assertThat(schema.at("/$defs/defect/properties/kind/enum"))
                .extracting(JsonNode::asText)
                .isEqualTo(kinds);
    }
}
