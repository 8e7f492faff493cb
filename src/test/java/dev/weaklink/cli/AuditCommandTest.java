package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.testing.NodeLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Audits of many nodes by the whole program. */
class AuditCommandTest {
    private static final String OLD = "5.14.0-503";
    private static final String NEW = "5.14.0-570";
    private static final NodeLines GOOD = new NodeLines(OLD).module(OLD, "mlx5_core", "A");

    @TempDir
    Path directory;

    private static WholeRun reading(String text) {
        return WholeRun.reading(text.getBytes(StandardCharsets.UTF_8), "audit", "-");
    }

    @Test
    void printsOneLineForEqualNodes() {
        StringBuilder told = new StringBuilder();
        for (int i = 1; i <= 412; i++) {
            String number = "00" + i;
            told.append("cn").append(number.substring(number.length() - 3)).append(": ");
            told.append(GOOD.line(null)).append('\n');
        }
        told.append("gpu7: ").append(new NodeLines(NEW).line("gpu7")).append('\n');
        WholeRun run = reading(told.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out().replaceAll("[0-9a-f]{12}", "digest")).isEqualTo("""
            KERNEL      MODULES  SET           PRODUCT    NODES  RUNNING  NODE SET
            5.14.0-570  0        -             -          1      1        gpu7
            5.14.0-503  1        digest  mlx5_core  412    412      cn[001-412]

            413 nodes in 2 groups
            """);
    }

    @Test
    void listsDefectsWithTheirNodes() {
        NodeLines bad = new NodeLines(OLD)
                .module(OLD, "mlx5_core", "A")
                .danglingLink(OLD, "knem")
                .loaded("mlx5_core", "B");
        WholeRun run = reading("cn1: " + bad.line(null) + "\ncn2: " + bad.line(null) + "\n");
        assertThat(run).isEqualTo(new WholeRun(1, """
                Wrong now in 5.14.0-503 on cn[1-2]:
                  mlx5_core: the loaded build is not the build on disk (srcversion B is loaded, A is on disk)

                KERNEL      MODULES  SET           PRODUCT          NODES  RUNNING  NODE SET
                5.14.0-503  2        34ccd8117ab0  mlx5_core, knem  2      2        cn[1-2]
                  knem: the link is dangling (/lib/modules/5.14.0-503/weak-updates/knem.ko)

                2 nodes in 1 group
                """, ""));
    }

    @Test
    void reportsAndCountsDamagedInput() throws IOException {
        Path file = Files.writeString(
                directory.resolve("nodes"), GOOD.line("cn1") + "\n" + GOOD.line("bad name") + "\n{\n");
        WholeRun run = WholeRun.of("audit", file.toString());
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.messages())
                .containsExactly(file + ":2: not a node's name: bad name", file + ":3: truncated or not JSON");
        assertThat(run.at(directory)).isEqualTo(new WholeRun(3, """
                KERNEL      MODULES  SET           PRODUCT    NODES  RUNNING  NODE SET
                5.14.0-503  1        ee866e12bb7f  mlx5_core  1      1        cn1

                1 node in 1 group; skipped: 2 pieces of input
                """, """
                weaklink: DIR/nodes:2: not a node's name: bad name
                weaklink: DIR/nodes:3: truncated or not JSON
                """));
    }

    @Test
    void exitsWithTwoWithoutNodes() {
        WholeRun run = reading("");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEqualTo("0 nodes in 0 groups\n");
    }

    @Test
    void textOfNodesIsHarmlessOnATerminal() {
        WholeRun run = reading("\u001b[31m\ncn1: " + new NodeLines("5\\u001b[2J").line(null) + "\n");
        assertThat(run)
                .isEqualTo(new WholeRun(3, """
                KERNEL    MODULES  SET  PRODUCT  NODES  RUNNING  NODE SET
                5\\x1b[2J  0        -    -        1      1        cn1

                1 node in 1 group; skipped: 1 piece of input
                """, "weaklink: standard input:1: is not a node's inventory: \\x1b[31m\n"));
    }

    @Test
    void onlyCountsProblemsBeyondALimit() {
        WholeRun run = reading("{}\n".repeat(1500));
        assertThat(run.messages()).hasSize(1001);
        assertThat(run.messages().get(1000)).isEqualTo("number of further problems with the input: 500");
    }

    @Test
    void printsJsonOnRequest() throws IOException {
        byte[] told = (GOOD.line("cn1") + "\nnoise\n").getBytes(StandardCharsets.UTF_8);
        WholeRun document = WholeRun.reading(told, "audit", "--format", "json", "-");
        assertThat(Schemas.problems(document.out())).isEmpty();
        assertThat(document.out()).contains("\"nodes\":\"cn1\"", "\"input\":{\"problems\":1}");
        assertThat(document.status()).isEqualTo(3);
        WholeRun lines = WholeRun.reading(told, "audit", "--format", "ndjson", "-");
        assertThat(lines.out().lines()).hasSize(3);
        for (String line : lines.out().lines().toList()) {
            assertThat(Schemas.problems(line)).isEmpty();
        }
    }
}
