package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of audits, and audits beside earlier ones. */
class AuditMergeTest {
  private static final String OLD = "6.1.0-8-test";
  private static final Told MODULE =
      new Told("core", OLD + " SMP mod_unload modversions ")
          .version("module_layout", 1)
          .version("_printk", 5);

  @TempDir Path directory;
  private String kernel = "";

  @BeforeEach
  void writeKernel() throws IOException {
    kernel = kernel(5);
  }

  private String kernel(int printk) throws IOException {
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk)
            .bytes();
    return Files.write(directory.resolve("symvers"), symvers).toString();
  }

  private WholeRun audit(String input, String... more) {
    List<String> words =
        new ArrayList<>(List.of("audit", "-", "--kernel", kernel, "--format", "json"));
    words.addAll(List.of(more));
    return WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
  }

  private String saved(String name, WholeRun run) throws IOException {
    return Files.writeString(directory.resolve(name), run.out()).toString();
  }

  private static String node(String name) {
    return new NodeLines(OLD).told(OLD, MODULE).line(name) + "\n";
  }

  /** Plans an audit in two parts, judges them, and gives the results. */
  private List<String> judged(String name, String input) {
    String plan = directory.resolve(name).toString();
    String[] words = {
      "audit", "plan", "-", "--kernel", kernel, "--parts", "2", "--directory", plan
    };
    WholeRun planned = WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), words);
    assertThat(planned.out()).startsWith("2 parts in " + plan + ": ");
    List<String> results = new ArrayList<>();
    for (String part : List.of("/part-1.ndjson", "/part-2.ndjson")) {
      String result = plan + part.replace("part", "result");
      assertThat(WholeRun.of("audit", "judge", plan + part, "-o", result).status()).isZero();
      results.add(result);
    }
    return results;
  }

  private static String two(String node) {
    return new NodeLines(OLD).kernel("6.1.0-9").told(OLD, MODULE).line(node) + "\n";
  }

  @Test
  void resultsThatDoNotMakeAWholeAreRefused() {
    List<String> one = judged("one", two("cn1"));
    List<String> other = judged("other", two("cn1") + node("cn2").replace("core", "edge"));
    String plan = directory.resolve("one").toString();
    assertThat(WholeRun.of("audit", "merge", one.get(0), other.get(1)).messages())
        .contains(other.get(1) + ": is of another plan");
    assertThat(WholeRun.of("audit", "merge", one.get(0), one.get(0)).messages())
        .contains(one.get(0) + ": part 1 was given before");
    WholeRun missing = WholeRun.of("audit", "merge", "--plan", plan, one.get(0));
    assertThat(missing.messages()).contains("part 2 of 2 is missing; 1 were given");
    assertThat(missing.status()).isEqualTo(2);
    assertThat(WholeRun.of("audit", "merge", "--plan", plan, other.get(0), other.get(1)).messages())
        .contains(plan + "/nodes.ndjson: the results are of another plan");
    assertThat(WholeRun.of("audit", "merge", one.get(0), "--format", "csv").messages())
        .contains("name the plan with --plan DIR for a report");
  }

  @Test
  void aPlanNeedsKernelsNodesAndAnEmptyDirectory() {
    String plan = directory.resolve("plan").toString();
    assertThat(WholeRun.of("audit", "plan", "-", "--directory", plan).messages())
        .contains("name the kernels to judge on with --kernel");
    assertThat(WholeRun.of("audit", "plan", "-", "--kernel", "k").messages())
        .contains("name the directory for the plan with --directory DIR");
    String used = directory.toString();
    assertThat(WholeRun.of("audit", "plan", "-", "--directory", used).messages())
        .contains("--directory " + used + ": is not an empty directory");
    assertThat(WholeRun.of("audit", "plan", "-", "--parts", "0", "--directory", plan).messages())
        .contains("--parts takes a number from 1 to 10000");
    WholeRun none =
        WholeRun.reading(new byte[0], "audit", "plan", "-", "--kernel", "k", "--directory", plan);
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.messages()).contains("no node was found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "{\"schema\":\"weaklink.gate/1\"}", "{\"plan\":\"x\"}"})
  void whatIsNoResultOrPartIsRefusedInOneLine(String text) throws IOException {
    String file = Files.writeString(directory.resolve("file"), text).toString();
    for (String command : List.of("merge", "judge")) {
      WholeRun run = WholeRun.of("audit", command, file);
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.messages().get(0)).startsWith(file + ": ").doesNotContain("wrote: is");
      assertThat(run.err()).doesNotContain("\tat ");
    }
  }

  @Test
  void plansAndResultsAreAsTheirSchemasSay() throws IOException {
    kernel = kernel(6);
    List<String> results = judged("plan", two("cn1") + node("cn2") + "damaged {\n");
    String merged = directory.resolve("merged").toString();
    assertThat(WholeRun.of("audit", "merge", "-o", merged, results.get(0), results.get(1)).status())
        .isZero();
    for (String name : List.of("nodes", "part-1", "part-2")) {
      String head = Files.readAllLines(directory.resolve("plan/" + name + ".ndjson")).get(0);
      assertThat(Schemas.problems(head)).as(name).isEmpty();
      assertThat(Schemas.problems(head.replace("\"part\"", "\"piece\""))).isNotEmpty();
    }
    int answers = 0;
    for (String result : List.of(results.get(0), results.get(1), merged)) {
      for (String line : Files.readAllLines(Path.of(result))) {
        JsonNode json = new ObjectMapper().readTree(line);
        assertThat(Schemas.problems(json, "audit-result")).as(line).isEmpty();
        answers += json.has("on") && !json.get("modules").isEmpty() ? 1 : 0;
        ((ObjectNode) json).put("surprise", 1);
        assertThat(Schemas.problems(json, "audit-result")).isNotEmpty();
      }
    }
    assertThat(answers).as("answers with refused modules").isPositive();
  }

  @Test
  void everyCutOfAPartAndAResultIsRefused() throws IOException {
    judged("plan", two("cn1"));
    String cut = directory.resolve("cut").toString();
    for (String name : List.of("part-1.ndjson", "result-1.ndjson")) {
      String text = Files.readString(directory.resolve("plan/" + name)).stripTrailing();
      for (int length = 0; length < text.length(); length += 7) {
        Files.writeString(Path.of(cut), text.substring(0, length));
        String command = name.startsWith("part") ? "judge" : "merge";
        assertThat(WholeRun.of("audit", command, cut).status()).as(name + length).isEqualTo(2);
      }
    }
  }

  @Test
  void whatIsNewAndFixedSinceAnEarlierAuditIsTold() throws IOException {
    String bad = new NodeLines(OLD).told(OLD, MODULE).danglingLink(OLD, "knem").line("cn2");
    String earlier = saved("earlier", audit(node("cn1") + bad));
    kernel = kernel(6);
    WholeRun run = audit(node("cn1") + node("cn2") + node("cn3"), "--baseline", earlier);
    assertThat(Schemas.problems(run.out())).isEmpty();
    JsonNode changes = new ObjectMapper().readTree(run.out()).get("baseline");
    assertThat(changes.at("/new")).hasSize(1);
    assertThat(changes.at("/new/0/what").asText()).isEqualTo(kernel + " refuses core of " + OLD);
    assertThat(changes.at("/new/0/nodes").asText()).isEqualTo("cn[1-3]");
    assertThat(changes.at("/fixed")).hasSize(1);
    assertThat(changes.at("/fixed/0/what").asText())
        .isEqualTo(OLD + ": knem: the link is dangling");
    assertThat(changes.at("/fixed/0/nodes").asText()).isEqualTo("cn2");
    assertThat(changes.at("/unchanged").asInt()).isZero();
  }

  @Test
  void whatIsNotKnownAnyMoreIsNotFixed() throws IOException {
    kernel = kernel(6);
    String earlier = saved("earlier", audit(node("cn1") + node("cn2")));
    String bare = new NodeLines(OLD).told(OLD, MODULE).withoutTables().line("cn1") + "\n";
    JsonNode changes =
        new ObjectMapper().readTree(audit(bare, "--baseline", earlier).out()).get("baseline");
    assertThat(changes.at("/fixed")).isEmpty();
    JsonNode same =
        new ObjectMapper()
            .readTree(audit(node("cn1"), "--baseline", earlier).out())
            .get("baseline");
    assertThat(same.at("/new")).isEmpty();
    assertThat(same.at("/fixed")).isEmpty();
    assertThat(same.at("/unchanged").asInt()).isEqualTo(1);
  }

  @Test
  void theTableTellsOfChanges() throws IOException {
    String earlier = saved("earlier", audit(node("cn1")));
    WholeRun run =
        WholeRun.reading(
            new NodeLines(OLD)
                .danglingLink(OLD, "knem")
                .line("cn1")
                .getBytes(StandardCharsets.UTF_8),
            "audit",
            "-",
            "--baseline",
            earlier);
    assertThat(run.out())
        .contains(
            "\nSince the earlier audit: 1 thing new, 0 fixed, 0 unchanged\n  new: 6.1.0-8-test:"
                + " knem: the link is dangling on cn1\n");
  }
}
