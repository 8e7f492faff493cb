package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.inventory.InventoryCollector;
import dev.weaklink.inventory.InventoryRequest;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.NeedsTools;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever lies in a tree, the program and the script say the same of it. */
class InventoryProperties {
  private static final List<String> RELEASES = List.of("5.14.0-1", "5.14.0-2", "6.1 x");
  private static final List<String> PLACES =
      List.of("extra", "updates", "weak-updates", "extra/a b", "updates/x/y", "kernel");
  private static final List<String> TARGETS =
      List.of(
          "", "../", "../../../", "/lib/modules/5.14.0-1/extra/", "/usr/../lib/./modules/", "//");

  /** One thing in a tree: a module, or a link if it has a target. */
  record Thing(String release, String place, String name, int fact, String target) {}

  @Provide
  Arbitrary<List<Thing>> things() {
    Arbitrary<String> names =
        Arbitraries.strings().withChars("ab-_. '\"\\\u00e4").ofMinLength(1).ofMaxLength(5);
    Arbitrary<String> endings = Arbitraries.of(".ko", ".ko.xz", ".ko.zst", "", ".kox", "/c.ko");
    Arbitrary<String> files =
        Combinators.combine(names, endings)
            .as(String::concat)
            .filter(name -> !name.startsWith("./") && !name.startsWith("../"));
    Arbitrary<String> targets =
        Combinators.combine(Arbitraries.of(TARGETS), files)
            .as(String::concat)
            .injectNull(0.5)
            .map(target -> target == null ? "" : target);
    return Combinators.combine(
            Arbitraries.of(RELEASES),
            Arbitraries.of(PLACES),
            files,
            Arbitraries.integers().between(0, 5),
            targets)
        .as(Thing::new)
        .list()
        .ofMaxSize(12);
  }

  @Property(tries = 40)
  @NeedsTools({"dash", "modinfo", "modprobe"})
  void bothTellTheSame(@ForAll("things") List<Thing> things) throws Exception {
    Path scratch = Files.createTempDirectory("weaklink-twin");
    try {
      Path root = Files.createDirectories(scratch.resolve("root"));
      for (Thing thing : things) {
        put(root, thing);
      }
      byte[] script = CollectorRun.in(scratch).run("dash", "", "--full", "--root=" + root).out();
      byte[] here =
          InventoryCollector.collect(new InventoryRequest(Root.of(root), null, false, true, 1));
      assertThat(text(here)).isEqualTo(text(script));
    } finally {
      remove(scratch);
    }
  }

  private static void put(Path root, Thing thing) throws IOException {
    Path file = root.resolve("lib/modules/" + thing.release + "/" + thing.place + "/" + thing.name);
    try {
      Files.createDirectories(file.getParent());
      if (!thing.target.isEmpty()) {
        Files.createSymbolicLink(file, Path.of(thing.target));
      } else if (!Files.exists(file)) {
        Files.write(file, Compression.NONE.compress(module(thing.fact)));
      }
    } catch (FileAlreadyExistsException e) {
      // two things in one place: the first one stays
    }
    TreeBuilder.in(root)
        .file(
            "lib/modules/5.14.0-2/modules.dep",
            (thing.place + "/" + thing.name + ":\n").getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] module(int fact) {
    ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m");
    return switch (fact) {
      case 0 -> new byte[] {1};
      case 1 -> module.modInfo("depends=a,b").build();
      case 2 -> module.importing("kfree", fact).importing("x", -1).build();
      case 3 -> ModuleBuilder.minimal(Machine.X86_64, "n").build();
      default -> module.modInfo("version=" + fact).build();
    };
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static void remove(Path directory) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(path);
      }
    }
  }
}
