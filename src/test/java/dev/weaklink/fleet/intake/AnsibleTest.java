package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What Ansible's json callback prints. */
class AnsibleTest {
    private static final String LINE = new NodeLines("6.1").line(null).replace("\"", "\\\"");

    private static String results(String hosts) {
        return """
        {
            "custom_stats": {},
            "plays": [
                {
                    "play": {"name": "all", "hosts": "all"},
                    "tasks": [
                        {"hosts": {"cn1": {"changed": false, "ping": "pong"}}, "task": {}},
                        {"hosts": {%s}, "task": {"name": "collect"}}
                    ]
                }
            ],
            "stats": {"cn1": {"ok": 1}}
        }
        """.formatted(hosts);
    }

    @Test
    void hostsWithAnInventoryInTheirOutputAreNodes() {
        Recorded found = Recorded.ofText(results("\"cn1\": {\"rc\": 0, \"stdout\": \""
                + LINE
                + "\", \"stdout_lines\": [\"x\"]},"
                + "\"cn2\": {\"stdout\": \"Welcome!\\n"
                + LINE
                + "\\n\"}"));
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
    }

    @Test
    void hostsThatDidNotAnswerAreReported() {
        Recorded found =
                Recorded.ofText(results("\"cn1\": {\"unreachable\": true, \"msg\": \"Connection timed out\\nmore\"},"
                        + "\"cn2\": {\"failed\": true, \"stdout\": \""
                        + LINE
                        + "\"},"
                        + "\"cn3\": {\"stdout\": \""
                        + LINE.substring(0, 40)
                        + "\"},"
                        + "\"cn4\": {\"stdout\": \""
                        + LINE
                        + "\"}"));
        assertThat(found.nodes).containsOnlyKeys("cn4");
        assertThat(found.problems).containsExactly("standard input:8: node cn3: truncated; skipped");
        assertThat(found.silent)
                .containsOnly(
                        Map.entry("cn1", "timed out"),
                        Map.entry("cn2", "failed"),
                        Map.entry("cn3", "inventory truncated"));
    }

    @Test
    void whatWasReadBeforeDamageCounts() {
        String whole = results("\"cn1\": {\"stdout\": \"" + LINE + "\"}");
        Recorded found = Recorded.ofText(whole.substring(0, whole.indexOf("\"stats\"")));
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.problems).singleElement().asString().endsWith("truncated or not JSON");
    }

    @Test
    void aNodeThatAFormatterWentOverIsRead() {
        String pretty = new NodeLines("6.1").line("cn1").replace(",", ",\n  ").replaceFirst("\\{", "{\n");
        Recorded found = Recorded.ofText(pretty + "\n" + pretty.replace("cn1", "cn2") + "\n");
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
    }

    @Test
    void whatOneHostMakesLargeCostsNoOther() {
        Recorded found = Recorded.ofText(results("\"cn1\": {\"x\": "
                + "[".repeat(2_000)
                + "]".repeat(2_000)
                + ", \"y\": "
                + "1".repeat(2_000)
                + ", \""
                + "z".repeat(60_000)
                + "\": 1}, \"cn2\": {\"stdout\": \""
                + LINE
                + "\"}"));
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn2");
    }

    @Test
    void aDamagedObjectCostsNoOther() {
        String node = new NodeLines("6.1").line("cn1");
        Recorded found =
                Recorded.ofText("{\n\"kernels\": {\"x\": [{}]}, \"y\": {}}\n{\"modules\": [{\"name\": 1}]}" + node);
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.problems).hasSize(1);
    }
}
