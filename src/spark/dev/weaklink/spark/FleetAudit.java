package dev.weaklink.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.length;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.regexp_extract;
import static org.apache.spark.sql.functions.regexp_replace;
import static org.apache.spark.sql.functions.sha2;
import static org.apache.spark.sql.functions.udf;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.types.DataTypes;

/**
 * Audits the inventories of a fleet, and writes tables: {@code FleetAudit INPUT OUTPUT PARTS
 * PROGRAM OPTION...}.
 *
 * <p>INPUT is Parquet with columns {@code node} and {@code inventory}, or text, one line of
 * weaklink-collect each. Spark finds equal inventories and knows which nodes have them; weaklink
 * (PROGRAM, on the driver and on every executor) plans an audit of those that differ, judges its
 * parts, and merges the results. So the driver holds what differs, and never the nodes. OPTIONs are
 * those of 'weaklink audit plan' about kernels, which executors read by the same names.
 *
 * <p>OUTPUT gets Parquet tables: {@code nodes} (node, kind, inventory), {@code targets}, {@code
 * sets}, {@code verdicts}, {@code kernels}, as the lines of 'weaklink audit --format ndjson' have
 * them for one node of each kind, and {@code safety} (node, target, status: ready, unsafe,
 * unknown). Lines without a node's name are left out, and their number is printed.
 */
public final class FleetAudit {
  private static final String BEGINNING = "{\"schema\":\"weaklink.node/1\",";
  private static final String NAMED =
      "^\\{\"schema\":\"weaklink\\.node/1\",\"node\":\"([A-Za-z0-9_.:+-]+)\",";
  private static final String RULE = "-".repeat(15) + '\n';

  private final SparkSession spark;
  private final String output;
  private final int parts;
  private final String program;
  private final List<String> options;

  private FleetAudit(SparkSession spark, List<String> words) {
    this.spark = spark;
    this.output = words.get(1);
    this.parts = Integer.parseInt(words.get(2));
    this.program = words.get(3);
    this.options = words.subList(4, words.size());
  }

  public static void main(String[] words) throws Exception {
    try (SparkSession spark = SparkSession.builder().appName("weaklink audit").getOrCreate()) {
      new FleetAudit(spark, List.of(words)).run(words[0]);
    }
  }

  /** Audits what lies at a place. */
  private void run(String input) throws Exception {
    Path local = Files.createTempDirectory("weaklink");
    try {
      Dataset<Row> nodes = nodes(input).cache();
      List<Row> kinds = writeKinds(nodes, local.resolve("kinds"));
      weaklink(program, planWords(local));
      Path plan = local.resolve("plan");
      String shared = output + "/plan";
      copyOut(plan, shared);
      judge(shared, countParts(plan));
      copyIn(shared, plan);
      String lines = mergedLines(local, plan);
      copyOut(Path.of(lines), output + "/audit.ndjson");
      writeTables(nodes, kinds, output + "/audit.ndjson");
    } finally {
      remove(local);
    }
  }

  /** Node, kind (a digest of all but the name), and inventory without the name. */
  private Dataset<Row> nodes(String input) {
    Dataset<Row> all =
        isParquet(input)
            ? spark.read().parquet(input).select("node", "inventory")
            : spark
                .read()
                .text(input)
                .select(
                    regexp_extract(col("value"), NAMED, 1).as("node"),
                    col("value").as("inventory"));
    Dataset<Row> named =
        all.filter(length(col("node")).gt(0))
            .withColumn("inventory", regexp_replace(col("inventory"), NAMED, BEGINNING))
            .withColumn("kind", sha2(col("inventory"), 256));
    long without = all.count() - named.count();
    if (without > 0) {
      System.err.println(without + " lines without a node's name were left out");
    }
    // Of a node that is there twice one line counts, the same in every run.
    return named.join(
        named.groupBy("node").agg(min("kind").as("kind")),
        scala.jdk.javaapi.CollectionConverters.asScala(List.of("node", "kind")).toSeq(),
        "left_semi");
  }

  private boolean isParquet(String input) {
    return input.endsWith(".parquet");
  }

  /** Writes one node of each kind, as clush -b would print them; gives their names and digests. */
  private static List<Row> writeKinds(Dataset<Row> nodes, Path file) throws IOException {
    Dataset<Row> distinct =
        nodes.groupBy("kind").agg(first("inventory").as("inventory")).orderBy("kind");
    List<Row> kinds = new ArrayList<>();
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      for (Iterator<Row> rows = distinct.toLocalIterator(); rows.hasNext(); ) {
        Row row = rows.next();
        String name = "k" + kinds.size();
        out.write(RULE + name + '\n' + RULE + row.getString(1) + '\n');
        kinds.add(RowFactory.create(name, row.getString(0)));
      }
    }
    return kinds;
  }

  private List<String> planWords(Path local) {
    List<String> words =
        new ArrayList<>(
            List.of("audit", "plan", local.resolve("kinds").toString(), "--parts", "" + parts));
    words.addAll(List.of("--directory", local.resolve("plan").toString()));
    words.addAll(options);
    return words;
  }

  private static int countParts(Path plan) throws IOException {
    try (Stream<Path> files = Files.list(plan)) {
      return (int) files.filter(file -> file.getFileName().toString().startsWith("part-")).count();
    }
  }

  /** One task a part; a result lies beside its part. */
  private void judge(String shared, int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int part = 1; part <= count; part++) {
      numbers.add(part);
    }
    String command = program;
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    context
        .parallelize(numbers, Math.max(1, count))
        .foreach(part -> judgeOne(command, shared, part));
  }

  private static void judgeOne(String program, String shared, int part) throws Exception {
    Path local = Files.createTempDirectory("weaklink");
    try {
      Path file = local.resolve("part.ndjson");
      Path result = local.resolve("result.ndjson");
      copyIn(shared + "/part-" + part + ".ndjson", file);
      weaklink(
          program, List.of("audit", "judge", file.toString(), "-o", result.toString(), "-j", "1"));
      copyOut(result, shared + "/result-" + part + ".ndjson");
    } finally {
      remove(local);
    }
  }

  private String mergedLines(Path local, Path plan) throws Exception {
    Path lines = local.resolve("audit.ndjson");
    List<String> words =
        new ArrayList<>(List.of("audit", "merge", "--plan", plan.toString(), "--format", "ndjson"));
    words.addAll(List.of("-o", lines.toString()));
    try (Stream<Path> files = Files.list(plan)) {
      files.map(Path::toString).filter(name -> name.contains("/result-")).forEach(words::add);
    }
    weaklink(program, words);
    return lines.toString();
  }

  private void writeTables(Dataset<Row> nodes, List<Row> kinds, String lines) {
    Dataset<Row> audit = spark.read().json(lines).cache();
    for (String table : List.of("target", "set", "verdict", "kernel")) {
      audit
          .filter(col(table).isNotNull())
          .select(table + ".*")
          .write()
          .mode("overwrite")
          .parquet(output + "/" + table + "s");
    }
    nodes.write().mode("overwrite").parquet(output + "/nodes");
    Dataset<Row> names =
        spark.createDataFrame(
            kinds,
            DataTypes.createStructType(
                List.of(
                    DataTypes.createStructField("name", DataTypes.StringType, false),
                    DataTypes.createStructField("kind", DataTypes.StringType, false))));
    UserDefinedFunction expand =
        udf((UDF1<String, String[]>) FleetAudit::expanded, DataTypes.createArrayType(DataTypes.StringType));
    Dataset<Row> kernels = audit.filter(col("kernel").isNotNull()).select("kernel.*");
    Dataset<Row> safety = null;
    for (String status : List.of("ready", "unsafe", "unknown")) {
      Dataset<Row> some =
          kernels.select(
              explode(expand.apply(col(status))).as("name"),
              col("target"),
              lit(status).as("status"));
      safety = safety == null ? some : safety.union(some);
    }
    safety
        .join(names, "name")
        .join(nodes.select("node", "kind"), "kind")
        .select("node", "target", "status")
        .write()
        .mode("overwrite")
        .parquet(output + "/safety");
  }

  /** The names in a folded set of kinds: {@code k3}, or {@code k[0-2,7]}. */
  static String[] expanded(String folded) {
    List<String> names = new ArrayList<>();
    for (String range : folded.replaceAll("[k\\[\\]]", "").split(",")) {
      if (!range.isEmpty()) {
        String[] ends = range.split("-");
        for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
          names.add("k" + i);
        }
      }
    }
    return names.toArray(new String[0]);
  }

  /** Runs weaklink: 0, 1 and 3 are answers. */
  private static void weaklink(String program, List<String> words) throws Exception {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(words);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    process.getOutputStream().close();
    int status = process.waitFor();
    if (status != 0 && status != 1 && status != 3) {
      throw new IOException(String.join(" ", words) + ": exit status " + status);
    }
  }

  private static void copyOut(Path from, String to) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(to);
    FileSystem files = path.getFileSystem(new Configuration());
    files.delete(path, true);
    files.copyFromLocalFile(new org.apache.hadoop.fs.Path(from.toUri()), path);
  }

  private static void copyIn(String from, Path to) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(from);
    remove(to);
    path.getFileSystem(new Configuration())
        .copyToLocalFile(false, path, new org.apache.hadoop.fs.Path(to.toUri()), true);
  }

  private static void remove(Path top) throws IOException {
    if (Files.exists(top)) {
      try (Stream<Path> files = Files.walk(top)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
