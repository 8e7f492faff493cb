package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds against all kernels of a store. */
class MatrixCheckTest {
  @TempDir Path directory;
  private Path store;
  private String build;

  /** RHEL's: the CRC of printk is 5 from -427 to -503; Debian's: never. */
  @BeforeEach
  void keepKernels() throws IOException {
    store = directory.resolve("store");
    keep("5.14.0-70.el9.x86_64", 4);
    keep("5.14.0-427.el9_4.x86_64", 5);
    keep("5.14.0-503.el9_5.x86_64", 5);
    keep("5.14.0-570.el9_6.x86_64", 6);
    keep("5.14.0-611.el9_7.x86_64", 7);
    keep("6.1.0-9-amd64", 9);
    Path modules = Files.createDirectory(directory.resolve("build"));
    Files.write(modules.resolve("driver.ko"), module("driver", 5));
    build = modules.toString();
  }

  static byte[] module(String name, int printk) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=5.14.0-427.el9_4.x86_64 SMP mod_unload modversions ")
        .importing("_printk", printk)
        .build();
  }

  private void keep(String release, int printk) throws IOException {
    keep(directory, store, release, printk);
  }

  static void keep(Path directory, Path store, String release, int printk) throws IOException {
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk)
            .bytes();
    byte[] own =
        ModuleBuilder.typical(Machine.X86_64, "own")
            .withoutModInfo("vermagic")
            .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
            .exporting("own_fn", ModuleSpec.Export.Table.NORMAL, 0xaa)
            .build();
    String top = "./lib/modules/" + release;
    TarWriter tar =
        new TarWriter().file(top + "/symvers", symvers).file(top + "/kernel/own.ko", own);
    Path file = Files.write(directory.resolve(release + ".tar"), tar.bytes());
    assertThat(WholeRun.of("store", "add", "--store", store.toString(), file.toString()).status())
        .isZero();
  }

  private WholeRun check(String... more) {
    List<String> words = new ArrayList<>(List.of("check", "--store", store.toString(), build));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  @Test
  void kernelsOfASeriesAreRangesAndWhatBreaksIsSaidAtTheirEdges() {
    WholeRun run = check("--kernel", "store:*");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains(
            build + ": 1 module, built for 5.14.0-427.el9_4.x86_64; serves 2 of 6 kernels\n",
            "  5.14 el9 x86_64\n",
            "    refused   5.14.0-70.el9.x86_64, 1 of 5: driver: ",
            "    loads     5.14.0-427.el9_4.x86_64 \u2026 5.14.0-503.el9_5.x86_64, 2 of 5\n",
            "    refused   from 5.14.0-570.el9_6.x86_64 on, 2 of 5: driver: ",
            "  6.1 amd64\n    refused   6.1.0-9-amd64, 1 of 1: ");
    assertThat(run.out()).contains("0x00000006");
    assertThat(run.out()).doesNotContain("0x00000007");
  }

  @Test
  void seriesThatAreNotServedAtAllForTheSameReasonAreOne() throws IOException {
    keep("6.12.1-amd64", 9);
    keep("6.12.2-amd64", 8);
    String[] words = {"--kernel", "store:5.14*", "--kernel", "store:6.*"};
    String table = check(words).out();
    assertThat(table)
        .contains(
            "  5.14 el9 x86_64\n",
            "  2 series: 6.1 amd64, 6.12 amd64\n"
                + "    refused   all 3 kernels, such as 6.12.2-amd64: driver: symbol-crc: _printk:")
        .contains("0x00000008")
        .doesNotContain("0x00000009");
    assertThat(check(words[0], words[1], words[2], words[3], "--format", "csv").out())
        .contains(",\"6.1 amd64; 6.12 amd64\",6.1.0-9-amd64,6.12.2-amd64,3,INCOMPATIBLE,");
    String json = check(words[0], words[1], words[2], words[3], "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json).contains("\"verdict\":\"INCOMPATIBLE\",\"layer\":\"symbol-crc\"");
  }

  @Test
  void aPatternChoosesKernelsAndOneThatMeansNoneIsNamed() {
    WholeRun run = check("--kernel", "store:*el9_[45]*", "--kernel", "store:5.14.0-???.el9_4.*");
    assertThat(run.err()).contains("store:*el9_[45]*: no such kernel in " + store);
    assertThat(run.out()).contains("serves 1 of 1 kernel");
    assertThat(run.status()).isEqualTo(3);
  }

  @Test
  void theDocumentIsValidAndHasTheRanges() throws IOException {
    WholeRun run = check("--kernel", "store:*", "--format", "json");
    assertThat(Schemas.problems(run.out())).isEmpty();
    assertThat(run.out())
        .contains(
            "\"first\":\"5.14.0-427.el9_4.x86_64\",\"last\":\"5.14.0-503.el9_5.x86_64\","
                + "\"kernels\":2,\"verdict\":\"COMPATIBLE\"");
  }

  @Test
  void everyPackageIsARowAndOtherFormsSayTheSame() {
    String csv = check("--kernel", "store:*el9*", "--format", "csv").out();
    assertThat(csv.lines().toList()).hasSize(4);
    assertThat(csv).contains(",5.14 el9 x86_64,5.14.0-427.el9_4.x86_64,5.14.0-503.el9_5.x86_64,2,");
    String junit = check("--kernel", "store:*", "--format", "junit").out();
    assertThat(junit).contains("tests=\"6\" failures=\"4\" errors=\"0\"");
    String markdown = check("--kernel", "store:*", "--format", "markdown").out();
    assertThat(markdown).contains("| 5.14 el9 x86_64 | loads | 5.14.0-427");
  }

  @Test
  void whatHasNoModuleOrMixesKernelsIsWrongUsage() throws IOException {
    assertThat(check("--kernel", "store:*", "--kernel", "6.1.0-9-amd64").err())
        .contains("with store:PATTERN, all kernels are from the store");
    String empty = Files.createDirectory(directory.resolve("empty")).toString();
    WholeRun run = WholeRun.of("check", "--store", store.toString(), empty, "--kernel", "store:*");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(empty + ": neither packages nor module files below it");
  }

  @Test
  void aPatternTakesBuildsAndTheBestOneAKernel() {
    assertThat(WholeRun.of("check", "--kernel", "store:*").err())
        .startsWith("weaklink: store:PATTERN takes builds: weaklink check BUILD --kernel");
    assertThat(check("--best", "--kernel", "store:*").err())
        .startsWith("weaklink: --best takes one kernel");
  }

  /** Headers of one kernel say for which machine it is, those of another do not. */
  @Test
  void aModuleIsNotServedByAKernelOfAnotherArchitecture() throws IOException {
    keepHeaders("6.1.0-10-one", "CONFIG_X86=y\nCONFIG_64BIT=y\n", "other");
    keepHeaders("6.1.0-10-two", "CONFIG_ARM64=y\nCONFIG_64BIT=y\n", "other");
    keepHeaders("6.1.0-10-three", "CONFIG_SMP=y\n", "other");
    keepHeaders("6.1.0-10-four", "CONFIG_SMP=y\n", "module_layout");
    Path plain = Files.createDirectory(directory.resolve("plain"));
    byte[] unversioned =
        ModuleBuilder.typical(Machine.X86_64, "plain")
            .withoutModInfo("vermagic")
            .modInfo("vermagic=6.1.0-10-two SMP mod_unload modversions ")
            .importing("_printk", 5)
            .build();
    Files.write(plain.resolve("plain.ko"), unversioned);
    build = plain.toString();
    assertThat(check("--kernel", "store:6.1.0-10-*", "--format", "csv").out())
        .contains("6.1.0-10-one,1,COMPATIBLE", "6.1.0-10-four,1,COMPATIBLE")
        .contains("6.1.0-10-two,1,INCOMPATIBLE,\"plain: architecture: built for x86_64")
        .contains("6.1.0-10-three,1,UNDETERMINED,\"plain: the kernel's architecture is not known");
  }

  private void keepHeaders(String release, String config, String symbol) throws IOException {
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel(symbol, SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
            .bytes();
    String top = "./usr/src/linux-headers-" + release;
    byte[] tar =
        new TarWriter()
            .file(top + "/Module.symvers", symvers)
            .file(top + "/.config", config.getBytes(StandardCharsets.US_ASCII))
            .bytes();
    Path file = Files.write(directory.resolve(release + ".tar"), tar);
    assertThat(WholeRun.of("store", "add", "--store", store.toString(), file.toString()).err())
        .isEmpty();
  }

  @Test
  void aKernelThatHasToBeServedAndIsNotFails() throws IOException {
    Path rules = directory.resolve("kernels.yaml");
    Files.writeString(rules, "must-serve: [el9_4, el9_5]\n");
    WholeRun kept = check("--kernel", "store:*", "--requires", rules.toString());
    assertThat(kept.out()).endsWith("required: 2 kernels, all served\n");
    assertThat(kept.status()).isZero();
    Files.writeString(rules, "must-serve: ['5.14.0-*', '*-sid']\nmay-lose: [5.14.0-70., 611]\n");
    WholeRun lost = check("--kernel", "store:*", "--requires", rules.toString());
    assertThat(lost.out())
        .contains("NOT SERVED 5.14.0-570.el9_6.x86_64: driver: symbol-crc")
        .endsWith("required: 3 kernels, 1 not served\n");
    assertThat(lost.err()).contains("*-sid: has to be served, and is the name of no kernel");
    assertThat(lost.status()).isEqualTo(1);
    String json =
        check("--kernel", "store:*", "--requires", rules.toString(), "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    Files.writeString(rules, "must_serve: [x]\n");
    WholeRun wrong = check("--kernel", "store:*", "--requires", rules.toString());
    assertThat(wrong.status()).isEqualTo(2);
    assertThat(wrong.err()).contains(rules + ":1:1: there is no 'must_serve' in requirements");
    assertThat(check("--kernel", "x", "--requires", rules.toString()).err())
        .contains("--requires takes builds, and --kernel 'store:PATTERN'");
  }

  @Test
  void kernelsThatAreNewSinceTheLastRunAreNamed() throws IOException {
    Path last = directory.resolve("last.json");
    Files.writeString(last, check("--kernel", "store:5.14.0-427*", "--format", "json").out());
    String[] words = {"--kernel", "store:5.14.0-*", "--baseline", last.toString()};
    assertThat(check(words).out())
        .contains("since then: new kernel 5.14.0-503.el9_5.x86_64: still");
    String out = check(words[0], words[1], words[2], words[3], "--format", "markdown").out();
    assertThat(out)
        .contains(
            "- new kernel 5.14.0-503.el9_5.x86_64: still served by " + build,
            "- new kernel 5.14.0-570.el9_6.x86_64: no longer served by "
                + build
                + "; rebuild: driver",
            "- new kernel 5.14.0-611.el9_7.x86_64: not served by " + build + ": driver")
        .doesNotContain("new kernel 5.14.0-427");
    String json = check(words[0], words[1], words[2], words[3], "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(check("--kernel", "store:*", words[2], words[3]).out())
        .contains("new kernel 5.14.0-611.el9_7.x86_64: not")
        .doesNotContain("new kernel 6.1.0-9-amd64");
    Files.writeString(last, "{}");
    assertThat(check(words).err()).contains(last + ": is no result of 'check --kernel store:");
  }

  /** Kernels with pages of another size take other modules. */
  @Test
  void aSeriesIsOfOneFlavour() {
    assertThat(
            Stream.of(
                    "6.12.116+deb13-arm64",
                    "6.12.116+deb13-arm64-16k",
                    "5.14.0-503.el9_5.aarch64+64k",
                    "6.1.0-56-cloud-amd64")
                .map(release -> MatrixReport.Kernel.of(release, release).series()))
        .containsExactly(
            "6.12 deb13 arm64", "6.12 deb13 arm64 16k", "5.14 el9 aarch64 64k", "6.1 cloud amd64");
  }
}
