package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** However an audit is divided, and in whatever tree its parts are merged: the same bytes. */
class AuditPlanProperties {
  private static final List<String> RELEASES = List.of("6.1.0-8", "6.1.0-9", "6.1.0-10");
  private static final List<String> SECURITY =
      List.of(
          "",
          "\"lockdown\":\"none\",\"enforced\":false",
          "\"lockdown\":\"integrity\"",
          "\"enforced\":true",
          "\"secureBoot\":\"enabled\"");
  private static final List<String> SYMBOLS = List.of("_printk", "kfree", "ether_setup");

  @Property(tries = 40)
  void anyPlanAndAnyTreeOfMergesIsTheWhole(
      @ForAll Random random,
      @ForAll @IntRange(min = 1, max = 4) int kernels,
      @ForAll @IntRange(min = 1, max = 12) int parts)
      throws IOException {
    Path directory = Files.createTempDirectory("plan");
    try {
      byte[] input = (cluster(random) + "damaged {\n").getBytes(StandardCharsets.UTF_8);
      List<String> words = new ArrayList<>(List.of("-", "--expect", "cn[0-12]"));
      for (int i = 0; i < kernels; i++) {
        words.addAll(List.of("--kernel", kernel(directory.resolve("k" + i), random)));
      }
      words.addAll(List.of("--kernel", directory.resolve("missing").toString()));
      String plan = directory.resolve("plan").toString();
      List<String> whole = new ArrayList<>(List.of("audit", "--format", "json"));
      List<String> planned =
          new ArrayList<>(List.of("audit", "plan", "--directory", plan, "--parts", "" + parts));
      whole.addAll(words);
      planned.addAll(words);
      WholeRun expected = run(input, whole);
      assertThat(expected.out()).contains("\"verdicts\":[", "\"missing\":[{");
      assertThat(run(input, planned).status()).isZero();
      List<String> results = judged(Path.of(plan));
      assertThat(results).hasSizeBetween(1, parts);
      int rest = 1 + random.nextInt(3);
      while (results.size() > rest) {
        merge(results, directory.resolve("merged" + results.size()), random);
      }
      List<String> last =
          new ArrayList<>(List.of("audit", "merge", "--plan", plan, "--format", "json"));
      last.addAll(results);
      WholeRun merged = run(new byte[0], last);
      assertThat(merged.out()).isEqualTo(expected.out());
      assertThat(merged.status()).isEqualTo(expected.status());
      assertThat(merged.err()).contains("missing").doesNotContain("\tat ");
    } finally {
      remove(directory);
    }
  }

  private static List<String> judged(Path plan) throws IOException {
    List<String> results = new ArrayList<>();
    try (var files = Files.list(plan)) {
      for (Path part : files.filter(file -> file.toString().contains("part-")).toList()) {
        String result = part.toString().replace("part-", "result-");
        assertThat(WholeRun.of("audit", "judge", part.toString(), "-o", result).status()).isZero();
        results.add(result);
      }
    }
    return results;
  }

  /** Puts one result in the place of some of them. */
  private static void merge(List<String> results, Path merged, Random random) {
    Collections.shuffle(results, random);
    List<String> some = results.subList(0, 2 + random.nextInt(results.size() - 1));
    List<String> words = new ArrayList<>(List.of("audit", "merge", "-o", merged.toString()));
    words.addAll(some);
    assertThat(run(new byte[0], words).status()).isZero();
    some.clear();
    results.add(merged.toString());
  }

  private static WholeRun run(byte[] input, List<String> words) {
    return WholeRun.reading(input, words.toArray(new String[0]));
  }

  private static String cluster(Random random) {
    StringBuilder lines = new StringBuilder();
    int nodes = 1 + random.nextInt(12);
    for (int i = 0; i < nodes; i++) {
      NodeLines node = new NodeLines(RELEASES.get(random.nextInt(RELEASES.size())));
      for (String release : RELEASES) {
        for (String name : List.of("a", "b")) {
          if (random.nextInt(3) > 0) {
            node.told(release, module(name, release, random));
          }
        }
      }
      node.security(SECURITY.get(random.nextInt(SECURITY.size())));
      if (random.nextInt(4) == 0) {
        node.withoutTables();
      }
      lines.append(node.line("cn" + i)).append('\n');
    }
    return lines.toString();
  }

  private static Told module(String name, String release, Random random) {
    Told module = new Told(name, release + " SMP mod_unload modversions ");
    module.version("module_layout", 1);
    for (String symbol : SYMBOLS) {
      if (random.nextBoolean()) {
        module.version(symbol, 1 + random.nextInt(2));
      }
    }
    if (random.nextInt(3) > 0) {
      module.unsigned();
    }
    return random.nextBoolean() ? module.export() : module;
  }

  private static String kernel(Path file, Random random) throws IOException {
    SymversBuilder symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1);
    for (String symbol : SYMBOLS) {
      symvers.kernel(symbol, SymversBuilder.Kind.EXPORT_SYMBOL, 1 + random.nextInt(2));
    }
    return Files.write(file, symvers.bytes()).toString();
  }

  private static void remove(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
