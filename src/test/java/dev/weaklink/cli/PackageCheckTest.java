package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program on packages: modules in them, kernels in them, both. */
class PackageCheckTest {
  private static final String RELEASE = "6.1.0-9-test";
  private static final String DIRECTORY = "./lib/modules/" + RELEASE;

  @TempDir Path directory;

  private static byte[] module(String name, int printk) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ")
        .importing("_printk", printk)
        .build();
  }

  private static byte[] symvers() {
    return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
        .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
        .bytes();
  }

  private String file(String name, TarWriter tar) throws IOException {
    return Files.write(directory.resolve(name), tar.bytes()).toString();
  }

  private String modules() throws IOException {
    return file(
        "modules",
        new TarWriter()
            .file(DIRECTORY + "/extra/good.ko", module("good", 5))
            .file(DIRECTORY + "/extra/bad.ko", module("bad", 6)));
  }

  private String image() throws IOException {
    return file(
        "image",
        new TarWriter()
            .file("./usr/lib/modules/" + RELEASE + "/kernel/own.ko", module("own", 5))
            .file(
                "./boot/config-" + RELEASE,
                "CONFIG_MODVERSIONS=y\n".getBytes(StandardCharsets.US_ASCII)));
  }

  private String headers() throws IOException {
    return file(
        "headers",
        new TarWriter().file("./usr/src/linux-headers-" + RELEASE + "/Module.symvers", symvers()));
  }

  /** With an empty image, so that nothing of the host's kernels comes in. */
  private WholeRun check(String... more) throws IOException {
    Path root = directory.resolve("root");
    Files.createDirectories(root);
    List<String> words = new ArrayList<>(List.of("check", "--root", root.toString()));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  @Test
  void modulesOfAPackageAreJudgedOnAKernelPutTogetherFromTwo() throws IOException {
    String modules = modules();
    WholeRun run = check(modules, "--kernel", image(), "--kernel", headers(), "--format", "ndjson");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("\"kind\":\"package\"", "\"release\":\"" + RELEASE + "\"")
        .contains(
            "\"module\":\"bad\",\"file\":\""
                + modules
                + "\",\"member\":\"/lib/modules/"
                + RELEASE
                + "/extra/bad.ko\"")
        .contains("\"wants\":\"0x00000006\",\"offers\":\"0x00000005\"");
  }

  @Test
  void theTableNamesThePackagesAndTheirEntries() throws IOException {
    String image = image();
    String headers = headers();
    WholeRun run = check(modules(), "--kernel", image, "--kernel", headers, "--verbose");
    assertThat(run.out())
        .startsWith(image + " (kernel package): 2 symbols of vmlinux, 1 module of its own")
        .contains(directory + "/modules!/lib/modules/" + RELEASE + "/extra/bad.ko")
        .contains("2 verdicts: 1 compatible, 1 incompatible");
  }

  @Test
  void packagesOfOtherVersionsAreTargetsOfTheirOwn() throws IOException {
    String two =
        file(
            "two",
            new TarWriter()
                .file("./lib/modules/6.1.0-10-test/symvers", symvers())
                .file(DIRECTORY + "/symvers", symvers()));
    WholeRun run = check(modules(), "--kernel", two);
    assertThat(run.out())
        .contains(
            two + "!6.1.0-10-test (kernel package)", two + "!" + RELEASE + " (kernel package)");
  }

  @Test
  void aKernelsImageAloneTellsWhatItsModulesUse() throws IOException {
    WholeRun run = check(modules(), "--kernel", image());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("no Module.symvers: what vmlinux exports is known only as far");
  }

  @Test
  void packagesWithoutModulesOrKernelsSaySo() throws IOException {
    String empty = file("empty", new TarWriter().file("./readme", new byte[3]));
    assertThat(check(empty, "--kernel", headers()).messages())
        .contains(empty + ": no files named .ko, .ko.gz, .ko.xz or .ko.zst in the package");
    String modules = modules();
    WholeRun run = check(modules, "--kernel", modules);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages())
        .containsExactly(
            modules
                + ": no kernel in it: neither image nor symvers file nor modules below"
                + " lib/modules/*/kernel; give the kernel's image, modules or headers package");
  }

  @Test
  void aPackageThatOnlyRequiresAKernelsOthersIsPassedOverBesideThem() throws IOException {
    String meta = file("meta", new TarWriter().file("./usr/share/doc/readme", new byte[3]));
    String modules = modules();
    WholeRun alone = check(modules, "--kernel", headers());
    WholeRun run = check(modules, "--kernel", meta, "--kernel", headers());
    assertThat(run.messages()).isEmpty();
    assertThat(run.status()).isEqualTo(alone.status());
    assertThat(run.out()).isEqualTo(alone.out());
    run = check(modules, "--kernel", meta);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages())
        .containsExactly(
            meta
                + ": no kernel in it; if it only requires the packages of one, give those: the"
                + " kernel's image, modules or headers package");
  }

  @Test
  void aTruncatedPackageIsAProblemAndWhatWasReadIsJudged() throws IOException {
    byte[] tar =
        new TarWriter()
            .file(DIRECTORY + "/extra/a.ko", module("a", 5))
            .file(DIRECTORY + "/extra/b.ko", module("b", 5))
            .bytes();
    Path cut = directory.resolve("cut");
    Files.write(cut, Arrays.copyOf(tar, module("a", 5).length + 2000));
    WholeRun run = check(cut.toString(), "--kernel", headers());
    assertThat(run.messages()).containsExactly(cut + ": truncated: the tar archive has no end");
    assertThat(run.out()).contains("1 verdict: 1 compatible");
  }

  @Test
  void aCorruptModuleInAPackageIsUndeterminedAndTheOthersGoOn() throws IOException {
    byte[] gzip = {0x1f, (byte) 0x8b, 8, 0, 0};
    String modules =
        file(
            "modules",
            new TarWriter()
                .file(DIRECTORY + "/extra/a.ko.gz", gzip)
                .file(DIRECTORY + "/extra/b.ko", module("b", 5)));
    WholeRun run = check(modules, "--kernel", headers());
    assertThat(run.out())
        .contains(modules + "!/lib/modules/" + RELEASE + "/extra/a.ko.gz")
        .contains("input: truncated gzip data");
    assertThat(run.out()).contains("2 verdicts: 1 compatible, 1 undetermined");
  }
}
