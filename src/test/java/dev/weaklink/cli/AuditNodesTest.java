package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An answer for every node: who did not answer, which kernel is for whom, and what to do first. */
class AuditNodesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String OLD = "6.1.0-8-test";
  private static final String INPUT =
      """
      n1: Welcome
      n1: %s
      n2: ssh: connect to host n2 port 22: Connection refused
      clush: n2: exited with exit code 255
      """
          .formatted(new NodeLines(OLD).line(null));

  @TempDir Path directory;

  private WholeRun audit(String input, String... words) {
    List<String> all = new ArrayList<>(List.of("audit", "-"));
    all.addAll(List.of(words));
    return WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), all.toArray(new String[0]));
  }

  /** A node whose module demands this CRC of a symbol. */
  private static String node(String name, int crc) {
    Told told = new Told("drv", OLD + " SMP ").version("module_layout", 1).version("_printk", crc);
    return new NodeLines(OLD).told(OLD, told).line(name) + "\n";
  }

  private String kernel(String name, int crc) throws IOException {
    byte[] bytes =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, crc)
            .bytes();
    return Files.write(directory.resolve(name), bytes).toString();
  }

  @Test
  void nodesThatDidNotAnswerAreFoldedByReasonAndCostTheStatus() throws IOException {
    WholeRun run = audit(INPUT, "--expect", "n[1-3]", "--expect", "gpu7");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out())
        .startsWith("No answer (not in the input): gpu7,n3\nNo answer (connection refused): n2\n")
        .endsWith("1 node in 1 group; no answer from 3 nodes\n");
    assertThat(run.messages())
        .containsExactly("standard input:1: is not a node's inventory: n1: Welcome");
    assertThat(audit(INPUT, "--expect", "n1").status()).as("n2 is named by clush").isEqualTo(3);
    assertThat(audit(INPUT.lines().limit(2).toList().get(1), "--expect", "n1").status()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = dev.weaklink.report.Format.class,
      names = {"TABLE", "JSON", "NDJSON", "HTML", "CSV"})
  void everyFormNamesThemAndTheReason(dev.weaklink.report.Format format) throws IOException {
    WholeRun run = audit(INPUT, "--expect", "n[1-9]", "--format", format.id());
    if (!format.id().equals("html")) { // which holds what json has, packed
      assertThat(run.out()).contains("3-9", "connection refused");
    }
    if (format.id().equals("json")) {
      assertThat(Schemas.problems(run.out())).isEmpty();
      JsonNode missing = MAPPER.readTree(run.out()).get("missing");
      assertThat(missing.toString())
          .isEqualTo(
              "[{\"reason\":\"not in the input\",\"nodes\":\"n[3-9]\",\"count\":7},"
                  + "{\"reason\":\"connection refused\",\"nodes\":\"n2\",\"count\":1}]");
    }
  }

  @Test
  void countsOfThemAreForMonitoring() {
    assertThat(audit(INPUT, "--expect", "n[1-9]", "--format", "nagios").out())
        .startsWith("WEAKLINK UNKNOWN - 1 node, 8 nodes did not answer | ")
        .contains(" missing=8 ");
    assertThat(audit(INPUT, "--expect", "n[1-9]", "--format", "prometheus").out())
        .contains("\nweaklink_audit_missing_nodes 8\n");
  }

  @Test
  void whoIsExpectedIsReadFromAFileOrAskedOfClusterShell() throws IOException {
    Path file = Files.writeString(directory.resolve("all"), "# racks\nn[1-2]\n\nm[1-2],n4\n");
    assertThat(audit(INPUT, "--expect", file.toString(), "--print-nodes", "missing").out())
        .isEqualTo("m[1-2],n[2,4]\n");
    ExternalTool.orSkip("nodeset");
    WholeRun none = audit(INPUT, "--expect", "clush:no-such-group-here");
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err()).contains("--expect clush:no-such-group-here: ");
  }

  @Test
  void whatIsNoSetOfNodesIsRefused() {
    for (String word : List.of("n[", "/no/such/file", "")) {
      WholeRun run = audit(INPUT, "--expect", word);
      assertThat(run.status()).as(word).isEqualTo(2);
      assertThat(run.err()).as(word).contains("--expect");
    }
  }

  @Test
  void whoAnsweredUnaskedIsNamed() {
    assertThat(audit(INPUT, "--expect", "n[2-3]").messages()).contains("unexpected nodes: n1");
  }

  @Test
  void oneNodeAloneIsToldWhichKernelToBoot() throws IOException {
    String fits = kernel("fits", 5);
    String refuses = kernel("refuses", 6);
    String input = node("n1", 5) + node("n2", 6) + "clush: n3: exited with exit code 9\n";
    WholeRun run = audit(input, "--node", "n1", "--kernel", fits, "--kernel", refuses);
    assertThat(run.out())
        .startsWith("Best kernel: " + fits + ": 1 node once it is installed\n")
        .contains("\n" + refuses + "  ")
        .doesNotContain("n2", "n3")
        .endsWith("\n1 node in 1 group\n");
    WholeRun silent = audit(input, "--node", "n3");
    assertThat(silent.status()).isEqualTo(2);
    assertThat(silent.out()).startsWith("No answer (exit code 9): n3\n");
  }

  @Test
  void setsOfNodesArePrintedForOtherPrograms() throws IOException {
    String kernel = kernel("fits", 5);
    String input = node("n1", 5) + node("n2", 6) + node("n3", 5) + new NodeLines(OLD).line("n4");
    for (String[] asked :
        new String[][] {
          {"ready:", ""},
          {"link:", ""},
          {"install:", "n[1,3-4]"},
          {"rebuild:", ""},
          {"blocked:", "n2"},
          {"undetermined:", ""},
          {"canaries:", ""},
        }) {
      WholeRun run = audit(input, "--kernel", kernel, "--print-nodes", asked[0] + kernel);
      assertThat(run.out()).as(asked[0]).isEqualTo(asked[1] + "\n");
      assertThat(run.status()).isEqualTo(1);
    }
    assertThat(audit(input, "--kernel", kernel, "--print-nodes", "ready:other").status())
        .isEqualTo(2);
    assertThat(audit(input, "--print-nodes", "all").status()).isEqualTo(2);
    assertThat(
            audit(
                    input + "n5: {\n",
                    "--kernel",
                    kernel,
                    "--print-nodes",
                    "broken",
                    "--print-nodes",
                    "undetermined",
                    "--print-nodes",
                    "good")
                .out())
        .isEqualTo("n2\nn5\n\n");
  }
}
