package dev.weaklink.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.hash;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.regexp_extract;
import static org.apache.spark.sql.functions.regexp_replace;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the job on a master and two workers, each in its own process, against one run of weaklink.
 */
class FleetAuditTest {
  private static final int NODES = Integer.getInteger("weaklink.nodes", 20_000);
  private static final int KINDS = 60;
  private static final int SYMBOLS = 400;
  private static final List<String> STATES =
      List.of("ready", "link", "install", "rebuild", "blocked", "undetermined");
  private static final List<String> RELEASES = List.of("6.1.0-53", "6.1.0-54", "6.1.0-55");

  @TempDir static Path directory;
  private final ObjectMapper json = new ObjectMapper();

  @AfterAll
  static void clear() {
    System.getProperties().keySet().removeIf(key -> key.toString().startsWith("spark."));
  }

  /**
   * Returns a CRC. Kernels differ in the CRCs of some symbols, so that each kernel loads some of
   * the modules.
   */
  private static int crc(int kernel, int symbol) {
    return symbol % 40 == kernel ? 1000 + kernel : symbol;
  }

  private static String kernel(int number) throws IOException {
    SymversBuilder symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1);
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
      symvers.kernel("symbol_" + symbol, SymversBuilder.Kind.EXPORT_SYMBOL, crc(number, symbol));
    }
    return Files.write(directory.resolve("kernel" + number), symvers.bytes()).toString();
  }

  /** Adds twenty modules that import symbols like drivers, built for a release. */
  private static void addModules(NodeLines node, Random random, int release, int kept) {
    for (int m = 0; m < 20; m++) {
      Told module =
          new Told("drv" + m, RELEASES.get(release) + " SMP mod_unload modversions ")
              .version("module_layout", 1)
              .export();
      int offset = random.nextInt(SYMBOLS);
      for (int i = 0; i < 60; i++) {
        int symbol = (offset + 7 * i) % SYMBOLS;
        module.version("symbol_" + symbol, crc(random.nextInt(8) == 0 ? release : 9, symbol));
      }
      if (m < kept) {
        node.told(RELEASES.get(release), module);
      }
    }
  }

  private static Path inventories() throws IOException {
    List<NodeLines> kinds = new ArrayList<>();
    for (int kind = 0; kind < KINDS; kind++) {
      Random random = new Random(kind % 20);
      int running = random.nextInt(2);
      NodeLines node = new NodeLines(RELEASES.get(running));
      addModules(node, random, running, 20);
      if (kind % 3 > 0) {
        node.kernel(RELEASES.get(2));
        addModules(node, random, 2, kind % 3 == 1 ? 20 : 15);
      }
      if (kind % 7 == 0) {
        node.danglingLink(RELEASES.get(running), "gone");
      }
      kinds.add(node.security(kind % 4 == 0 ? "\"lockdown\":\"integrity\"" : ""));
    }
    Random random = new Random(7);
    Path file = directory.resolve("nodes.ndjson");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < NODES; i++) {
        String line = kinds.get(random.nextInt(KINDS)).line("cn" + i);
        if (i > NODES / 10) {
          line = withoutTables(line);
        }
        boolean builds = random.nextInt(5) == 0;
        out.write(builds ? line.replace("\"dkms\":[]", "\"dkms\":[{\"module\":\"drv3\",\"version\":\"1\"}]") : line);
        out.newLine();
      }
      out.write(kinds.get(0).line("twice") + "\n" + kinds.get(1).line("twice") + "\nBanner\n");
      String same = kinds.get(0).line("same");
      out.write(same + "\n" + same + "\n" + withoutTables(same) + "\n");
    }
    return file;
  }

  /** Only some nodes report the symbol tables of modules that all nodes have. */
  private static String withoutTables(String line) {
    return line.replaceFirst(",\"tables\":\\[.*?\\]\\}\\]", "");
  }

  @Test
  void tablesEqualTheResultOfOneRun() throws Exception {
    String program =
        "#!/bin/sh\nexec java -Xmx1g -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
            + System.getProperty("java.class.path")
            + "' dev.weaklink.cli.Main \"$@\"\n";
    Path weaklink = Files.writeString(directory.resolve("weaklink"), program);
    assertThat(weaklink.toFile().setExecutable(true)).isTrue();
    List<String> kernels = List.of("--kernel", kernel(0), "--kernel", kernel(1), "--kernel", kernel(2));
    Path nodes = inventories();
    Path whole = directory.resolve("whole.ndjson");
    List<String> words = new ArrayList<>(List.of(weaklink.toString(), "audit", nodes.toString()));
    words.addAll(List.of("--format", "ndjson", "-o", whole.toString()));
    words.addAll(kernels);
    long start = System.nanoTime();
    assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isEqualTo(1);
    long alone = System.nanoTime();

    useCluster();
    Path expected = Files.writeString(directory.resolve("expected"), "cn1\ncn2\nabsent\n");
    List<String> job = new ArrayList<>(List.of(nodes.toString(), directory + "/tables", "6"));
    job.addAll(List.of(expected.toString(), weaklink.toString()));
    job.addAll(kernels);
    FleetAudit.main(job.toArray(new String[0]));
    System.out.printf(
        "%d nodes: one run %.1f s, job %.1f s%n",
        NODES, (alone - start) / 1e9, (System.nanoTime() - alone) / 1e9);

    System.setProperty("spark.master", "local[2]");
    job.set(0, asParquet(nodes));
    job.set(1, directory + "/of-parquet");
    FleetAudit.main(job.toArray(new String[0]));
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      assertSame(spark, new Whole(whole));
      assertThat(rows(table(spark, "problems"), "node", "problem"))
          .containsExactly(" no inventory that names its node", "twice contradictory answers");
      assertThat(rows(table(spark, "missing"), "node")).containsExactly("absent");
      assertSameOfParquet(spark);
    }
  }

  /**
   * Writes the same lines as a table, with every other inventory without its node's name. Adds two
   * nodes whose inventories are invalid.
   */
  private static String asParquet(Path lines) {
    String file = directory + "/nodes.parquet";
    Column name = regexp_extract(col("value"), "\"node\":\"([^\"]*)\",", 1);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      spark
          .read()
          .text(lines.toString())
          .coalesce(1)
          .select(
              when(name.notEqual(""), name).as("node"),
              when(hash(name).mod(2).equalTo(0), col("value"))
                  .otherwise(regexp_replace(col("value"), "\"node\":\"[^\"]*\",", ""))
                  .as("inventory"))
          .union(spark.sql("select 'down' as node, null as inventory"))
          .union(spark.sql("select 'shell' as node, 'bash: not found' as inventory"))
          .coalesce(1)
          .write()
          .parquet(file);
    }
    return file;
  }

  private static void assertSameOfParquet(SparkSession spark) {
    for (String name : List.of("states", "verdicts", "kernels", "steps", "wrong", "missing")) {
      assertThat(all(spark, "of-parquet", name)).as(name).isEqualTo(all(spark, "tables", name));
    }
    Column others = col("node").isin("down", "shell");
    Dataset<Row> nodes = spark.read().parquet(directory + "/of-parquet/nodes");
    assertThat(rows(nodes.filter(not(others)), "node", "kind"))
        .isEqualTo(rows(table(spark, "nodes"), "node", "kind"));
    assertThat(rows(spark.read().parquet(directory + "/of-parquet/problems"), "node", "problem"))
        .containsExactly(
            " no inventory that names its node",
            "down its inventory cannot be read",
            "shell its inventory cannot be read",
            "twice contradictory answers");
  }

  private static List<String> all(SparkSession spark, String tables, String name) {
    Dataset<Row> table = spark.read().parquet(directory + "/" + tables + "/" + name);
    String[] columns = table.columns();
    return rows(table, columns[0], Arrays.copyOfRange(columns, 1, columns.length));
  }

  private void assertSame(SparkSession spark, Whole whole) {
    assertThat(rows(table(spark, "kernels"), "target", "state", "nodes")).isEqualTo(sorted(whole.counts));
    assertThat(rows(table(spark, "verdicts").filter("nodes > 0"), "kernel", "digest", "target", "state", "reason", "counts", "nodes"))
        .isEqualTo(sorted(whole.verdicts))
        .hasSizeGreaterThan(100);
    assertThat(rows(table(spark, "wrong"), "kernel", "subject", "nodes")).isEqualTo(sorted(whole.wrong));
    Dataset<Row> states = table(spark, "states").join(table(spark, "nodes"), "kind");
    SortedMap<String, List<String>> found = new TreeMap<>();
    for (Row row : states.select("target", "state", "node").collectAsList()) {
      found.computeIfAbsent(row.getString(0) + " " + row.getString(1), key -> new ArrayList<>()).add(row.getString(2));
    }
    Map<String, String> folded = new TreeMap<>();
    found.forEach((key, names) -> folded.put(key, Nodes.of(names).folded()));
    assertThat(folded).isEqualTo(whole.states);
  }

  private static List<String> sorted(Map<String, Long> counts) {
    TreeSet<String> lines = new TreeSet<>();
    counts.forEach((key, nodes) -> lines.add(key + " " + nodes));
    return List.copyOf(lines);
  }

  private static Dataset<Row> table(SparkSession spark, String name) {
    return spark.read().parquet(directory + "/tables/" + name);
  }

  private static List<String> rows(Dataset<Row> table, String first, String... more) {
    List<String> rows = new ArrayList<>();
    for (Row row : table.select(first, more).collectAsList()) {
      rows.add(row.mkString(" "));
    }
    rows.sort(null);
    return rows;
  }

  /** The result of one run, in the columns of the tables. */
  private final class Whole {
    final Map<String, Long> counts = new TreeMap<>();
    final Map<String, Long> verdicts = new TreeMap<>();
    final Map<String, Long> wrong = new TreeMap<>();
    final Map<String, String> states = new TreeMap<>();
    private final Map<Integer, String> targets = new TreeMap<>();
    private final Map<Integer, JsonNode> sets = new TreeMap<>();
    private final Map<Integer, Long> have = new TreeMap<>();
    /**
     * The number of nodes by module set. Sets of the same modules under different policies count as
     * one.
     */
    private final Map<String, Long> haveAll = new TreeMap<>();

    Whole(Path file) throws IOException {
      for (String line : Files.readAllLines(file)) {
        JsonNode said = json.readTree(line);
        if (said.has("target")) {
          targets.put(said.at("/target/id").asInt(), said.at("/target/label").asText());
        } else if (said.has("set")) {
          sets.put(said.at("/set/id").asInt(), said.get("set"));
        } else if (said.has("group")) {
          JsonNode group = said.get("group");
          have.put(group.get("set").asInt(), group.get("count").asLong());
          haveAll.merge(key(group.get("set").asInt()), group.get("count").asLong(), Long::sum);
          group.get("defects").forEach(
              defect ->
                  wrong.merge(
                      group.get("kernel").asText() + " " + defect.get("subject").asText(),
                      group.get("count").asLong(),
                      Long::sum));
        } else if (said.has("verdict")) {
          add(said.get("verdict"));
        } else if (said.has("kernel")) {
          JsonNode kernel = said.get("kernel");
          for (String state : STATES) {
            if (kernel.get(state).get("count").asLong() > 0) {
              String key = targets.get(kernel.get("target").asInt()) + " " + state;
              counts.put(key, kernel.get(state).get("count").asLong());
              states.put(key, kernel.get(state).get("nodes").asText());
            }
          }
        }
      }
    }

    private String key(int set) {
      return sets.get(set).get("kernel").asText() + " " + sets.get(set).get("digest").asText();
    }

    private void add(JsonNode verdict) {
      int set = verdict.get("set").asInt();
      if (have.containsKey(set)) {
        verdicts.put(
            String.join(
                " ",
                key(set),
                targets.get(verdict.get("target").asInt()),
                verdict.get("state").asText(),
                verdict.get("reason").asText(),
                verdict.get("loads").asText(),
                verdict.get("fails").asText(),
                verdict.get("undetermined").asText()),
            haveAll.get(key(set)));
      }
    }
  }

  /**
   * Configures a master in this process, and two workers that start one process each, as in a
   * cluster.
   */
  private static void useCluster() {
    System.setProperty("spark.ui.enabled", "false");
    System.setProperty("spark.sql.shuffle.partitions", "4");
    System.setProperty("spark.master", "local-cluster[2,1,1024]");
    System.setProperty("spark.executor.memory", "1g");
    System.setProperty("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    // Spark need not be installed, because its jars are on the class path.
    System.setProperty("spark.testing", "true");
    System.setProperty("spark.test.home", directory.toString());
    System.setProperty("spark.executorEnv.SPARK_TESTING", "1");
    System.setProperty("spark.executorEnv.SPARK_SCALA_VERSION", "2.13");
  }
}
