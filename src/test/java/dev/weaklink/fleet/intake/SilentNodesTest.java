package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reasons why nodes did not answer, and the text that is printed beside inventories. */
class SilentNodesTest {
    private static final String NODE = new NodeLines("6.1").line(null);

    private static String named(String name) {
        return new NodeLines("6.1").line(name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "clush: n3: exited with exit code 7 ~ n3=exit code 7",
                "clush: n[3-4],n9 (3): exited with exit code 255 ~ n3=exit code 255 n4=exit code 255"
                        + " n9=exit code 255",
                "clush: n[3-4]: command timeout ~ n3=timed out n4=timed out",
                "pdsh@head: n3: ssh exited with exit code 255 ~ n3=exit code 255",
                "pdsh@head: n3: command timeout ~ n3=timed out",
                "pdsh@head: n3: sleep killed by signal 15 ~ n3=killed by signal 15",
                "srun: error: n[3-4]: tasks 0-1: Exited with exit code 127 ~ n3=exit code 127" + " n4=exit code 127",
                "ssh: connect to host n3 port 22: Connection refused ~ n3=connection refused",
                "n3: ssh: connect to host n3 port 22: No route to host/pdsh@h: n3: ssh exited with exit"
                        + " code 255 ~ n3=no route to host",
                "ssh: Could not resolve hostname n3: Name or service not known ~ n3=host name cannot be" + " resolved",
                "root@n3: Permission denied (publickey). ~ n3=permission denied",
                "Connection to n3 closed by remote host. ~ n3=connection closed",
                "n3: sh: 1: weaklink-collect: not found/clush: n3: exited with exit code 127 ~"
                        + " n3=weaklink-collect not found",
                "n3: Welcome to n3/n3: no license/clush: n3: exited with exit code 1 ~" + " n3=exit code 1: no license",
                "== n3/bash: line 1: weaklink-collect: command not found ~ n3=weaklink-collect not found",
                "n3: {\"schema\":\"weaklink.node/1\",\"kern ~ n3=inventory truncated",
                "n3: {\"schema\":\"weaklink.node/1\",\"kernels\":{}} ~ n3=inventory damaged",
                "n3 | FAILED | rc=7 >>/non-zero return code ~ n3=exit code 7",
                "n3 | FAILED | rc=2 >>/[Errno 2] No such file or directory: b'weaklink-collect' ~"
                        + " n3=weaklink-collect not found",
                "n3 | UNREACHABLE!: Failed to connect to the host via ssh: ssh: Could not resolve hostname"
                        + " n3: Name or service not known ~ n3=host name cannot be resolved",
                "n3 | UNREACHABLE! => {/    \"changed\": false,/    \"msg\": \"Failed to connect to the"
                        + " host via ssh: Connection timed out\",/    \"unreachable\": true/} ~ n3=timed out",
                "n3 | FAILED! => {\"msg\": \"non-zero return code\",\"rc\": 7,\"stderr\": \"\"} ~" + " n3=exit code 7",
                "n3 | CHANGED | rc=0 >>/ ~ n3=printed nothing",
                "n3 | CHANGED | rc=0 | (stdout) nothing here ~ n3=nothing here",
                "n3:/    Minion did not return. [No response] ~ n3=minion did not return",
                "{\"n3\": \"sh: weaklink-collect: command not found\"} ~ n3=weaklink-collect not found",
                "ssh: connect to host 10.0.0.3 port 22: Connection refused ~ ",
                "== n3/ssh: connect to host 10.0.0.3 port 22: Connection refused ~ n3=connection refused",
                "== n3/ssh: connect to host n3-ib port 22: Connection refused ~ n3=connection refused",
                "n3: Warning: Permanently added 'n3' (ED25519) to the list of known hosts./clush: n3:"
                        + " exited with exit code 1 ~ n3=exit code 1",
                "n3: no license/n3: ** WARNING: connection is not using a post-quantum key exchange"
                        + " algorithm./n3: ** See https:%%openssh.com%pq.html/pdsh@h: n3: ssh exited with exit"
                        + " code 1 ~ n3=exit code 1: no license",
                "Warning: this is no node/*** NOTICE ***/Authorized use only ~ ",
            })
    void attributesMessagesToTheirNodes(String printed, String silent) {
        Recorded found = Recorded.ofText(
                printed.replace('/', '\n').replace('%', '/').replace("node\n1", "node/1") + "\nn1: " + NODE + "\n");
        assertThat(found.nodes).containsOnlyKeys("n1");
        StringBuilder words = new StringBuilder();
        found.silent.forEach(
                (node, why) -> words.append(node).append('=').append(why).append(' '));
        assertThat(words.toString().strip()).isEqualTo(silent == null ? "" : silent);
    }

    @Test
    void keepsTheMessagesOfMoreHostsThanWaitForTheEndOfAnObject() {
        StringBuilder hosts = new StringBuilder("{\"cn0\": \"down\"");
        for (int i = 1; i < 5000; i++) {
            hosts.append(", \"cn" + i + "\": \"down\"");
        }
        assertThat(Recorded.ofText(hosts + "}\n").silent).hasSize(5000);
    }

    @Test
    void reportsExpectedNodesThatAreNotInTheInput() {
        Recorded found = Recorded.expecting(
                Set.of("n1", "n2", "n3", "n4"),
                "n1: " + NODE + "\nn3: disk full\nn9: disk full\nn4: one\nn4: " + NODE + "\n");
        assertThat(found.silent).isEqualTo(new TreeMap<>(Map.of("n2", "not in the input", "n3", "disk full")));
    }

    @Test
    void combinesBannersAndOnlyRemarksOnThemIfNodesAreExpected() {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= 400; i++) {
            text.append("n%1$d: Welcome to n%1$d\nn%1$d: %2$s\n".formatted(i, NODE));
        }
        String message = "standard input:1: is not a node's inventory: n1: Welcome to n1 (and 399 other lines)";
        assertThat(Recorded.ofText(text.toString()).problems).containsExactly(message);
        Recorded found = Recorded.expecting(Set.of("n1", "n2"), text.toString());
        assertThat(found.problems).isEmpty();
        assertThat(found.remarks).containsExactly(message);
        assertThat(found.nodes).hasSize(400);
        assertThat(found.silent).isEmpty();
    }

    @Test
    void ignoresMessagesAboutNodesThatAnswered() {
        Recorded found = Recorded.ofText(
                "clush: n1: exited with exit code 3\nn1: " + NODE + "\nclush: n1: exited with exit code 3\n");
        assertThat(found.nodes).containsOnlyKeys("n1");
        assertThat(found.silent).isEmpty();
        assertThat(found.problems).isEmpty();
    }

    @Test
    void splitsMessagesThatPdshJoined() {
        String cut = NODE.substring(0, 60);
        Recorded found = Recorded.expecting(
                Set.of("n1", "n2", "n3", "n4", "n5", "n6"),
                "n1: "
                        + NODE
                        + "n2: "
                        + NODE
                        + "n3: "
                        + NODE
                        + "\nn4: denied"
                        + "n5: "
                        + named("n5")
                        + "\n"
                        + "n6: "
                        + cut
                        + "n7: "
                        + named("n7.cluster")
                        + "\n");
        assertThat(found.nodes).containsOnlyKeys("n1", "n2", "n3", "n5", "n7.cluster");
        assertThat(found.silent).isEqualTo(new TreeMap<>(Map.of("n4", "denied", "n6", "inventory truncated")));
    }

    @Test
    void splitsMessagesOfPdshAfterOtherText() {
        String text = "n3: no spacepdsh@h: n4: x exited with exit code 4\n";
        assertThat(Recorded.expecting(Set.of("n3", "n4"), text).silent)
                .isEqualTo(new TreeMap<>(Map.of("n3", "no space", "n4", "exit code 4")));
    }

    /** Each of these inputs would take hours if every line cost as much as the first. */
    @Timeout(60)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "clush: n[1-262144]: exited with exit code 1\n",
                "a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@a@",
                "n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: n1: ",
                "pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh@h: pdsh",
                "x: ---------------\n---------------\nn[1-4096]\n---------------\nno\nno\nno\nno\nno\nno\n",
                "== n1\n## n2\n::: n3\nn4:\nn5 | CHANGED | rc=0 >>\n | => {\n}\n",
                "n1 | CHANGED => {\n",
            })
    void readsALongOutputOfOneNodeQuickly(String text) {
        Recorded found =
                Recorded.expecting(Set.of("n1", "n9"), text.repeat(2_000_000 / text.length()) + "\n}\nn9: " + NODE);
        assertThat(found.nodes).containsOnlyKeys("n9");
        assertThat(found.silent).containsKey("n1");
    }

    @Test
    void doesNotGuessTheStartOfAJoinedName() {
        Recorded found = Recorded.ofText("n4: deniedn5: " + NODE + "\n");
        assertThat(found.nodes).isEmpty();
        assertThat(found.problems).singleElement().asString().contains("unexpected text before the inventory");
    }

    @Test
    void readsAThousandNodesOnOneLine() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            text.append('n').append(i).append(": ").append(NODE);
        }
        Recorded found = Recorded.ofText(text.toString());
        assertThat(found.nodes).hasSize(1000);
        assertThat(found.problems).isEmpty();
    }

    @Test
    void readsALineOfDamagedBeginningsQuickly() {
        String line = "{\"schema\":\"weaklink.node/1\",\"a\":".repeat(200_000);
        Recorded found = Recorded.ofText("n1: " + line + "\nn2: " + NODE + "\n");
        assertThat(found.nodes).containsOnlyKeys("n2");
        assertThat(found.problems).hasSizeBetween(1, 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "n1 | CHANGED | rc=0 >>\n@\nn2 | CHANGED | rc=0 >>\nWelcome\n@\n",
                "n1 | CHANGED | rc=0 | (stdout) @\nn2 | CHANGED | rc=0 | (stdout) Welcome\\n@ (stderr) x\n",
                "n1 | CHANGED | rc=0 | (stdout) @\\r\\n\nn2 | CHANGED | rc=0 | (stdout) Welcome\\r\\n@\\r\\n (stderr) x\n",
                "n1 | CHANGED => {\n    \"rc\": 0,\n    \"stdout\": \"%\\n\"\n}\n"
                        + "n2 | CHANGED => {\"rc\": 0,\"stdout\": \"Welcome\\n%\\n\"}\n",
                "n1:\n    @\nn2:\n    Welcome\n    @\n",
                "{\n    \"n1\": \"%\",\n    \"n2\": \"Welcome\\n%\"\n}\n",
                "{\"n1\": {\"jid\": \"2026\", \"ret\": \"%\", \"retcode\": 0},"
                        + " \"n2\": {\"jid\": \"2026\", \"ret\": {\"pid\": 1, \"retcode\": 0, \"stdout\": \"Hi\\n%\"}, \"retcode\": 0}}\n",
                "{\n    \"n1\": \"%\"\n}\n{\n    \"n2\": {\"pid\": 1, \"retcode\": 0, \"stdout\": \"%\"}\n}\n",
                "== n1\n@\n== n2\nWelcome\n@\n",
                "### n1 ###\n@\n### n2 ###\n*** NOTICE ***\n@\n",
                "n1\t@\nn2\tWelcome\nn2\t@\n",
                "n1 @\nn2 @\n",
            })
    void readsTheOutputOfOtherPrograms(String printed) {
        for (String node : List.of(NODE, named(null))) {
            String text = printed.replace("@", node).replace("%", node.replace("\"", "\\\""));
            Recorded found = Recorded.ofText(text);
            assertThat(found.nodes).containsOnlyKeys("n1", "n2");
            assertThat(found.silent).isEmpty();
        }
    }

    /** Salt prints this with {@code --out=json --out-indent=-1}, with and without {@code --static}. */
    @Test
    void readsSaltsJsonInOneLineOrOneForEachNode() {
        String node = NODE.replace("\"", "\\\"");
        String each = "{\"n2\": false}\n{\"n1\": \"" + node + "\"}\n{\"n3\": \"Minion did not return.\"}\n";
        String all = each.replace("}\n{\"n", ", \"n");
        for (String text : List.of(each, all, "Login banner\n" + each)) {
            Recorded found = Recorded.ofText(text);
            assertThat(found.nodes).as(text).containsOnlyKeys("n1");
            assertThat(found.silent).containsOnlyKeys("n2", "n3");
        }
        assertThat(Recorded.ofText("{\"n1\": \"{}\", x\n").problems)
                .containsExactly("standard input:1: truncated or not JSON");
    }

    @Test
    void readsFalseAsAMinionThatDidNotReturn() {
        Recorded found =
                Recorded.ofText("{\n    \"n1\": false,\n    \"n2\": \"Minion did not return. [No response]\"\n}\n");
        String why = "minion did not return";
        assertThat(found.silent).isEqualTo(Map.of("n1", why, "n2", why));
    }

    @Test
    void prefersTheNodesOwnNameUnlessTheHeadingIsExpected() {
        String text = "== n1\n" + named("other") + "\n";
        assertThat(Recorded.ofText(text).nodes).containsOnlyKeys("other");
        assertThat(Recorded.expecting(Set.of("n1"), text).nodes).containsOnlyKeys("n1");
    }
}
