package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.NodeLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the output of the programs that query many nodes. */
class IntakeTest {
    private static final NodeLines NODE =
            new NodeLines("5.14.0-503").module("5.14.0-503", "mlx5_core", "A").loaded("mlx5_core", "B");

    @TempDir
    Path directory;

    @Test
    void readsTheNodesNameInALine() {
        Recorded found = Recorded.ofText(NODE.line("cn1") + "\n" + NODE.line("cn2"));
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2");
        NodeInventory inventory = found.nodes.get("cn1");
        assertThat(inventory).isSameAs(found.nodes.get("cn2"));
        assertThat(inventory.running()).isEqualTo("5.14.0-503");
        assertThat(inventory.kernels()).containsExactly(new NodeInventory.NodeKernel("5.14.0-503", true));
        assertThat(inventory.loaded()).containsExactly(new NodeInventory.RunningModule("mlx5_core", "B", "OE"));
        assertThat(inventory.modules()).singleElement().satisfies(IntakeTest::isTheModule);
    }

    private static void isTheModule(NodeInventory.Module module) {
        assertThat(module.path()).isEqualTo("/lib/modules/5.14.0-503/extra/mlx5_core.ko");
        assertThat(module.srcversion()).isEqualTo("A");
        assertThat(module.used()).isTrue();
        assertThat(module.link()).isNull();
        assertThat(module.isDangling()).isFalse();
    }

    @Test
    void usesThePrefixIfTheInventoryNamesNoNode() {
        String text = String.join(
                "\n",
                "cn1: " + NODE.line("localhost"),
                "cn2: " + NODE.line(null) + "\r",
                "cn3: " + NODE.line("cn3.cluster"),
                "cn4: " + NODE.line("web"),
                "");
        Recorded found = Recorded.ofText(text);
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2", "cn3", "web");
        assertThat(Recorded.expecting(Set.of("cn4"), text).nodes).containsKey("cn4");
    }

    @Test
    void keepsNodesThatAllReportOneHostName() {
        String line = NODE.line("image");
        Recorded found = Recorded.ofText("cn1: %1$s\ncn2: %1$s\ncn3: %1$s\n".formatted(line));
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("image", "cn2", "cn3");
    }

    /** Other text may precede or follow the inventory, in the same line or in other lines. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Jan 1 00:00:00 head collect[7]: @",
                "clush: 1/4\r@",
                "clush: 0/4\r           \r@\r           \r\nx",
                "---------------\n@",
                "---------------\ncn1\n@",
                "---------------\ncn[\n---------------\n@",
                "clush: 4/4---------------\ncn2\n---------------\n@",
                "{\n  \"a\": 1,\n@\n}",
                "{\"a\": [\n@",
                "n2 | CHANGED => {\n@",
                "n2 | FAILED | rc=1 >>\n@",
                "{\"schema\":\"weaklink.node/1\",\"kern@",
                "@@",
                "@ and more",
            })
    void keepsEveryInventoryThatNamesItsNode(String text) {
        Recorded found = Recorded.ofText(text.replace("@", NODE.line("cn7")) + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn7");
    }

    /** clush prints this on both outputs if its command takes longer than a second. */
    @Test
    void ignoresACounterInABlock() {
        String rule = "---------------\n";
        String counter = "clush: 0/5\r           \r";
        Recorded found = Recorded.ofText(counter
                + "cn3: oops\nclush: 1/5\rclush: 2/5\r           \rclush: 4/5\r"
                + (rule + "cn[1-2,4] (3)\n" + rule + NODE.line(null) + "\n")
                + ("motd" + rule + "cn5\n" + rule + rule + "Hello there\n" + rule)
                + (NODE.line(null) + "\nclush: cn3: exited with exit code 3\n"));
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2", "cn4", "cn5");
        assertThat(found.silent).containsExactly(Map.entry("cn3", "exit code 3: oops"));
    }

    @Test
    void ignoresTaskNumbersAndPodNames() {
        Recorded found = Recorded.ofText(" 3: "
                + NODE.line("cn3")
                + "\n[pod/weaklink-x7k2p/collect] "
                + NODE.line("worker-1")
                + "\n12: "
                + NODE.line(null)
                + "\n");
        assertThat(found.nodes).containsOnlyKeys("cn3", "worker-1");
        assertThat(found.problems).singleElement().asString().startsWith("standard input:3: no name for this node");
    }

    @Test
    void attributesABlockToAllItsNodes() {
        String rule = "-".repeat(15);
        Recorded found = Recorded.ofText(String.join(
                "\n", rule, "cn[001-003,7] (4)", rule, NODE.line(null), rule, "gpu1", rule, " " + NODE.line(null), ""));
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn7", "cn001", "cn002", "cn003", "gpu1");
    }

    @Test
    void skipsABlockOfUnknownNodes() {
        String rule = "-".repeat(16);
        Recorded found = Recorded.ofText(String.join(
                "\n", rule, "cn[0-99999999999]", rule, NODE.line(null), rule, "cn2", rule, NODE.line(null)));
        assertThat(found.nodes).containsOnlyKeys("cn2");
        assertThat(found.problems)
                .containsExactly(
                        "standard input:2: not a set of nodes: more than 262144 nodes",
                        "standard input:4: inventory skipped, because the node names in the heading above it could not"
                                + " be used");
    }

    @Test
    void readsCompressedFilesByTheirMagic() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write((NODE.line("cn1") + "\n").getBytes(StandardCharsets.UTF_8));
        }
        Path file = Files.write(directory.resolve("nodes"), packed.toByteArray());
        assertThat(Recorded.ofFiles(file).nodes).containsOnlyKeys("cn1");
        assertThat(Recorded.ofBytes(packed.toByteArray()).nodes).containsOnlyKeys("cn1");
    }

    @Test
    void xzAndZstdAreRead() throws IOException {
        Path file = Files.writeString(directory.resolve("nodes"), NODE.line("cn1"));
        ExternalTool.orSkip("xz").run("-k", file.toString());
        ExternalTool.orSkip("zstd").run("-q", "-k", file.toString());
        assertThat(Recorded.ofFiles(directory.resolve("nodes.xz")).nodes).containsOnlyKeys("cn1");
        assertThat(Recorded.ofFiles(directory.resolve("nodes.zst")).nodes).containsOnlyKeys("cn1");
    }

    @Test
    void usesFileAndDirectoryNamesForNodesThatReportNoName() throws IOException {
        Path fetched = directory.resolve("cn1/var/tmp/node.json");
        Files.createDirectories(fetched.getParent());
        Files.writeString(fetched, NODE.line(null));
        Files.writeString(directory.resolve("cn2.cluster.json"), NODE.line(null));
        Files.writeString(directory.resolve("cn3"), NODE.line("own"));
        Files.createSymbolicLink(directory.resolve("cn4"), fetched);
        Recorded found = Recorded.ofFiles(directory);
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2.cluster", "own");
        assertThat(found.problems)
                .containsExactly(directory.resolve("cn4")
                        + ": is not a regular file; skipped (symbolic links are not followed)");
    }

    @Test
    void reportsMissingFiles() throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        Recorded found = Recorded.ofFiles(directory.resolve("gone"), empty, Path.of("/dev/null"));
        assertThat(found.problems)
                .containsExactly(
                        directory.resolve("gone")
                                + ": no such file; give what weaklink-collect printed on the nodes, in a file, a"
                                + " directory or standard input (-)",
                        empty + ": contains no files",
                        "/dev/null: not a regular file");
    }

    @Test
    void readsTheOutputOfClushAndPdsh() throws IOException {
        Path file = Files.writeString(directory.resolve("told"), NODE.line(null) + "\n");
        ExternalTool clush = ExternalTool.orSkip("clush");
        ExternalTool pdsh = ExternalTool.orSkip("pdsh");
        String plain = clush.run("-R", "exec", "-w", "cn[1-3]", "cat", file.toString());
        String folded = clush.run("-R", "exec", "-b", "-w", "cn[08-12]", "cat", file.toString());
        String labelled = pdsh.run("-R", "exec", "-w", "n[1-2]", "cat", file.toString());
        Recorded found = Recorded.ofText(plain + folded + "\n");
        assertThat(found.problems).isEmpty();
        assertThat(found.nodes).containsOnlyKeys("cn1", "cn2", "cn3", "cn08", "cn09", "cn10", "cn11", "cn12");
        assertThat(Recorded.ofText(labelled).nodes).containsOnlyKeys("n1", "n2");
    }
}
