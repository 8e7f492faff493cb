package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reading of the output of Ansible's json callback. */
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

    /** Tests the files that 'ansible -t DIRECTORY' writes: one for each host, with the host's name. */
    @Test
    void filesOfATreeAreHostsResults(@TempDir Path directory) throws IOException {
        write(
                directory,
                "cn1",
                "\"changed\": true, \"cmd\": [\"weaklink-collect\"], \"delta\": \"0:00:01\","
                        + " \"invocation\": {\"module_args\": {\"msg\": null}}, \"msg\": \"\", \"rc\": 0, \"stderr\": \"\","
                        + " \"stdout\": \"" + LINE + "\", \"stdout_lines\": [\"x\"]");
        write(
                directory,
                "cn2",
                "\"changed\": false, \"msg\": \"Failed to connect to the host via ssh: ssh: connect to"
                        + " host cn2 port 22: Connection refused\", \"unreachable\": true");
        write(
                directory,
                "cn3",
                "\"ansible_facts\": {\"python\": \"/usr/bin/python3\"}, \"changed\": true, \"msg\":"
                        + " \"non-zero return code\", \"rc\": 127, \"stderr\": \"sh: weaklink-collect: not found\"");
        write(directory, "cn4", "\"changed\": false, \"ping\": \"pong\"");
        Recorded found = Recorded.ofFiles(directory);
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.silent)
                .isEqualTo(Map.of(
                        "cn2", "connection refused",
                        "cn3", "weaklink-collect not found",
                        "cn4", "printed no inventory"));
    }

    private static void write(Path directory, String host, String keys) throws IOException {
        Files.writeString(directory.resolve(host), "{" + keys + "}");
    }

    /** Tests objects such as a line of a log. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"level\": \"info\", \"time\": \"2026-01-01\", \"text\": \"started\"}",
                "{\"a\": {\"b\": 1}, \"c\": \"d\"}",
                "{\"changed\": true, \"stdout\": \"hello\"}",
                "{}",
            })
    void objectWithoutHostResultsNamesNoNode(String object) {
        Recorded found = Recorded.ofText(object + "\ncn1: " + new NodeLines("6.1").line(null) + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.silent).isEmpty();
        assertThat(found.problems).hasSize(1);
    }

    @Test
    void reportsOtherResultsOfMinions() {
        Recorded found = Recorded.ofText("{\"n1\": {\"jid\": \"1\", \"ret\": \"hello\", \"retcode\": 0},"
                + " \"n2\": {\"jid\": \"1\", \"ret\": \"sh: weaklink-collect: not found\", \"retcode\": 127},"
                + " \"n3\": false}\n");
        assertThat(found.nodes).isEmpty();
        assertThat(found.silent)
                .isEqualTo(Map.of("n1", "hello", "n2", "weaklink-collect not found", "n3", "minion did not return"));
    }

    @Test
    void keepsResultsReadBeforeDamage() {
        String whole = results("\"cn1\": {\"stdout\": \"" + LINE + "\"}");
        Recorded found = Recorded.ofText(whole.substring(0, whole.indexOf("\"stats\"")));
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.problems).singleElement().asString().endsWith("truncated or not JSON");
    }

    @Test
    void readsAReformattedNode() {
        String pretty = new NodeLines("6.1").line("cn1").replace(",", ",\n  ").replaceFirst("\\{", "{\n");
        Recorded found = Recorded.ofText(pretty + "\n" + pretty.replace("cn1", "cn2") + "\n");
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
    }

    @Test
    void readsOtherHostsDespiteOneHugeResult() {
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
    void readsTheOtherObjectsIfOneIsDamaged() {
        String node = new NodeLines("6.1").line("cn1");
        Recorded found =
                Recorded.ofText("{\n\"kernels\": {\"x\": [{}]}, \"y\": {}}\n{\"modules\": [{\"name\": 1}]}" + node);
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.problems).hasSize(1);
    }
}
