package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weaklink.fleet.intake.ModuleTables.ReportedTable;
import dev.weaklink.report.Schemas;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests that the audit reads every key of a node's inventory, or that the key is listed here as unused. */
class NodeSchemaTest {
    /** The keys that the audit does not use. */
    private static final List<String> IGNORED = List.of(
            "/dkms/arch",
            "/dkms/kernel",
            "/dkms/state",
            "/leftOut",
            "/missing",
            "/modules/depends",
            "/packages/arch",
            "/packages/kind",
            "/problems/path",
            "/problems/reason");

    private static final String DIGEST = "sha256:" + "0".repeat(64);

    /** All keys, with values that differ from the meaning of an absent key. */
    private static final String FULL =
            """
      {"schema":"weaklink.node/1","node":"cn1","running":"K",
      "security":{"secureBoot":"enabled","lockdown":"integrity","enforced":true},
      "kernels":[{"release":"K","installed":true}],
      "modules":[{"kernel":"K","name":"a","path":"/a.ko","used":true,"link":"x","file":"/x",
      "digest":"D","version":"1","srcversion":"S","vermagic":"V","depends":["b"],
      "signature":"PKCS#7","signer":"Vendor","signerKey":"66:F5:4E","crcs":"D"}],
      "loaded":[{"name":"a","srcversion":"S","taint":"OE"}],
      "dkms":[{"module":"m","version":"1","state":"built","kernel":"K","arch":"x86_64","builds":"m","source":"D"}],
      "trials":[{"product":"m/1","kernel":"K","result":"does-not-compile","line":"m.c:1: e","day":"2026-11-26","source":"D"}],
      "ofed":"MLNX-1",
      "packages":[{"name":"p","version":"1","arch":"x86_64","kind":"rpm"}],
      "userspace":{"library":"/l",
      "findings":[{"id":"userspace.device-abi","subject":"a","detail":"b","packages":"c"}]},
      "tables":[{"file":"D","versions":["0x00000001 a"],"exports":["0x00000002 b"]}],
      "leftOut":["crcs"],"missing":["modinfo"],"problems":[{"path":"/p","reason":"r"}]}
      """.replace("\"D\"", "\"" + DIGEST + "\"").replace("\n", "");

    private static final String SECURITY = "/security";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Test
    void usesEachKeyOfTheSchemaOrIgnoresItOnPurpose() throws IOException {
        ObjectNode full = (ObjectNode) MAPPER.readTree(FULL);
        assertThat(Schemas.problems(FULL)).isEmpty();
        Set<String> ignored = new TreeSet<>();
        Set<String> tried = new TreeSet<>();
        for (String place : places(full)) {
            tried.add(place);
            ObjectNode sample = place.startsWith(SECURITY + "/") ? withOnly(full, place) : full;
            if (intakeOf(without(sample, place)).equals(intakeOf(sample))) {
                ignored.add(place);
            }
        }
        assertThat(tried).isEqualTo(schemaPlaces());
        assertThat(ignored).containsExactlyElementsOf(IGNORED);
    }

    /** Returns a node with a single security key, because the strictest of several keys counts. */
    private static ObjectNode withOnly(ObjectNode full, String place) {
        ObjectNode copy = full.deepCopy();
        ((ObjectNode) copy.at(SECURITY)).retain(place.substring(SECURITY.length() + 1));
        return copy;
    }

    /** Returns all that the intake makes of a node: its inventory, its tables and its problems. */
    private static String intakeOf(JsonNode node) {
        Recorded recorded = new Recorded();
        Intake intake = new Intake(recorded, Set.of());
        byte[] line = (node + "\n").getBytes(StandardCharsets.UTF_8);
        intake.read(Intake.STDIN, new ByteArrayInputStream(line));
        intake.finish();
        ReportedTable table = intake.tables().find(DIGEST);
        return recorded.nodes + " " + recorded.problems + " " + (table == null ? "" : text(table));
    }

    private static String text(ReportedTable table) {
        return (table.versions() == null ? "none" : table.versions().name(0))
                + Arrays.toString(table.crcs())
                + (table.exports() == null ? "none" : table.exports().name(0))
                + Arrays.toString(table.exportCrcs());
    }

    /** Returns the keys of an object, and of the objects in it, as paths without indexes. */
    private static Set<String> places(ObjectNode object) {
        Set<String> places = new TreeSet<>();
        object.fields().forEachRemaining(field -> {
            places.add("/" + field.getKey());
            JsonNode value = field.getValue() instanceof ArrayNode a ? a.get(0) : field.getValue();
            value.fieldNames().forEachRemaining(key -> places.add("/" + field.getKey() + "/" + key));
        });
        return places;
    }

    private static ObjectNode without(ObjectNode full, String place) {
        ObjectNode copy = full.deepCopy();
        String[] keys = place.substring(1).split("/");
        if (keys.length == 1) {
            copy.remove(keys[0]);
            return copy;
        }
        JsonNode value = copy.get(keys[0]);
        ((ObjectNode) (value instanceof ArrayNode array ? array.get(0) : value)).remove(keys[1]);
        return copy;
    }

    private static Set<String> schemaPlaces() throws IOException {
        JsonNode schema = MAPPER.readTree(Files.readString(Path.of("src/main/resources/schema/node.json")));
        Set<String> places = new TreeSet<>();
        schema.get("properties").fields().forEachRemaining(field -> {
            places.add("/" + field.getKey());
            JsonNode value = field.getValue();
            JsonNode item = value.has("items") ? value.get("items") : value;
            if (item.has("$ref")) {
                item = schema.at(item.get("$ref").asText().substring(1));
            }
            item.path("properties").fieldNames().forEachRemaining(key -> places.add("/" + field.getKey() + "/" + key));
        });
        return places;
    }
}
