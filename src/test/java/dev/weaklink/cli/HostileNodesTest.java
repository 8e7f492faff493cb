package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile inventories: whatever one node reports, the audit of all other nodes must be made. */
class HostileNodesTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String RELEASE = "6.1.0-8-test";
    private static final String HOLE = "@hole@";

    /** Values as they are written in JSON. */
    private static final List<String> VALUES = List.of(
            "\"\"",
            "\" \"",
            "\"\\u0000\"",
            "\"\\n\\u001b[31m\\u202e\\ud800\"",
            "\"../../etc/passwd\"",
            "\"/\"",
            "\".\"",
            "\"-\"",
            "\"0x\"",
            "\"sha256:zz\"",
            "\"%s</script>&\"",
            "\"" + "x".repeat(60_000) + "\"",
            "\"" + "9".repeat(2_000) + "\"",
            "9".repeat(2_000),
            "-1e999999",
            "true",
            "null",
            "[]",
            "{}",
            "[[{}]]",
            "{\"" + "k".repeat(60_000) + "\":1}",
            "[".repeat(1_200) + "]".repeat(1_200));

    @TempDir
    Path directory;

    private String symvers = "";

    @BeforeEach
    void writeKernel() throws IOException {
        byte[] bytes = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
                .bytes();
        symvers = Files.write(directory.resolve("Module.symvers"), bytes).toString();
    }

    private static String line(String node) {
        Told told = new Told("core", RELEASE + " SMP mod_unload modversions ")
                .version("module_layout", 1)
                .version("_printk", 5)
                .export("core_up", 7);
        String line = new NodeLines(RELEASE)
                .security("\"secureBoot\":\"disabled\",\"lockdown\":\"none\",\"enforced\":false")
                .told(RELEASE, told)
                .danglingLink(RELEASE, "gone")
                .loaded("core", "AAAA")
                .line(node);
        return line.replace(
                "\"dkms\":[],\"packages\":[]",
                "\"dkms\":[{\"module\":\"m\",\"version\":\"1\"}],\"ofed\":\"MLNX_OFED_LINUX-24.10-0.7.0.0:\","
                        + "\"packages\":[{\"name\":\"kmod-mlnx\",\"version\":\"24.10\"}]");
    }

    /** Returns valid lines in which one value is replaced by any of {@link #VALUES}. */
    private static String hostile() throws IOException {
        StringBuilder lines = new StringBuilder();
        List<String> templates = new ArrayList<>();
        collect(MAPPER.readTree(line("@")), templates);
        assertThat(templates).hasSizeGreaterThan(40);
        int number = 0;
        for (String template : templates) {
            for (String value : VALUES) {
                lines.append(template.replace("\"" + HOLE + "\"", value).replace("\"@\"", "\"bad" + number++ + "\""));
                lines.append('\n');
            }
        }
        return lines.toString();
    }

    /** Adds a copy of the line for each of its values, with {@link #HOLE} in place of the value. */
    private static void collect(JsonNode root, List<String> templates) {
        collect(root, root, templates);
    }

    private static void collect(JsonNode root, JsonNode at, List<String> templates) {
        if (at instanceof ObjectNode object) {
            for (String key : new ArrayList<>(fields(object))) {
                JsonNode was = object.get(key);
                object.set(key, TextNode.valueOf(HOLE));
                templates.add(root.toString());
                object.set(key, was);
                collect(root, was, templates);
            }
        } else if (at instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                JsonNode was = array.get(i);
                array.set(i, TextNode.valueOf(HOLE));
                templates.add(root.toString());
                array.set(i, was);
                collect(root, was, templates);
            }
        }
    }

    private static List<String> fields(ObjectNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "json", "ndjson", "html", "csv", "prometheus", "nagios"})
    void auditSurvivesAnyValue(String format) throws IOException {
        String input = line("good1") + "\n" + hostile() + line("good2") + "\n";
        for (boolean judged : new boolean[] {false, true}) {
            List<String> words = new ArrayList<>(List.of("audit", "-", "--format", format));
            if (judged) {
                words.addAll(List.of("--kernel", symvers));
            }
            WholeRun run = WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
            assertThat(run.err()).doesNotContain("internal error");
            assertThat(run.out()).isNotEmpty().doesNotContain("\u001b");
            if (format.equals("json")) {
                assertThat(run.out()).contains("good[1-2]");
            }
        }
    }

    @Test
    void skipsOnlyTheLineThatIsNestedTooDeeply() {
        String deep = "cn2: {\"schema\":" + "[".repeat(5_000);
        String digits = "cn3: {\"schema\":\"weaklink.node/1\",\"x\":" + "1".repeat(2_000) + "}";
        String name = "cn4: {\"" + "n".repeat(60_000) + "\":1}";
        WholeRun run = WholeRun.reading(
                String.join("\n", "cn1: " + line("a"), deep, digits, name, "cn5: " + line("b"))
                        .getBytes(StandardCharsets.UTF_8),
                "audit",
                "-",
                "--format",
                "json");
        assertThat(run.out()).contains("\"a,b\"");
        assertThat(run.err().replaceAll("n{50,}", "n")).isEqualTo("""
            weaklink: standard input:2: node cn2: schema is not weaklink.node/1; skipped
            weaklink: standard input:3: node cn3: nested too deep, or a name or number is too long; skipped
            weaklink: standard input:4: is not a node's inventory: cn4: {"n\u2026
            """);
    }
}
