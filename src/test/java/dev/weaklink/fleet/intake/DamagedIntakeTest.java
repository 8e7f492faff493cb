package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.testing.NodeLines;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DamagedIntakeTest {
    private static final String GOOD = new NodeLines("6.1").line(null);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cn2: {\"schema\":\"weaklink.node/1\",\"kern | node cn2: truncated; skipped",
                "cn2: {\"schema\":[[[ | node cn2: schema is not weaklink.node/1; skipped",
                "{\"schema\":\"weaklink.node/1\" x} | not JSON at byte 29 of the inventory; skipped",
                "cn2: {\"schema\":\"weaklink.node/1\" x} | node cn2: not JSON at byte 29 of the inventory; skipped",
                "cn2: cn3: {} | is not a node's inventory: cn2: cn3: {}",
                "cn2: {}{} | is not a node's inventory: cn2: {}{}",
                "cn2: {} | is not a node's inventory: cn2: {}",
                "{\"schema\":\"weaklink.node/2\"} | schema is not weaklink.node/1; skipped",
                "{\"schema\":\"weaklink.node/1\",\"modules\":[]} | 'kernels' is missing; skipped",
                "{\"modules\":[{\"kernel\":\"6.1\"}]} | 'name' is missing; skipped",
                "{\"kernels\":{}} | 'kernels' has the wrong type; skipped",
                "{\"node\":7} | 'node' has the wrong type; skipped",
                "cn3: sudo is not what it was | is not a node's inventory: cn3: sudo is not what it was",
            })
    void reportsADamagedLineOnce(String line, String message) {
        Recorded found = Recorded.ofText("cn1: " + GOOD + "\n\n" + line + "\ncn9: " + GOOD + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn9");
        assertThat(found.problems).singleElement().asString().isEqualTo("standard input:3: " + message);
    }

    @Test
    void namesNodesThatReportAnotherSchema() {
        Recorded found = Recorded.ofText("cn1: " + GOOD + "\ncn2: {\"schema\":[[[\n");
        assertThat(found.silent).containsExactly(Map.entry("cn2", "inventory damaged"));
    }

    /** A line of a block has no name before it: it belongs to all nodes of the block. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"schema\":\"weaklink.node/1\",\"kern",
                "{\"schema\":\"weaklink.node/2\",\"kernels\":{}}",
                "{\"schem\":\"weaklink.node/1\",\"node\":\"cn2\"",
                "{\"schem\":\"weaklink.node/1\",\"node\":\"cn2\"}",
                "{ \"kernels\":{}}",
                "{\"sch",
                "{}",
            })
    void attributesADamagedLineToTheNodesOfItsBlock(String line) {
        String rule = "-".repeat(15) + "\n";
        Recorded found =
                Recorded.ofText(rule + "cn[2-3] (2)\n" + rule + line + "\n" + rule + "cn9\n" + rule + GOOD + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn9");
        assertThat(found.silent).containsOnlyKeys("cn2", "cn3");
        assertThat(found.silent.get("cn2")).startsWith("inventory ");
        assertThat(found.problems).hasSize(1);
    }

    /** ssh prints such a line without a node's name if no program adds the name. */
    @Test
    void doesNotCountAWarningAsDamage() {
        Recorded found = Recorded.ofText(
                "Warning: Permanently added 'cn1' (ED25519) to the list of known hosts.\r\ncn1: " + GOOD + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.problems).isEmpty();
    }

    @Test
    void attributesADamagedLineToAllNodesOfALargeBlock() {
        String rule = "-".repeat(15) + "\n";
        String text = rule + "cn[1-5000] (5000)\n" + rule + GOOD.substring(0, 60) + "\n";
        assertThat(Recorded.ofText(text).silent).hasSize(5000);
    }

    /** A long name would appear in the report many times, but a problem's message may be long. */
    @ParameterizedTest
    @CsvSource({"modules,name,1", "modules,path,1", "loaded,name,1", "packages,version,1", "problems,message,0"})
    void skipsANodeWithTooLongAText(String list, String key, int problems) {
        String item = "{'kernel':'6.1','name':'m','path':'/p','version':'1','message':'@'}";
        String replaced = item.replaceAll("'" + key + "':'[^']*'", "'" + key + "':'@'");
        for (int length : new int[] {4096, 4097}) {
            String entry = replaced.replace('\'', '"').replace("@", "x".repeat(length));
            String other = list.equals("modules") ? "" : "\"modules\":[],";
            String node =
                    "{\"schema\":\"weaklink.node/1\",\"kernels\":[]," + other + ("\"" + list + "\":[" + entry + "]}");
            Recorded found = Recorded.ofText("cn1: " + GOOD + "\ncn2: " + node + "\n");
            assertThat(found.problems).hasSize(length == 4096 ? 0 : problems);
            assertThat(found.nodes).hasSize(length == 4096 ? 2 : 2 - problems);
        }
    }

    @Test
    void reportsAtMostOneProblemForATruncatedLine() {
        String line = "cn1: " + GOOD;
        for (int length = 1; length < line.length(); length++) {
            Recorded found = Recorded.ofText(line.substring(0, length) + "\ncn2: " + GOOD);
            assertThat(found.nodes).as("cut at %d", length).containsOnlyKeys("cn2");
            // "cn1:" alone is the heading above a node's lines, as Salt prints it.
            assertThat(found.problems).as("cut at %d", length).hasSize(length == 4 || length == 5 ? 0 : 1);
        }
    }

    @Test
    void refusesInvalidNodeNames() {
        Recorded found = Recorded.ofText(new NodeLines("6.1").line("cn[1-2]") + "\n");
        assertThat(found.nodes).isEmpty();
        assertThat(found.problems).containsExactly("standard input:1: not a node's name: cn[1-2]");
    }

    @Test
    void invalidUtf8IsReported() {
        byte[] bytes = (new NodeLines("6.1").line("cn1") + "\ncn2: " + GOOD).getBytes(StandardCharsets.UTF_8);
        bytes[new String(bytes, StandardCharsets.UTF_8).indexOf("6.1")] = (byte) 0xff;
        Recorded found = Recorded.ofBytes(bytes);
        assertThat(found.nodes).containsOnlyKeys("cn2");
        assertThat(found.problems).containsExactly("standard input:1: not valid UTF-8; skipped");
    }

    @Test
    void skipsALineOfAGigabyteWithoutStoringIt() {
        InputStream in = new SequenceInputStream(Collections.enumeration(
                List.of(text("cn1: " + GOOD + "\ncn2: {"), new Filler(1L << 30), text("\ncn3: " + GOOD + "\n"))));
        Recorded found = Recorded.ofStream(in, 1 << 20);
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn3");
        assertThat(found.problems)
                .containsExactly(
                        "standard input:2: skipped, because the line is longer than the limit of 1048576 bytes");
    }

    @Test
    void readsATruncatedCompressedFileUpToItsEnd() {
        byte[] packed = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 0};
        Recorded found = Recorded.ofBytes(packed);
        assertThat(found.problems)
                .containsExactly("standard input: truncated gzip data; the rest of this input was not read");
    }

    /** The compressed stream is damaged, not one node's inventory in it, so reading must not continue. */
    @ParameterizedTest
    @ValueSource(strings = {"lines", "folded", "document"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void endsWhereACompressedFileIsTruncated(String form) throws IOException {
        StringBuilder text = new StringBuilder("document".equals(form) ? "{\"plays\":[{\"tasks\":[" : "");
        for (int i = 0; i < 200; i++) {
            String node = "cn" + i;
            // Such lines do not compress well, so the decoder stops in the middle of a line.
            String line =
                    new NodeLines("6.1").loaded("m" + Math.pow(i, 0.7), "ABC").line(node);
            switch (form) {
                case "lines":
                    text.append(line).append('\n');
                    break;
                case "folded":
                    text.append(line.replace(",", ",\n  ").replaceFirst("\\{", "{\n"))
                            .append('\n');
                    break;
                default:
                    text.append(i == 0 ? "" : ",\n")
                            .append("{\"hosts\":{\"" + node + "\":{\"stdout\":\"")
                            .append(line.replace("\"", "\\\""))
                            .append("\"}}}");
            }
        }
        text.append("document".equals(form) ? "]}]}\n" : "");
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(text.toString().getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = packed.toByteArray();
        assertThat(Recorded.ofBytes(whole).nodes).hasSize(200);
        int most = 0;
        for (int length = 10; length < whole.length - 8; length += 1 + whole.length / 50) {
            Recorded found = Recorded.ofBytes(Arrays.copyOf(whole, length));
            assertThat(found.problems)
                    .contains("standard input: truncated gzip data; the rest of this input was not read");
            most = Math.max(most, found.nodes.size());
        }
        assertThat(most).isBetween(100, 199);
    }

    @Test
    void reportsAHeadingWithoutItsBlock() {
        Recorded found = Recorded.ofText("cn1: " + GOOD + "\n" + "-".repeat(15) + "\ncn[1-2]\n");
        assertThat(found.nodes).containsOnlyKeys("cn1");
        assertThat(found.problems).containsExactly("standard input:3: is not a node's inventory: cn[1-2]");
    }

    private static InputStream text(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /** An input of the given number of spaces. */
    private static final class Filler extends InputStream {
        private long left;

        Filler(long length) {
            this.left = length;
        }

        @Override
        public int read() {
            return left-- > 0 ? ' ' : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left <= 0) {
                return -1;
            }
            int count = (int) Math.min(left, length);
            Arrays.fill(bytes, offset, offset + count, (byte) ' ');
            left -= count;
            return count;
        }
    }

    @Test
    void sharesInventoriesOfLinesThatDifferOnlyInTheName() {
        String line = new NodeLines("6.1").module("6.1", "a", "A").line("cn1");
        Recorded found = Recorded.ofText(String.join(
                "\n",
                line,
                line.replace("cn1", "cn2"),
                "cn3: " + line.replace("cn1", "cn3.cluster"),
                line.replace("cn1", "c\\u006e4"),
                line.replace("cn1", "bad name"),
                line.replace("\"A\"", "\"B\"").replace("cn1", "cn5"),
                line.replace("\"node\":\"cn1\",", "")));
        assertThat(found.nodes.keySet()).containsExactlyInAnyOrder("cn1", "cn2", "cn3", "cn4", "cn5");
        assertThat(found.nodes.get("cn2")).isSameAs(found.nodes.get("cn1"));
        assertThat(found.nodes.get("cn4")).isEqualTo(found.nodes.get("cn1"));
        assertThat(found.nodes.get("cn5")).isNotEqualTo(found.nodes.get("cn1"));
        assertThat(found.problems)
                .containsExactly(
                        "standard input:5: not a node's name: bad name",
                        "standard input:7: no name for this node, so its inventory is skipped; collect it again with"
                                + " --name=NAME");
    }

    @Test
    void doesNotDependOnTimesOfNodes() {
        String pod = "[pod/weaklink-%s/collect] %s %s\n";
        Recorded found = Recorded.ofText(pod.formatted("x", "2099-01-01T00:00:00Z", new NodeLines("6.1").line("cn1"))
                + pod.formatted("y", "1970-01-01T00:00:00Z", new NodeLines("6.1").line("cn2")));
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
    }

    @Test
    void acceptsDifferentPrefixesButOnlyOneBeforeALine() {
        Recorded found =
                Recorded.ofText("cn1: " + GOOD + "\n7: " + new NodeLines("6.1").line("cn2") + "\ncn3: cn4: " + GOOD);
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
        assertThat(found.problems).containsExactly("standard input:3: unexpected text before the inventory: cn3: cn4:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "[1]",
                "[{}]",
                "[{\"file\":1}]",
                "[{\"file\":\"x\",\"versions\":[1]}]",
                "[{\"file\":\"x\",\"versions\":[\"\"]}]",
                "[{\"file\":\"x\",\"versions\":[\"0x printk\"]}]",
                "[{\"file\":\"x\",\"versions\":[\"0xfffffffffffffffff printk\"]}]",
                "[{\"file\":\"x\",\"exports\":[\"12345678 printk\"]}]",
                "[{\"file\":\"x\",\"exports\":\"x\"}]",
            })
    void reportsADamagedTableWithTheLineNumber(String tables) {
        String line =
                new NodeLines("6.1").line("cn1").replace(",\"missing\"", ",\"tables\":" + tables + ",\"missing\"");
        Recorded found = Recorded.ofText(line + "\ncn2: " + GOOD);
        assertThat(found.nodes).containsOnlyKeys("cn2");
        assertThat(found.problems).singleElement().asString().startsWith("standard input:1: ");
    }

    @Test
    void reportsAFailureOfOneNodeAndReadsTheNext() {
        List<String> problems = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        NodeVisitor visitor = new NodeVisitor() {
            @Override
            public void node(String name, NodeInventory inventory) {
                if (name.equals("cn2")) {
                    throw new IllegalStateException("cannot be");
                }
                nodes.add(name);
            }

            @Override
            public void problem(InputProblem problem) {
                problems.add(problem.subject() + ": " + problem.message());
            }
        };
        Intake intake = new Intake(visitor, Set.of());
        intake.read(Intake.STDIN, text("cn1: %1$s\ncn2: %1$s\ncn3: %1$s".formatted(GOOD)));
        intake.finish();
        assertThat(nodes).containsExactly("cn1", "cn3");
        assertThat(problems)
                .containsExactly("standard input:2: node cn2: internal error: java.lang.IllegalStateException: cannot"
                        + " be; skipped");
    }
}
