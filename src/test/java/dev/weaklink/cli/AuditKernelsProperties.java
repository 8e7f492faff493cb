package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.NodeLines.Told;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
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
import org.jspecify.annotations.Nullable;

/** What a kernel says does not depend on what other kernels have said before. */
class AuditKernelsProperties {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final List<String> SYMBOLS = List.of("_printk", "kfree", "ether_setup", "b_up");

  @Property(tries = 25)
  void manyKernelsSayWhatEachSaysByItself(
      @ForAll Random random, @ForAll @IntRange(min = 2, max = 8) int kernels) throws IOException {
    Path directory = Files.createTempDirectory("kernels");
    List<Path> files = new ArrayList<>();
    try {
      String input = cluster(random);
      List<String> all = new ArrayList<>();
      for (int i = 0; i < kernels; i++) {
        files.add(Files.write(directory.resolve("k" + i), symvers(random)));
        all.add(files.get(i).toString());
      }
      JsonNode together = audit(input, all);
      assertThat(together.get("verdicts")).isNotEmpty();
      for (String kernel : all) {
        assertThat(verdicts(together, kernel))
            .isEqualTo(verdicts(audit(input, List.of(kernel)), kernel));
      }
    } finally {
      for (Path file : files) {
        Files.delete(file);
      }
      Files.delete(directory);
    }
  }

  private static JsonNode audit(String input, List<String> kernels) throws IOException {
    List<String> words = new ArrayList<>(List.of("audit", "-", "--format", "json"));
    for (String kernel : kernels) {
      words.addAll(List.of("--kernel", kernel));
    }
    WholeRun run =
        WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
    return MAPPER.readTree(run.out());
  }

  /** Those on one kernel, without its number. */
  private static List<JsonNode> verdicts(JsonNode audit, String kernel) {
    int id = -1;
    for (JsonNode target : audit.get("targets")) {
      if (target.get("label").asText().equals(kernel)) {
        id = target.get("id").asInt();
      }
    }
    List<JsonNode> verdicts = new ArrayList<>();
    for (JsonNode verdict : audit.get("verdicts")) {
      if (verdict.get("target").asInt() == id) {
        verdicts.add(((ObjectNode) verdict.deepCopy()).without("target"));
      }
    }
    assertThat(verdicts).as("on " + kernel).isNotEmpty();
    return verdicts;
  }

  private static String cluster(Random random) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 4; i++) {
      NodeLines node = new NodeLines("6.1.0-8");
      node.told("6.1.0-8", module("a", random));
      node.told("6.1.0-8", module("b", random));
      lines.append(node.line("cn" + i)).append('\n');
    }
    return lines.toString();
  }

  private static Told module(String name, Random random) {
    Told module = new Told(name, "6.1.0-8 SMP mod_unload modversions ");
    module.version("module_layout", 1);
    for (String symbol : SYMBOLS) {
      if (random.nextBoolean() && !symbol.startsWith(name)) {
        module.version(symbol, random.nextInt(4) == 0 ? 2 : 1);
      }
    }
    return random.nextBoolean() ? module.export(name + "_up", 1) : module.export();
  }

  /** Mostly the same rows, in another order, with others between them, some twice. */
  private static byte[] symvers(Random random) {
    List<Row> rows = new ArrayList<>();
    rows.add(row("module_layout", random.nextInt(8) == 0 ? 2 : 1, "vmlinux", null));
    for (String symbol : SYMBOLS) {
      for (int times = random.nextInt(8) == 0 ? 2 : 1; times > 0; times--) {
        int crc = random.nextInt(6) == 0 ? 2 : 1;
        String owner = random.nextInt(6) == 0 ? "drivers/own" : "vmlinux";
        String namespace = random.nextInt(8) == 0 ? "SPACE" : null;
        if (random.nextInt(8) > 0) {
          rows.add(row(symbol, crc, owner, namespace));
        }
      }
    }
    for (int i = random.nextInt(6); i > 0; i--) {
      rows.add(row("unasked_" + random.nextInt(20), 1, "vmlinux", null));
    }
    Collections.shuffle(rows, random);
    SymversBuilder symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST);
    rows.forEach(symvers::row);
    return symvers.bytes();
  }

  private static Row row(String symbol, int crc, String owner, @Nullable String namespace) {
    return new Row(crc, symbol, owner, Kind.EXPORT_SYMBOL, namespace);
  }
}
