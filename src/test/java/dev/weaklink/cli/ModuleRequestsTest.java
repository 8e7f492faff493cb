package dev.weaklink.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.RealPackages;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Layout;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Modules that others ask for by name and that a kernel has or has not. */
class ModuleRequestsTest {
  private static final String RELEASE = "5.14.0-1.x86_64";

  /** Asks for ib_core and nvme-%s. */
  private static final Path ASKING = Path.of("test-fixtures/runtime-names/names.o");

  @TempDir Path root;
  private TreeBuilder tree;
  private Path soft;

  @BeforeEach
  void kernel() throws IOException {
    tree =
        TreeBuilder.in(root)
            .module(RELEASE, "kernel/own.ko", module("own"))
            .symvers(
                SymversPlace.MODULES_GZIP,
                RELEASE,
                new SymversBuilder(Layout.NAMESPACE_LAST)
                    .kernel("module_layout", Kind.EXPORT_SYMBOL, 0x11223344));
    index("modules.builtin.modinfo", "ext4.license=GPL\0ext4.alias=fs-ext4\0");
    index("modules.alias", "alias other-name own\n");
    soft =
        Files.write(
            root.resolve("soft.ko"),
            module("soft").modInfo("softdep=pre: own other-name fs-ext4 post: gone").build());
  }

  private static ModuleBuilder module(String name) {
    return ModuleBuilder.typical(Machine.X86_64, name);
  }

  private void index(String name, String text) throws IOException {
    tree.file("lib/modules/" + RELEASE + "/" + name, text.getBytes(ISO_8859_1));
  }

  private List<String> notes(Path... files) throws IOException {
    List<String> words = new ArrayList<>(List.of("check"));
    for (Path file : files) {
      words.add(file.toString());
    }
    words.addAll(List.of("--root", root.toString(), "--kernel", RELEASE, "--format", "json"));
    return notes(words);
  }

  private static List<String> notes(List<String> words) throws IOException {
    WholeRun run = WholeRun.of(words.toArray(new String[0]));
    assertThat(Schemas.problems(run.out())).isEmpty();
    List<String> notes = new ArrayList<>();
    for (JsonNode verdict : new ObjectMapper().readTree(run.out()).get("verdicts")) {
      for (JsonNode finding : verdict.get("findings")) {
        if (finding.get("layer").asText().equals("dependency")) {
          assertThat(finding.get("effect").asText()).isEqualTo("note");
          notes.add(finding.get("id").asText() + " " + finding.get("wants").asText());
        }
      }
    }
    return notes;
  }

  @Test
  void aSoftDependencyThatIsMissingIsNoted() throws IOException {
    assertThat(notes(soft)).containsExactly("dependency.soft gone");
    WholeRun table =
        WholeRun.of("check", soft.toString(), "--root", root.toString(), "--kernel", RELEASE);
    assertThat(table.out())
        .contains(
            "asks for the module gone (softdep); the kernel has none of that\n      name or alias\n");
    assertThat(table.status()).isZero();
  }

  @Test
  void whatIsRequestedIsNotedOfAFormatItsBeginning() throws IOException {
    assertThat(notes(ASKING))
        .containsExactly("dependency.requested ib_core", "dependency.requested nvme-%s");
    index("modules.alias", "alias nvme-of-* own\nalias ib_* own\n");
    assertThat(notes(ASKING)).isEmpty();
  }

  /** kmod libkmod-module.c: aliases and commands of modprobe.d, then blacklists. */
  @ParameterizedTest
  @ValueSource(strings = {"alias g?ne off", "install gone /bin/true", "blacklist gone"})
  void whatModprobeIsConfiguredToDoIsNotMissed(String line) throws IOException {
    tree.file("etc/modprobe.d/site.conf", (line + "\n").getBytes(ISO_8859_1));
    assertThat(notes(soft)).isEmpty();

    tree.file("etc/modprobe.d/site.conf", "options gone a=b\n".getBytes(ISO_8859_1));
    assertThat(notes(soft)).containsExactly("dependency.soft gone");
  }

  @Test
  void gateAndPlanSayItInAllFormats() throws IOException {
    String older = "5.14.0-0.x86_64";
    String note =
        "soft asks for the module gone (softdep); the kernel has none of that name or alias";
    tree.module(older, "extra/soft.ko", module("soft").modInfo("softdep=post: gone"))
        .module(older, "kernel/own.ko", module("own"));
    for (String command : List.of("gate", "plan")) {
      for (String format : List.of("table", "json", "markdown", "csv")) {
        WholeRun run =
            WholeRun.of(
                command, "--root", root.toString(), "--kernel", RELEASE, "--format", format);
        assertThat(run.out().replaceAll("\\s+", " ")).as(command + " " + format).contains(note);
      }
    }
  }

  @Test
  void aModuleThatIsCheckedWithItCounts() throws IOException {
    Path gone = Files.write(root.resolve("x.ko"), module("x").modInfo("alias=go?e").build());
    assertThat(notes(soft, gone)).isEmpty();
  }

  @Test
  void aliasesOfModulesInAPackageAreKnownWithoutAnIndex() throws Exception {
    Files.delete(root.resolve("lib/modules/" + RELEASE + "/modules.alias"));
    assertThat(notes(soft)).as("installed, without an index").isEmpty();

    ExternalTool.orSkip("dpkg-deb");
    assertThat(notesOnPackage("x=y"))
        .containsExactly("dependency.soft gone", "dependency.soft other-name");
    assertThat(notesOnPackage("alias=other_name")).containsExactly("dependency.soft gone");
  }

  /** A package that has the kernel, which has one module with this entry. */
  private List<String> notesOnPackage(String entry) throws Exception {
    tree.module(RELEASE, "kernel/own.ko", module("own").modInfo(entry));
    Path scratch = Files.createTempDirectory(root.getParent(), "deb");
    Path content = Files.createDirectories(scratch.resolve("tree/lib"));
    Files.move(root.resolve("lib/modules"), content.resolve("modules"));
    Path deb =
        RealPackages.deb(Files.createDirectory(scratch.resolve("out")), scratch.resolve("tree"));
    Files.move(content.resolve("modules"), root.resolve("lib/modules"));
    return notes(List.of("check", soft.toString(), "--kernel", deb.toString(), "--format", "json"));
  }

  @Test
  void whereNotAllIsKnownNothingIsSaid() throws IOException {
    Path symvers = root.resolve("lib/modules/" + RELEASE + "/symvers.gz");
    assertThat(symvers).exists();
    WholeRun run =
        WholeRun.of("check", soft.toString(), "--kernel", symvers.toString(), "--format", "json");
    assertThat(run.out()).contains("verdicts").doesNotContain("dependency.soft");

    Path broken = Files.write(root.resolve("broken.ko.xz"), new byte[] {1});
    assertThat(notes(soft, broken)).isEmpty();
    Files.delete(root.resolve("lib/modules/" + RELEASE + "/modules.builtin.modinfo"));
    assertThat(notes(soft)).isEmpty();
  }
}
