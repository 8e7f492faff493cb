package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program on kernels that are damaged, missing or no kernels at all. */
class BadKernelTest {
  private static final String RELEASE = "6.1.0-1-test";
  private static final ModuleBuilder GOOD =
      ModuleBuilder.typical(Machine.X86_64, "good").importing("_printk", 5);

  @TempDir Path directory;
  private Path good;

  @BeforeEach
  void writeModule() throws IOException {
    good = Files.write(directory.resolve("good.ko"), GOOD.build());
  }

  private static SymversBuilder exports() {
    return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
        .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5);
  }

  private WholeRun against(Object kernel) {
    return WholeRun.of("check", good.toString(), "--kernel", kernel.toString());
  }

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(directory.resolve(name), content);
  }

  private TreeBuilder root() throws IOException {
    return TreeBuilder.in(Files.createDirectories(directory.resolve("root")));
  }

  private WholeRun checkIn(TreeBuilder root, String... more) {
    String[] words = new String[4 + more.length];
    words[0] = "check";
    words[1] = "--root";
    words[2] = root.root().toString();
    words[3] = good.toString();
    System.arraycopy(more, 0, words, 4, more.length);
    return WholeRun.of(words);
  }

  @Test
  void garbageLinesAreNamedAndTheOthersUsed() throws IOException {
    byte[] text = exports().line("garbage").line("0x1\tsymbol").bytes();
    Path symvers = file("g.symvers", text);
    WholeRun run = against(symvers);
    assertThat(run.out()).contains("1 verdict: 1 compatible");
    assertThat(run.messages())
        .containsExactly(
            symvers + ":3: line ignored: fewer than 3 columns",
            symvers + ":4: line ignored: fewer than 3 columns");
    assertThat(run.status()).isEqualTo(3);
  }

  @Test
  void aFloodOfGarbageLinesIsToldInFewLines() throws IOException {
    SymversBuilder exports = exports();
    for (int i = 0; i < 1000; i++) {
      exports.line("garbage");
    }
    Path symvers = file("g.symvers", exports.bytes());
    WholeRun run = against(symvers);
    assertThat(run.messages())
        .hasSize(6)
        .endsWith(symvers + ": many more lines ignored, the next is line 8; is the file whole?");
  }

  @Test
  void aFileThatIsNoSymversIsOneLine() throws IOException {
    Path text = file("notes.txt", "remember the milk\n".getBytes(StandardCharsets.US_ASCII));
    Path empty = file("empty", new byte[0]);
    assertThat(against(text).status()).isEqualTo(2);
    assertThat(against(text).messages())
        .containsExactly(text + ": not a Module.symvers file; give a kernel's Module.symvers");
    assertThat(against(empty).messages())
        .containsExactly(
            empty + ": not a Module.symvers file: it is empty; give a kernel's Module.symvers");
    assertThat(against(good).messages())
        .containsExactly(
            good
                + ": is a module or object file, not a kernel image; give a vmlinuz or a"
                + " Module.symvers");
    assertThat(against(good).out()).isEmpty();
  }

  @Test
  void whereNoKernelIsInstalledTheLineSaysWhatToGive() throws IOException {
    TreeBuilder root = root();
    WholeRun run = checkIn(root, "--kernel", "9.9.9");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages())
        .containsExactly(
            "9.9.9: no such kernel in "
                + root.root()
                + " and no such file; installed: none; give an installed release, a kernel's"
                + " package, a Module.symvers file, a kernel image or a kernel's headers directory");
  }

  @Test
  void aKernelThatIsNotThereIsOneLineWithThoseThatAre() throws IOException {
    TreeBuilder root = root().module(RELEASE, "kernel/own.ko", GOOD);
    WholeRun run = checkIn(root, "--kernel", "9.9.9");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages())
        .containsExactly(
            "9.9.9: no such kernel in " + root.root() + " and no such file; installed: " + RELEASE);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void pathsAndNamesThatAreNoKernelsSayWhatToGive() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    String whatToGive =
        "give an installed release, a kernel's package, a Module.symvers file, a kernel image or a"
            + " kernel's headers directory";
    assertThat(against(directory.resolve("none")).messages())
        .containsExactly(directory.resolve("none") + ": no such file or directory; " + whatToGive);
    assertThat(against(empty).messages())
        .containsExactly(
            empty
                + ": no Module.symvers in it, and not a directory below lib/modules; "
                + whatToGive);
    assertThat(against("").messages())
        .containsExactly("'': a kernel's name cannot be empty; " + whatToGive);
  }

  @Test
  void aRootWithoutKernelsIsNeverAnsweredWithTheHosts() throws IOException {
    TreeBuilder root = root();
    WholeRun run = checkIn(root);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages())
        .singleElement()
        .asString()
        .startsWith(root.root() + ": no kernel is installed below its lib/modules");
    assertThat(WholeRun.of("check", "--root", root.root().toString()).status()).isEqualTo(2);
  }

  @Test
  void oneBadKernelDoesNotKeepTheOthersFromBeingJudged() throws IOException {
    TreeBuilder root =
        root()
            .module(RELEASE, "kernel/own.ko", ModuleBuilder.typical(Machine.X86_64, "own"))
            .symvers(SymversPlace.MODULES_GZIP, RELEASE, exports());
    WholeRun run = checkIn(root, "--kernel", "9.9", "--kernel", RELEASE, "--kernel", RELEASE);
    assertThat(run.out()).contains("1 verdict: 1 compatible");
    assertThat(run.messages()).hasSize(1);
    assertThat(run.status()).isEqualTo(3);
  }

  @Test
  void aDamagedSymversGivesWayToTheNext() throws IOException {
    TreeBuilder root =
        root()
            .module(RELEASE, "kernel/own.ko", ModuleBuilder.typical(Machine.X86_64, "own"))
            .file("lib/modules/" + RELEASE + "/symvers.xz", new byte[] {(byte) 0xfd, '7', 'z'})
            .symvers(SymversPlace.USR_SRC_HEADERS, RELEASE, exports());
    WholeRun run = checkIn(root);
    assertThat(run.out())
        .contains("symbols from /usr/src/linux-headers-" + RELEASE + "/Module.symvers")
        .contains("1 verdict: 1 compatible");
    assertThat(run.messages())
        .singleElement()
        .asString()
        .startsWith("/lib/modules/" + RELEASE + "/symvers.xz: ");
    assertThat(run.status()).isEqualTo(3);
  }

  @Test
  void anExporterOfTheTargetThatCannotBeReadLeavesItsUsersUndetermined() throws IOException {
    ModuleBuilder exporter =
        ModuleBuilder.typical(Machine.X86_64, "libown").exporting("own_fn", Export.Table.NORMAL, 7);
    TreeBuilder root =
        root()
            .module(RELEASE, "kernel/own.ko", ModuleBuilder.typical(Machine.X86_64, "own"))
            .symvers(
                SymversPlace.MODULES_GZIP,
                RELEASE,
                exports().exportsOf(exporter.spec(), "kernel/libown"))
            .file("lib/modules/" + RELEASE + "/kernel/libown.ko.xz", damagedXz(exporter));
    Files.write(good, GOOD.spec().toBuilder().importing("own_fn", 7).build());
    WholeRun run = checkIn(root);
    assertThat(run.out()).contains("UNDETERMINED  good");
    assertThat(run.messages())
        .singleElement()
        .asString()
        .startsWith("/lib/modules/" + RELEASE + "/kernel/libown.ko.xz: ")
        .endsWith("; what it exports is not known");
    assertThat(run.status()).isEqualTo(3);
  }

  private static byte[] damagedXz(ModuleBuilder module) {
    byte[] whole = Compression.XZ_CRC32.compress(module.build());
    return Arrays.copyOf(whole, whole.length / 2);
  }

  @Test
  void whatIsFoundAndLeftOutIsANoteThatDoesNotSpoilTheAnswer() throws IOException {
    TreeBuilder root =
        root()
            .module(RELEASE, "kernel/own.ko", ModuleBuilder.typical(Machine.X86_64, "own"))
            .symvers(SymversPlace.MODULES_GZIP, RELEASE, exports())
            .file(
                "lib/modules/" + RELEASE + "/build/include/config/kernel.release",
                "5.5.5\n".getBytes(StandardCharsets.US_ASCII));
    WholeRun run = checkIn(root);
    assertThat(run.out())
        .contains("note: /lib/modules/" + RELEASE + "/build is for kernel 5.5.5; not used");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
  }
}
