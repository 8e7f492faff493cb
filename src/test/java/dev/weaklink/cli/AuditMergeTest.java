package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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

  @Test
  void partsOfDifferentAuditsAreNotMerged() throws IOException {
    String one = saved("one", audit(node("cn1"), "--shard", "1/2"));
    String other = saved("other", audit(node("cn2"), "--shard", "2/2"));
    assertThat(WholeRun.of("audit", "merge", one, other).messages())
        .contains("these are parts of different audits");
    assertThat(WholeRun.of("audit", "merge", one, one).messages())
        .contains("part 1 is there twice, or cannot be");
    WholeRun missing = WholeRun.of("audit", "merge", one);
    assertThat(missing.messages()).contains("one is part 1 of 2, but 1 were given");
    assertThat(missing.status()).isEqualTo(2);
    String whole = saved("whole", audit(node("cn1")));
    assertThat(WholeRun.of("audit", "merge", whole).messages())
        .contains("one is no part: it was made without --shard");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"schema\":\"weaklink.gate/1\"}",
        "{\"schema\":\"weaklink.audit/1\"}",
        "{\"schema\":\"weaklink.audit/1\",\"targets\":[1],\"sets\":[]}",
      })
  void whatIsNoAuditIsRefusedInOneLine(String text) throws IOException {
    String file = Files.writeString(directory.resolve("file"), text).toString();
    WholeRun run = WholeRun.of("audit", "merge", file);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages().get(0)).startsWith(file + ": ");
    assertThat(run.err()).doesNotContain("\tat ");
  }

  @Test
  void everyCutOfAnAuditIsRefused() throws IOException {
    String document = audit(node("cn1"), "--shard", "1/1").out().stripTrailing();
    Path file = directory.resolve("cut");
    for (int length = 0; length < document.length(); length += 7) {
      Files.writeString(file, document.substring(0, length));
      assertThat(WholeRun.of("audit", "merge", file.toString()).status()).isEqualTo(2);
    }
  }

  @Test
  void anIdThatIsNoPlaceInItsListIsRefused() throws IOException {
    String document = audit(node("cn1"), "--shard", "1/1").out();
    String file =
        Files.writeString(
                directory.resolve("bad"), document.replace("\"target\":0", "\"target\":9"))
            .toString();
    WholeRun run = WholeRun.of("audit", "merge", file);
    assertThat(run.messages()).contains(file + ": is no audit: there is no target '9'");
    assertThat(run.status()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0/2", "3/2", "1", "/", "a/b", "1/99999999999", "1/20000"})
  void aPartIsOneOfSoMany(String part) {
    assertThat(audit(node("cn1"), "--shard", part).messages())
        .contains("--shard takes I/N, such as 3/8, not '" + part + "'");
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

  @Test
  void aPartCannotBeAnEarlierAuditNorATable() throws IOException {
    String part = saved("part", audit(node("cn1"), "--shard", "1/2"));
    assertThat(audit(node("cn1"), "--baseline", part).messages())
        .contains(part + ": is only a part of an audit; merge the parts first");
    assertThat(WholeRun.reading(new byte[0], "audit", "-", "--shard", "1/2").messages())
        .contains("--shard makes a part to be merged; give --format json");
  }
}
