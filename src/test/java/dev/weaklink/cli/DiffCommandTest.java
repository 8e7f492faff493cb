package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels of which only the symvers files are known; causes are tested beside their finder. */
class DiffCommandTest {
  @TempDir Path directory;
  private Path older;
  private Path newer;

  @BeforeEach
  void writeSymvers() throws IOException {
    older =
        write(
            "older",
            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("same", Kind.EXPORT_SYMBOL, 1)
                .kernel("changed", Kind.EXPORT_SYMBOL, 2)
                .kernel("gone", Kind.EXPORT_SYMBOL, 3)
                .kernel("closed", Kind.EXPORT_SYMBOL, 4));
    newer =
        write(
            "newer",
            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("same", Kind.EXPORT_SYMBOL, 1)
                .kernel("changed", Kind.EXPORT_SYMBOL, 0xabc)
                .kernel("closed", Kind.EXPORT_SYMBOL_GPL, 4)
                .kernel("come", Kind.EXPORT_SYMBOL, 5));
  }

  private Path write(String name, SymversBuilder symvers) throws IOException {
    return Files.write(directory.resolve(name + ".symvers"), symvers.bytes());
  }

  private WholeRun run(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--root", directory.toString()));
    return WholeRun.of(all.toArray(new String[0]));
  }

  private WholeRun diff(String... more) {
    List<String> words = new ArrayList<>(List.of("diff", older.toString(), newer.toString()));
    words.addAll(List.of(more));
    return run(words.toArray(new String[0]));
  }

  @Test
  void whatDiffersIsListed() {
    WholeRun run = diff();
    assertThat(run.out().replace(directory.toString(), "DIR"))
        .isEqualTo(
            """
            DIR/older.symvers -> DIR/newer.symvers: 1 CRC of 3 symbols differs

            No cause found: 1 symbol of vmlinux

            1 symbol added
              come  vmlinux

            1 symbol removed
              gone  vmlinux

            1 symbol with another license
              closed  any license -> GPL only

            Note: DIR/older.symvers: no kernel image, so no type information: causes are unknown
            Note: DIR/newer.symvers: no kernel image, so no type information: causes are unknown
            """);
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void kernelsAreNamedInOneOfTwoWays() {
    WholeRun named = run("diff", "--from", older.toString(), "--to", newer.toString());
    assertThat(named.out()).isEqualTo(diff().out());
    assertThat(run("diff", older.toString()).err())
        .startsWith("weaklink: name two kernels, OLD and NEW\n");
    assertThat(run("diff", "a", "b", "--from", "c").err())
        .startsWith("weaklink: name both kernels as OLD NEW, or both with --from and --to: 'a'\n");
    assertThat(run("diff", "--from", "a").err())
        .startsWith("weaklink: name the kernel to compare with --to\n");
  }

  @Test
  void oneSideIsOneKernel() {
    WholeRun run =
        run("diff", "--from", older.toString(), "--from", newer.toString(), "--to", "" + newer);
    assertThat(run.err().replace(directory.toString(), "DIR"))
        .isEqualTo(
            "weaklink: DIR/older.symvers DIR/newer.symvers: several kernels: DIR/older.symvers,"
                + " DIR/newer.symvers; name one, or packages of one\n");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void equalKernelsAndAddedSymbolsBreakNothing() throws IOException {
    assertThat(run("diff", older.toString(), older.toString()).status()).isZero();
    Path more =
        write(
            "more",
            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("same", Kind.EXPORT_SYMBOL, 1)
                .kernel("changed", Kind.EXPORT_SYMBOL, 2)
                .kernel("gone", Kind.EXPORT_SYMBOL, 3)
                .kernel("closed", Kind.EXPORT_SYMBOL, 4)
                .kernel("come", Kind.EXPORT_SYMBOL, 5));
    assertThat(run("diff", older.toString(), more.toString()).status()).isZero();
  }

  @Test
  void onlyWhatAModuleImportsCounts() throws IOException {
    Path module = directory.resolve("user.ko");
    Files.write(module, ModuleBuilder.typical(Machine.X86_64, "user").importing("same", 1).build());
    WholeRun run = diff("--used-by", module.toString());
    assertThat(run.out()).contains(": no CRC of 1 symbol differs");
    assertThat(run.status()).isZero();
    WholeRun explained =
        run("explain", module.toString(), "--from", older.toString(), "--to", newer.toString());
    assertThat(explained.status()).isZero();
    WholeRun unknown = run("explain", module.toString(), "--to", newer.toString());
    assertThat(unknown.messages()).singleElement().asString().startsWith("6.1.0-");
  }

  @Test
  void oneSymbolIsExplained() {
    WholeRun run = run("explain", "changed", "--from", older.toString(), "--to", newer.toString());
    assertThat(run.out())
        .startsWith(
            "changed: CRC 0x00000002 -> 0x00000abc, exported by vmlinux\n"
                + "  cause unknown: its types do not differ, or are not known in both kernels\n");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void aSymbolThatNeitherKernelHasIsNamed() {
    WholeRun run = run("explain", "nosuch", "--from", older.toString(), "--to", newer.toString());
    assertThat(run.messages()).containsExactly("nosuch: neither kernel exports this symbol");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void aKernelThatDoesNotExistIsNamed() {
    WholeRun run = run("diff", older.toString(), "9.9");
    assertThat(run.messages()).singleElement().asString().startsWith("9.9: no such kernel");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run("explain", "changed", "--from", older.toString()).messages())
        .contains("name the kernel to compare with --to");
  }

  @Test
  void twoKernelsAreCompared() {
    assertThat(run("diff", "a").messages().get(0)).contains("NEW");
    assertThat(run("diff", "a").status()).isEqualTo(2);
    assertThat(run("diff", "a", "b", "c").status()).isEqualTo(2);
  }

  @Test
  void documentAndLinesKeepTheirSchemas() throws IOException {
    String document = diff("--format", "json").out();
    assertThat(Schemas.problems(document)).isEmpty();
    assertThat(document).contains("\"symbol\":\"gone\",\"change\":\"removed\"");
    List<String> lines = diff("--format", "ndjson").out().lines().toList();
    assertThat(lines)
        .singleElement()
        .asString()
        .contains("\"symbol\":\"changed\"")
        .contains("\"crc\":{\"from\":\"0x00000002\",\"to\":\"0x00000abc\"}");
    assertThat(Schemas.problems(lines.get(0))).isEmpty();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  @Test
  void aKernelWithoutCrcsCannotBeComparedAndThatIsSaidFirst() throws IOException {
    String without = file("without.symvers", "0x00000000\tsame\tvmlinux\tEXPORT_SYMBOL\t\n");
    String with = file("with.symvers", "0x00000001\tsame\tvmlinux\tEXPORT_SYMBOL\t\n");
    WholeRun run = run("diff", with, without);
    assertThat(run.out())
        .startsWith(
            with
                + " -> "
                + without
                + ": CRCs cannot be compared: "
                + without
                + " has no CRCs: built without CONFIG_MODVERSIONS\n")
        .doesNotContain("differ");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run("diff", with, without, "--format", "markdown").out())
        .contains("\n\nCRCs cannot be compared: ");
    String document = run("diff", with, without, "--format", "json").out();
    assertThat(Schemas.problems(document)).isEmpty();
    assertThat(document).contains("\"incomparable\":[", "\"compared\":0");
  }

  @Test
  void onlySymbolsOnAStablelistMatter() throws IOException {
    String fine = file("fine", "[rhel9_x86_64_stablelist]\n\tsame\n\tcome\n");
    assertThat(diff("--stablelist", fine).status()).isZero();
    assertThat(diff("--stablelist", fine).out()).contains("No symbol on the stablelist is broken.");
    String broken = file("broken", "[rhel9_x86_64_stablelist]\n\tgone\n\tchanged\n\tsame\n");
    WholeRun run = diff("--stablelist", broken);
    assertThat(run.out())
        .contains("KERNEL ABI guarantee broken: 2 symbols on the stablelist: changed, gone\n");
    assertThat(run.status()).isEqualTo(1);
    assertThat(diff("--stablelist", directory + "/none").messages())
        .containsExactly(directory + "/none: no such file");
  }

  @Test
  void aTicketCanHaveIt() throws IOException {
    assertThat(diff("--format", "markdown").out().replace(directory.toString(), "DIR"))
        .startsWith("# DIR/older.symvers -\\> DIR/newer.symvers\n\n1 CRC of 3 symbols differs;")
        .contains("| closed | license | any license | GPL only |");
  }
}
