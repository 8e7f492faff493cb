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
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Parts of an audit that are merged are the audit, byte for byte. */
class AuditShardProperties {
  private static final List<String> RELEASES = List.of("6.1.0-8", "6.1.0-9", "6.1.0-10");
  private static final List<String> SECURITY =
      List.of(
          "",
          "\"lockdown\":\"none\",\"enforced\":false",
          "\"lockdown\":\"integrity\"",
          "\"enforced\":true",
          "\"secureBoot\":\"enabled\"");
  private static final List<String> SYMBOLS = List.of("_printk", "kfree", "ether_setup");

  @Property(tries = 30)
  void mergedPartsAreTheWhole(
      @ForAll Random random,
      @ForAll @IntRange(min = 1, max = 4) int kernels,
      @ForAll @IntRange(min = 1, max = 5) int parts)
      throws IOException {
    Path directory = Files.createTempDirectory("shards");
    try {
      byte[] input = cluster(random).getBytes(StandardCharsets.UTF_8);
      List<String> words = new ArrayList<>(List.of("audit", "-", "--format", "json"));
      for (int i = 0; i < kernels; i++) {
        words.add("--kernel");
        words.add(kernel(directory.resolve("k" + i), random));
      }
      WholeRun whole = run(input, words);
      List<String> files = new ArrayList<>();
      for (int i = 1; i <= parts; i++) {
        List<String> part = new ArrayList<>(words);
        part.addAll(List.of("--shard", i + "/" + parts));
        Path file = directory.resolve("part" + i);
        files.add(Files.writeString(file, run(input, part).out()).toString());
      }
      Collections.shuffle(files, random);
      List<String> merge = new ArrayList<>(List.of("audit", "merge", "--format", "json"));
      merge.addAll(files);
      WholeRun merged = run(new byte[0], merge);
      assertThat(merged.err()).isEmpty();
      assertThat(merged.out()).isEqualTo(whole.out());
      assertThat(merged.status()).isEqualTo(whole.status());
      assertThat(whole.out()).contains("\"verdicts\":[");
    } finally {
      remove(directory);
    }
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
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
