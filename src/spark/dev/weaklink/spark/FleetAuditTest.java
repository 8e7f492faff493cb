package dev.weaklink.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.nodeset.NodeSet;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The job, by Spark in this process and on a cluster of three, against one run of weaklink. */
class FleetAuditTest {
  private static final List<String> RELEASES = List.of("6.1.0-8", "6.1.0-9", "6.1.0-10");
  private static final int NODES = 3_000;

  @TempDir static Path directory;
  private static Path program;
  private static List<String> kernels;

  @BeforeAll
  static void prepare() throws IOException {
    System.setProperty("spark.ui.enabled", "false");
    System.setProperty("spark.sql.shuffle.partitions", "4");
    String run =
        "#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
            + System.getProperty("java.class.path")
            + "' dev.weaklink.cli.Main \"$@\"\n";
    program = Files.writeString(directory.resolve("weaklink"), run);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    kernels = List.of("--kernel", kernel("k5", 5), "--kernel", kernel("k6", 6));
  }

  @AfterAll
  static void clear() {
    System.getProperties().keySet().removeIf(key -> key.toString().startsWith("spark."));
  }

  private static String kernel(String name, int kfree) throws IOException {
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
            .kernel("kfree", SymversBuilder.Kind.EXPORT_SYMBOL, kfree)
            .bytes();
    return Files.write(directory.resolve(name), symvers).toString();
  }

  /** Some thousand nodes of a few dozen kinds. */
  private static List<String> lines() {
    Random random = new Random(7);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      NodeLines node = new NodeLines(RELEASES.get(random.nextInt(3)));
      for (String release : RELEASES) {
        int crc = 5 + random.nextInt(2);
        if (random.nextInt(3) > 0) {
          Told module = new Told("a", release + " SMP mod_unload modversions ");
          node.told(release, module.version("module_layout", 1).version("kfree", crc));
        }
      }
      lines.add(node.line("cn" + i));
    }
    return lines;
  }

  private static List<String> audited(Path inventories) throws Exception {
    List<String> command = new ArrayList<>(List.of(program.toString(), "audit", inventories + ""));
    command.addAll(List.of("--format", "ndjson"));
    command.addAll(kernels);
    Path out = directory.resolve("whole.ndjson");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(process.waitFor()).isEqualTo(1);
    return Files.readAllLines(out);
  }

  private static List<String> of(List<String> lines, String... keys) {
    List<String> found = new ArrayList<>();
    for (String key : keys) {
      String beginning = "{\"schema\":\"weaklink.audit-part/1\",\"" + key + "\":";
      lines.stream().filter(line -> line.startsWith(beginning)).forEach(found::add);
    }
    return found;
  }

  private static void run(String input, String output) throws Exception {
    List<String> words = new ArrayList<>(List.of(input, output, "6", program.toString()));
    words.addAll(kernels);
    FleetAudit.main(words.toArray(new String[0]));
  }

  /** A master here, and two workers that start a process each, as a cluster's do. */
  private static void useCluster() {
    System.setProperty("spark.master", "local-cluster[2,1,1024]");
    System.setProperty("spark.executor.memory", "1g");
    System.setProperty("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    // Spark need not be installed for it: its jars are on the class path.
    System.setProperty("spark.testing", "true");
    System.setProperty("spark.test.home", directory.toString());
    System.setProperty("spark.executorEnv.SPARK_TESTING", "1");
    System.setProperty("spark.executorEnv.SPARK_SCALA_VERSION", "2.13");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tablesSayWhatOneRunSays(boolean onCluster) throws Exception {
    System.setProperty("spark.master", "local[2]");
    if (onCluster) {
      useCluster();
    }
    Path directory = Files.createTempDirectory(FleetAuditTest.directory, "run");
    List<String> lines = new ArrayList<>(lines());
    Path text = Files.write(directory.resolve("nodes.ndjson"), lines);
    List<String> whole = audited(text);
    assertThat(of(whole, "verdict").size()).isGreaterThan(8);
    String output = directory.resolve("tables").toString();
    run(text.toString(), output);
    List<String> fromSpark = Files.readAllLines(Path.of(output, "audit.ndjson"));
    assertThat(of(fromSpark, "target", "set", "verdict"))
        .isEqualTo(of(whole, "target", "set", "verdict"));
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      assertSafety(spark, output, of(whole, "kernel"));
      assertThat(spark.read().parquet(output + "/nodes").count()).isEqualTo(NODES);
    }
    String parquet = directory.resolve("nodes.parquet").toString();
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      Dataset<Row> nodes = spark.read().parquet(output + "/nodes");
      nodes.select("node", "inventory").write().parquet(parquet);
    }
    String again = directory.resolve("again").toString();
    run(parquet, again);
    assertThat(Path.of(again, "audit.ndjson")).hasSameTextualContentAs(Path.of(output, "audit.ndjson"));
  }

  private static void assertSafety(SparkSession spark, String output, List<String> lines)
      throws Exception {
    spark.read().parquet(output + "/safety").createOrReplaceTempView("safety");
    assertThat(lines).hasSize(2);
    for (String line : lines) {
      JsonNode kernel = new ObjectMapper().readTree(line).get("kernel");
      for (String status : List.of("ready", "unsafe", "unknown")) {
        List<String> nodes = new ArrayList<>();
        for (Row row :
            spark
                .sql(
                    "SELECT node FROM safety WHERE target = "
                        + kernel.get("target").asInt()
                        + " AND status = '"
                        + status
                        + "'")
                .collectAsList()) {
          nodes.add(row.getString(0));
        }
        String expected = kernel.get(status).asText();
        assertThat(nodes.isEmpty() ? "" : NodeSet.fold(nodes)).as(status).isEqualTo(expected);
      }
    }
  }
}
