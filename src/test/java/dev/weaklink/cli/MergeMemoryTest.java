package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a merge holds in memory of answers, however many there are and whatever they say. */
class MergeMemoryTest {
  private static final int SETS = 300;
  private static final int KERNELS = 200;

  /** Less than 200 bytes for each answer and all else that a Java machine needs. */
  private static final String HEAP = "-Xmx24m";

  @TempDir Path directory;

  @Test
  void sixtyThousandDifferentAnswersFitIntoASmallHeap() throws Exception {
    String plan = directory.resolve("plan").toString();
    List<String> words =
        new ArrayList<>(List.of("audit", "plan", "-", "--parts", "1", "--directory", plan));
    for (int kernel = 0; kernel < KERNELS; kernel++) {
      words.addAll(List.of("--kernel", "k" + kernel));
    }
    assertThat(WholeRun.reading(nodes(), words.toArray(new String[0])).status()).isZero();
    String head = Files.readAllLines(Path.of(plan, "nodes.ndjson")).get(0);
    Path result = writeResult(head.replaceAll(".*\"plan\":\"([0-9a-f]+)\".*", "$1"));
    Path report = directory.resolve("report.csv");
    merge(List.of("--plan", plan, "--format", "csv", result.toString()), report, 1);
    try (var lines = Files.lines(report)) {
      assertThat(lines.filter(line -> line.startsWith("verdict,"))).hasSize(SETS * KERNELS);
    }
    Path merged = directory.resolve("merged.ndjson");
    merge(List.of(result.toString()), merged, 0);
    assertThat(merged).hasSameBinaryContentAs(result);
  }

  private static byte[] nodes() {
    StringBuilder lines = new StringBuilder();
    for (int set = 0; set < SETS; set++) {
      lines.append(new NodeLines("6.1.0").module("6.1.0", "core", "S" + set).line("cn" + set));
      lines.append('\n');
    }
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Each answer has reasons of its own. */
  private Path writeResult(String plan) throws IOException {
    Path result = directory.resolve("result.ndjson");
    try (BufferedWriter out = Files.newBufferedWriter(result)) {
      out.write(
          "{\"schema\":\"weaklink.audit-result/1\",\"plan\":\"%s\",\"of\":1,\"lines\":%d,\"parts\":[1],\"targets\":["
              .formatted(plan, SETS * KERNELS));
      for (int kernel = 0; kernel < KERNELS; kernel++) {
        out.write(
            "%s{\"label\":\"%03d\",\"source\":\"symvers\",\"notes\":[]}"
                .formatted(kernel == 0 ? "" : ",", kernel));
      }
      out.write("],\"problems\":[]}\n");
      for (int i = 0; i < SETS * KERNELS; i++) {
        String message = "core: disagrees about version of symbol s" + i + "x".repeat(200);
        out.write(
            "{\"loads\":0,\"fails\":1,\"undetermined\":0,\"reason\":\"%1$s\",\"modules\":[{\"module\":\"core\",\"outcome\":\"INCOMPATIBLE\",\"errno\":\"EINVAL\",\"findings\":[{\"layer\":\"symbol-crc\",\"id\":\"symbol.crc-mismatch\",\"symbol\":\"s%2$d\",\"message\":\"%1$s\"}]}],\"causes\":[],\"unchecked\":[],\"on\":[{\"target\":%3$d,\"sets\":[%4$d]}]}\n"
                .formatted(message, i, i / SETS, i % SETS));
      }
    }
    return result;
  }

  private void merge(List<String> words, Path to, int expected) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weaklink.cli.Main",
                "audit",
                "merge",
                "-o",
                to.toString()));
    command.addAll(words);
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(errors.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(errors)).isEqualTo(expected);
  }
}
