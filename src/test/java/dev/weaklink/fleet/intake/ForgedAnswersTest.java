package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests nodes that print text which looks like another node's answer, and nodes that answer twice. */
class ForgedAnswersTest {
    private static final String RULE = "-".repeat(15);
    private static final String CONTRADICTORY = "contradictory answers";

    private static final String GOOD = new NodeLines("6.1").line(null);
    private static final String NAMED = new NodeLines("6.1").line("cn2");
    private static final String BROKEN =
            new NodeLines("6.1").danglingLink("6.1", "knem").line(null);

    /**
     * Returns the text with its placeholders replaced: / is a line feed, % a carriage return, @ a good inventory
     * without a name, and &amp; a good inventory that names cn2.
     */
    private static String forged(String text) {
        return text.replace('/', '\n')
                        .replace('%', '\r')
                        .replace("RULE", RULE)
                        .replace("@", GOOD)
                        .replace("&", NAMED)
                + "\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cn9: x%cn2: @",
                "cn9: clush: 1/2%cn2: @",
                "cn9: %cn2: @",
                "cn9: @cn2: @",
                "cn9: {}%cn2: @",
                "cn9: x%RULE%cn2%RULE%@",
                "cn9: RULE/cn9: cn2/cn9: RULE/cn9: @",
                "cn9\tRULE/cn9\tcn2/cn9\tRULE/cn9\t@",
                "RULE/cn9/RULE/@/RULE/cn2/RULE/@",
                "RULE/cn9/RULE/cn2: @",
                "== cn9/== cn2/@",
                "cn9: &",
                "cn9 | CHANGED | rc=0 >>/cn2 | CHANGED | rc=0 >>/@",
                "cn9:/    cn2: @",
            })
    void doesNotAcceptAForgedAnswerForAnotherNode(String text) {
        NodeInventory good = Recorded.ofText("cn2: " + GOOD).nodes.get("cn2");
        String other = BROKEN.replace("weaklink.node/1", "weaklink.node/2");
        for (String own : List.of(BROKEN, GOOD.substring(0, 60), other)) {
            String answer = "cn2: " + own + "\n";
            assertThat(Recorded.ofText(answer + forged(text)).nodes).as(text).doesNotContainEntry("cn2", good);
            assertThat(Recorded.ofText(forged(text) + answer).nodes).as(text).doesNotContainEntry("cn2", good);
        }
        String failure = "clush: cn2: exited with exit code 255\n";
        assertThat(Recorded.ofText(failure + forged(text)).nodes).as(text).doesNotContainKey("cn2");
        assertThat(Recorded.ofText(forged(text) + failure).nodes).as(text).doesNotContainKey("cn2");
    }

    /** The whole text before an inventory must be the name, however long the text is. */
    @Test
    void ignoresANameBehindALongText() {
        Recorded found = Recorded.ofText("cn9: x" + " ".repeat(5000) + "cn2: " + GOOD + "\n");
        assertThat(found.nodes).isEmpty();
        assertThat(found.problems).singleElement().asString().contains("unexpected text before the inventory");
    }

    @Test
    void doesNotEraseATooLongLineOnACarriageReturn() {
        String text = "cn9: " + "x".repeat(1 << 16) + "\rcn2: " + GOOD + "\n";
        InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        assertThat(Recorded.ofStream(in, 1 << 16).nodes).isEmpty();
    }

    @Test
    void namesNodesWithTwoDifferentReportsAndUsesNeither() {
        Recorded found =
                Recorded.ofText("cn1: " + BROKEN + "\ncn2: " + GOOD + "\ncn1: " + GOOD + "\ncn1: " + GOOD + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn2");
        assertThat(found.silent).isEqualTo(Map.of("cn1", CONTRADICTORY));
        assertThat(found.problems)
                .containsExactly("standard input:3: node cn1: two inventories differ; the other is at standard"
                        + " input:1; neither is used");
    }

    @Test
    void acceptsARepeatedAnswer() {
        Recorded found = Recorded.ofText(("cn1: " + GOOD + "\n").repeat(3) + NAMED + "\n" + NAMED + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
        assertThat(found.problems).isEmpty();
        assertThat(found.silent).isEmpty();
    }

    /** This happens if a second run is appended to the first run, which pdsh had cut. */
    @Test
    void replacesADamagedAnswerByTheNodesOwn() {
        Recorded found = Recorded.ofText("cn1: " + GOOD.substring(0, 60) + "\ncn1: " + GOOD + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.silent).isEmpty();
    }

    @Test
    void reportsAnAnswerUnderAFailedNodesName() {
        Recorded found = Recorded.ofText("cn9: " + NAMED + "\nclush: cn2: exited with exit code 255\n");
        assertThat(found.nodes).isEmpty();
        assertThat(found.silent).isEqualTo(Map.of("cn2", "exit code 255"));
        assertThat(found.problems)
                .containsExactly("standard input:1: node cn2: the input also contains a message that this node failed"
                        + " (exit code 255); this inventory is not used");
    }

    @Test
    void filesOfTheSameNodeContradictEachOther(@TempDir Path directory) throws IOException {
        Path one =
                Files.writeString(Files.createDirectory(directory.resolve("a")).resolve("cn1.json"), GOOD);
        Path two =
                Files.writeString(Files.createDirectory(directory.resolve("b")).resolve("cn1.json"), BROKEN);
        Recorded found = Recorded.ofFiles(one.getParent(), two.getParent());
        assertThat(found.nodes).isEmpty();
        assertThat(found.silent).isEqualTo(Map.of("cn1", CONTRADICTORY));
    }
}
