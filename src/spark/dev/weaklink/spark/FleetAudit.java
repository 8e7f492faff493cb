package dev.weaklink.spark;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.countDistinct;
import static org.apache.spark.sql.functions.crc32;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.regexp_extract;
import static org.apache.spark.sql.functions.regexp_replace;
import static org.apache.spark.sql.functions.sha2;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.udf;
import static org.apache.spark.sql.functions.when;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Audits inventories that do not fit on one machine: {@code FleetAudit INPUT OUTPUT PARTS EXPECTED PROGRAM
 * OPTION...}.
 *
 * <p>INPUT is Parquet if its name ends in {@code .parquet}, with the columns {@code node} and {@code inventory} (a
 * line of weaklink-collect, with or without the node's name), else text with such a line for each node. Spark
 * groups inventories that differ only in the node's name and the symbol tables. It passes one of each group, in PARTS parts, to
 * 'weaklink audit --format ndjson OPTION...'. PROGRAM is the path of weaklink on every executor; kernels and
 * modules have the same paths on all of them. The results of the parts are joined and counted by nodes. EXPECTED
 * is a text file with one node name on each line, or '-'.
 *
 * <p>OUTPUT receives tables in Parquet: {@code nodes} (node, kind), {@code states} (kind, target, state), {@code
 * verdicts} (of sets of modules), {@code kernels} (number of nodes in each state), {@code steps} (what to do, and
 * on how many nodes), {@code wrong} (current defects, and the number of nodes), {@code missing} (expected nodes
 * without an inventory) and {@code problems}. As in 'weaklink audit', a node with two different inventories is a
 * problem, and neither is used; a repeated inventory is not a problem.
 */
public final class FleetAudit {
  private static final String BEGINNING = "{\"schema\":\"weaklink.node/1\",";
  private static final String NAMED =
      "^\\{\"schema\":\"weaklink\\.node/1\",\"node\":\"([A-Za-z0-9_.:+-]+)\",";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** An inventory without its symbol tables, and these tables as a JSON array, or null. */
  private static final StructType CUT =
      new StructType().add("own", DataTypes.StringType).add("tables", DataTypes.StringType);

  /** A digest of a module's file, and the file's symbol table as a JSON object. */
  private static final StructType TABLE =
      new StructType().add("file", DataTypes.StringType).add("table", DataTypes.StringType);

  /** A line of a part: an inventory with its kind, or a symbol table without a kind. */
  private static final StructType PART_LINE =
      new StructType()
          .add("part", DataTypes.IntegerType)
          .add("kind", DataTypes.StringType)
          .add("text", DataTypes.StringType);

  /** The results of one part for one kind of nodes, or for one set of modules. */
  private static final StructType SAID =
      new StructType(
          Stream.of(
                  "record", "kind", "target", "state", "kernel", "digest", "product", "command",
                  "reason", "subject", "counts")
              .map(name -> new StructField(name, DataTypes.StringType, true, null))
              .toArray(StructField[]::new));

  private final SparkSession spark;
  private final String output;
  private final int parts;
  private final List<String> command;

  private FleetAudit(SparkSession spark, List<String> words) {
    this.spark = spark;
    this.output = words.get(1);
    this.parts = Integer.parseInt(words.get(2));
    this.command = List.copyOf(words.subList(4, words.size()));
  }

  public static void main(String[] words) {
    try (SparkSession spark = SparkSession.builder().appName("weaklink audit").getOrCreate()) {
      new FleetAudit(spark, List.of(words)).run(words[0], words[3]);
    }
  }

  private void run(String input, String expected) {
    Dataset<Row> lines = lines(input);
    Dataset<Row> answers =
        lines
            .select("node", "kind")
            .filter(col("node").notEqual(""))
            .distinct()
            .groupBy("node")
            .agg(count(lit(1)).as("kinds"), min("kind").as("kind"))
            .cache();
    Dataset<Row> nodes = answers.filter(col("kinds").equalTo(1)).select("node", "kind");
    Dataset<Row> weights = nodes.groupBy("kind").agg(count(lit(1)).as("nodes")).cache();
    Dataset<Row> said = said(lines, nodes).cache();
    Dataset<Row> read =
        said.filter(col("record").isin("has", "state")).select("kind").distinct();
    Dataset<Row> unread =
        nodes
            .join(read, toSeq("kind"), "left_anti")
            .select(col("node"), lit("its inventory cannot be read").as("problem"));
    Dataset<Row> problems =
        lines
            .filter(col("node").equalTo(""))
            .select(col("node"), lit("no inventory that names its node").as("problem"))
            .union(
                answers
                    .filter(col("kinds").gt(1))
                    .select(col("node"), lit("contradictory answers").as("problem")))
            .union(unread);
    save(nodes, "nodes");
    save(problems, "problems");
    if (!expected.equals("-")) {
      Dataset<Row> names = spark.read().text(expected).toDF("node").distinct();
      save(names.join(nodes, toSeq("node"), "left_anti"), "missing");
    }
    tables(nodes, said, weights, read.join(weights, toSeq("kind")).agg(sum("nodes")).first().getLong(0));
  }

  /**
   * Returns each line with its node (empty if the line names none), its symbol tables and its kind:
   * a digest of the inventory without the node's name and the tables. Lines are not cached: reading
   * them again costs less than moving or caching 13 KB for each node.
   */
  private Dataset<Row> lines(String input) {
    boolean parquet = input.replaceAll("/+$", "").endsWith(".parquet");
    Dataset<Row> all =
        parquet
            ? spark.read().parquet(input)
            : spark.read().text(input).withColumnRenamed("value", "inventory");
    Column node = parquet ? col("node") : regexp_extract(col("inventory"), NAMED, 1);
    UserDefinedFunction cut = udf((UDF1<String, Row>) FleetAudit::cut, CUT);
    return all.select(
            coalesce(node, lit("")).as("node"),
            regexp_replace(coalesce(col("inventory"), lit("")), NAMED, BEGINNING).as("inventory"))
        .withColumn("cut", cut.apply(col("inventory")))
        .select(
            col("node"),
            col("cut.own").as("inventory"),
            col("cut.tables").as("tables"),
            sha2(col("cut.own"), 256).as("kind"));
  }

  /**
   * Separates an inventory from its symbol tables. As in 'weaklink audit', nodes with the same facts are equal even if
   * only one of them reports tables.
   */
  private static Row cut(String inventory) {
    if (inventory.startsWith(BEGINNING) && inventory.contains(",\"tables\":")) {
      try (JsonParser json = JSON.getFactory().createParser(inventory)) {
        json.nextToken();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          int name = (int) json.getTokenLocation().getCharOffset();
          boolean found = json.getCurrentName().equals("tables") && inventory.charAt(name - 1) == ',';
          json.nextToken();
          int start = (int) json.getTokenLocation().getCharOffset();
          json.skipChildren();
          if (found) {
            int end = (int) json.getCurrentLocation().getCharOffset();
            String own = inventory.substring(0, name - 1) + inventory.substring(end);
            return RowFactory.create(own, inventory.substring(start, end));
          }
        }
      } catch (IOException e) {
        // 'weaklink audit' reports the line as damaged.
        return RowFactory.create(inventory, null);
      }
    }
    return RowFactory.create(inventory, null);
  }

  private static scala.collection.immutable.Seq<String> toSeq(String... names) {
    return scala.jdk.javaapi.CollectionConverters.asScala(List.of(names)).toSeq();
  }

  /**
   * Returns the results of the parts for one node of each kind. A part also gets the symbol tables that nodes of other
   * parts, or other nodes of a kind, reported for its modules.
   */
  private Dataset<Row> said(Dataset<Row> lines, Dataset<Row> nodes) {
    List<String> words = command;
    MapPartitionsFunction<Row, Row> audit = rows -> audited(rows, words);
    Dataset<Row> judged = nodes.groupBy("kind").agg(min("node").as("node"));
    Dataset<Row> kinds =
        lines
            .filter(col("inventory").startsWith(BEGINNING))
            .join(judged, toSeq("node", "kind"), "left_semi")
            .select(
                pmod(crc32(col("kind")), lit(parts)).cast("int").as("part"),
                col("kind"),
                col("inventory").as("text"))
            .cache();
    FlatMapFunction<Row, Row> files = FleetAudit::files;
    Dataset<Row> tables =
        kinds
            .flatMap(files, Encoders.row(PART_LINE))
            .distinct()
            .join(tables(lines), col("text").equalTo(col("file")))
            .select(col("part"), col("kind"), col("table").as("text"));
    return kinds
        .union(tables)
        .repartition(parts, col("part"))
        .mapPartitions(audit, Encoders.row(SAID));
  }

  /** Returns one symbol table for each file of a module that has any. */
  private Dataset<Row> tables(Dataset<Row> lines) {
    Dataset<Row> reported =
        lines.filter(col("tables").isNotNull()).withColumn("digest", sha2(col("tables"), 256));
    Dataset<Row> first = reported.groupBy("digest").agg(min("node").as("node"));
    FlatMapFunction<Row, Row> split = row -> split(row.getString(0));
    return reported
        .join(first, toSeq("node", "digest"), "left_semi")
        .select("tables")
        .flatMap(split, Encoders.row(TABLE))
        .groupBy("file")
        .agg(min("table").as("table"));
  }

  private static Iterator<Row> split(String tables) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (JsonNode table : JSON.readTree(tables)) {
      if (table.path("file").isTextual()) {
        rows.add(RowFactory.create(table.get("file").asText(), table.toString()));
      }
    }
    return rows.iterator();
  }

  /** Returns the digests of the modules' files in an inventory, for the part that checks it. */
  private static Iterator<Row> files(Row kind) {
    Set<Row> rows = new HashSet<>();
    try {
      for (JsonNode module : JSON.readTree(kind.getString(2)).path("modules")) {
        if (module.path("digest").isTextual()) {
          rows.add(RowFactory.create(kind.getInt(0), null, module.get("digest").asText()));
        }
      }
    } catch (IOException e) {
      // 'weaklink audit' reports the line as damaged.
      return List.<Row>of().iterator();
    }
    return rows.iterator();
  }

  private static Iterator<Row> audited(Iterator<Row> rows, List<String> command) throws Exception {
    if (!rows.hasNext()) {
      return rows;
    }
    Path local = Files.createTempDirectory("weaklink");
    try {
      Path nodes = local.resolve("nodes.ndjson");
      List<String> digests;
      try (BufferedWriter out = Files.newBufferedWriter(nodes)) {
        digests = write(rows, out);
      }
      Path result = local.resolve("audit.ndjson");
      List<String> words = new ArrayList<>(List.of(command.get(0), "audit", nodes.toString()));
      words.addAll(command.subList(1, command.size()));
      words.addAll(List.of("--format", "ndjson", "-o", result.toString()));
      Process process = new ProcessBuilder(words).inheritIO().start();
      int status = process.waitFor();
      if (status != 0 && status != 1 && status != 3) {
        throw new IOException(String.join(" ", words) + ": exit status " + status);
      }
      Part part = new Part(digests);
      try (BufferedReader lines = Files.newBufferedReader(result)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          part.add(line);
        }
      }
      return part.rows.iterator();
    } finally {
      try (Stream<Path> files = Files.walk(local)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /**
   * Writes the inventories of a part, each with a number as the node's name, and returns the
   * digests of their kinds. A further node without modules, with the next number, reports the
   * tables.
   */
  private static List<String> write(Iterator<Row> rows, BufferedWriter out) throws IOException {
    List<String> digests = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    List<String> tables = new ArrayList<>();
    while (rows.hasNext()) {
      Row row = rows.next();
      if (row.isNullAt(1)) {
        tables.add(row.getString(2));
      } else if (seen.add(row.getString(1))) {
        // A node may have repeated its answer.
        String inventory = row.getString(2).substring(BEGINNING.length());
        out.write(BEGINNING + "\"node\":\"k" + digests.size() + "\"," + inventory + '\n');
        digests.add(row.getString(1));
      }
    }
    String carrier = BEGINNING + "\"node\":\"k" + digests.size() + "\",\"kernels\":[],\"modules\":[],\"tables\":[";
    for (String table : tables) {
      out.write(carrier + table + "]}\n");
    }
    return digests;
  }

  /**
   * The lines of one audit as rows. Targets and sets come before the results that refer to them.
   */
  private static final class Part {
    private final List<String> digests;
    private final Map<Integer, String> targets = new HashMap<>();
    private final Map<Integer, JsonNode> sets = new HashMap<>();
    final List<Row> rows = new ArrayList<>();

    Part(List<String> digests) {
      this.digests = digests;
    }

    void add(String line) throws IOException {
      Map.Entry<String, JsonNode> part = null;
      for (Iterator<Map.Entry<String, JsonNode>> all = JSON.readTree(line).fields(); all.hasNext(); ) {
        part = all.next();
      }
      JsonNode said = part == null ? JSON.createObjectNode() : part.getValue();
      switch (part == null ? "" : part.getKey()) {
        case "target" -> targets.put(said.get("id").asInt(), said.get("label").asText());
        case "set" -> sets.put(said.get("id").asInt(), said);
        case "group" -> group(said);
        case "running" -> wrong(said, said, text(said, "kernel"));
        case "verdict" -> verdict(said);
        case "kernel" -> kernel(said);
        case "action" -> action(said);
        default -> {}
      }
    }

    private void group(JsonNode said) {
      JsonNode set = sets.get(said.get("set").asInt());
      for (String kind : kinds(said)) {
        row("has", kind, null, null, set, null, null, null, null);
      }
      said.get("defects").forEach(defect -> wrong(said, defect, text(set, "kernel")));
    }

    private void wrong(JsonNode said, JsonNode defect, String kernel) {
      for (String kind : kinds(said)) {
        rows.add(
            RowFactory.create(
                "wrong", kind, null, text(defect, "kind"), kernel, null, null, null,
                text(defect, "detail"), text(defect, "subject"), null));
      }
    }

    private void verdict(JsonNode said) {
      String counts = said.get("loads") + " " + said.get("fails") + " " + said.get("undetermined");
      row("verdict", null, target(said), text(said, "state"), set(said), null, text(said, "reason"), null, counts);
    }

    private void kernel(JsonNode said) {
      for (String state : List.of("ready", "install")) {
        for (String kind : kinds(said.get(state))) {
          row("state", kind, target(said), state, null, null, null, null, null);
        }
      }
    }

    private void action(JsonNode said) {
      for (String kind : kinds(said)) {
        row("state", kind, target(said), text(said, "state"), set(said), text(said, "command"), null, null, null);
      }
    }

    private void row(String record, String kind, String target, String state, JsonNode set,
        String command, String reason, String subject, String counts) {
      rows.add(
          RowFactory.create(
              record, kind, target, state, text(set, "kernel"), text(set, "digest"), title(set),
              command, reason, subject, counts));
    }

    private String target(JsonNode said) {
      return targets.get(said.get("target").asInt());
    }

    private JsonNode set(JsonNode said) {
      return sets.get(said.get("set").asInt());
    }

    private static String text(JsonNode said, String key) {
      return said == null || !said.has(key) ? null : said.get(key).asText();
    }

    private static String title(JsonNode set) {
      return text(set, "product");
    }

    private List<String> kinds(JsonNode said) {
      List<String> kinds = new ArrayList<>();
      for (int number : numbers(said.get("nodes").asText())) {
        if (number < digests.size()) {
          kinds.add(digests.get(number));
        }
      }
      return kinds;
    }
  }

  /** Returns the numbers in a folded set of kinds: {@code k3}, or {@code k[0-2,7]}. */
  static List<Integer> numbers(String folded) {
    List<Integer> numbers = new ArrayList<>();
    for (String range : folded.replaceAll("[k\\[\\]]", "").split(",")) {
      if (!range.isEmpty()) {
        String[] ends = range.split("-");
        for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
          numbers.add(i);
        }
      }
    }
    return numbers;
  }

  private void tables(Dataset<Row> nodes, Dataset<Row> said, Dataset<Row> weights, long all) {
    Dataset<Row> weighed = said.join(weights, toSeq("kind"), "left");
    // A set can be rebuilt if a node of any part can build it. A node can be rebuilt only if it can
    // build the set itself.
    Dataset<Row> built =
        said.filter(col("record").equalTo("verdict").and(col("state").equalTo("rebuild")))
            .select(col("target"), col("kernel"), col("digest"), lit(true).as("built"))
            .distinct();
    Column state =
        when(col("built").and(col("state").equalTo("blocked")), "rebuild").otherwise(col("state"));
    Dataset<Row> products =
        said.filter(col("record").equalTo("has"))
            .groupBy("kernel", "digest")
            .agg(
                when(
                        countDistinct(col("product"))
                            .equalTo(1)
                            .and(count(col("product")).equalTo(count(lit(1)))),
                        min("product"))
                    .as("product"));
    Dataset<Row> sets =
        weighed
            .filter(col("record").equalTo("has"))
            .groupBy("kernel", "digest")
            .agg(sum("nodes").as("nodes"));
    save(
        said.filter(col("record").equalTo("verdict"))
            .join(built, toSeq("target", "kernel", "digest"), "left")
            .withColumn("state", state)
            .select("kernel", "digest", "target", "state", "reason", "counts")
            .distinct()
            .join(products, toSeq("kernel", "digest"), "left")
            .join(sets, toSeq("kernel", "digest"), "left"),
        "verdicts");
    Dataset<Row> states =
        weighed
            .filter(col("record").equalTo("state"))
            .drop("product")
            .withColumn("command", max("command").over(Window.partitionBy("target", "state")))
            .cache();
    Dataset<Row> builders =
        states
            .filter(col("state").equalTo("rebuild"))
            .join(nodes.select("kind", "node"), "kind")
            .groupBy("target", "kernel", "digest")
            .agg(min("node").as("builder"))
            .withColumn("state", lit("blocked"));
    save(states.select("kind", "target", "state"), "states");
    save(states.groupBy("target", "state").agg(sum("nodes").as("nodes")), "kernels");
    for (Row kernel : states.groupBy("target").agg(sum("nodes")).collectAsList()) {
      if (kernel.getLong(1) != all) {
        throw new IllegalStateException(
            kernel.getString(0) + " was judged for " + kernel.getLong(1) + " of " + all + " nodes");
      }
    }
    save(
        states
            .filter(col("state").notEqual("ready"))
            .join(products, toSeq("kernel", "digest"), "left")
            .join(builders, toSeq("target", "kernel", "digest", "state"), "left")
            .groupBy("target", "state", "product", "command", "builder")
            .agg(sum("nodes").as("nodes"))
            .orderBy(col("nodes").desc()),
        "steps");
    save(
        weighed
            .filter(col("record").equalTo("wrong"))
            .select(
                col("kernel"), col("state").as("what"), col("subject"), col("reason").as("detail"),
                col("nodes"))
            .groupBy("kernel", "what", "subject", "detail")
            .agg(sum("nodes").as("nodes")),
        "wrong");
  }

  private void save(Dataset<Row> table, String name) {
    table.write().mode("overwrite").parquet(output + "/" + name);
  }
}
