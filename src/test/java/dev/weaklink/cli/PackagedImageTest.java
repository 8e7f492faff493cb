package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program on packages that hold a kernel's image but no symvers file. */
class PackagedImageTest {
  private static final KernelSpec KERNEL =
      KernelSpec.of(Machine.X86_64)
          .exporting(
              List.of(
                  new Export("_printk", false, 0x92997ed8, ""),
                  new Export("kfree", false, 0x037a0cba, ""),
                  new Export("module_layout", false, 0x11223344, ""),
                  new Export("fput", true, 0x00000007, "")));
  private static final String RELEASE = KERNEL.release();
  private static final String ROWS =
      """
      0x92997ed8\t_printk\tvmlinux\tEXPORT_SYMBOL\t
      0x00000007\tfput\tvmlinux\tEXPORT_SYMBOL_GPL\t
      0x037a0cba\tkfree\tvmlinux\tEXPORT_SYMBOL\t
      0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t
      0x000000aa\town_fn\tdrivers/own\tEXPORT_SYMBOL\t
      """;

  @TempDir Path directory;

  private static byte[] image() {
    return Payloads.bzImage(Packing.ZSTD.packWithSize(KernelWriter.elf(KERNEL, true)));
  }

  private static ModuleBuilder module(String name) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + KERNEL.vermagic());
  }

  private static byte[] own() {
    return module("own").exporting("own_fn", ModuleSpec.Export.Table.NORMAL, 0xaa).build();
  }

  private String file(String name, TarWriter tar) throws IOException {
    return Files.write(directory.resolve(name), tar.bytes()).toString();
  }

  /** As Debian has it: the image in /boot, the modules below /lib. */
  private String debian() throws IOException {
    return file(
        "debian",
        new TarWriter()
            .file("./boot/vmlinuz-" + RELEASE, image())
            .file("./lib/modules/" + RELEASE + "/kernel/drivers/own.ko", own()));
  }

  private static WholeRun run(String... words) {
    return WholeRun.of(words);
  }

  @Test
  void thePackageOfAKernelGivesItsWholeSymversFile() throws IOException {
    WholeRun run = run("inspect", "--symvers", debian());
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo(ROWS);
  }

  @Test
  void imageAndModulesMayBeInPackagesOfTheirOwn() throws IOException {
    String top = "./usr/lib/modules/" + RELEASE;
    String core = file("core", new TarWriter().file(top + "/vmlinuz", image()));
    String modules = file("modules", new TarWriter().file(top + "/kernel/drivers/own.ko", own()));
    assertThat(run("inspect", "--symvers", core, modules).out()).isEqualTo(ROWS);
  }

  @Test
  void inspectTellsWhichEntryItRead() throws IOException {
    String debian = debian();
    assertThat(run("inspect", debian).out())
        .startsWith(RELEASE + "  " + debian + "!/boot/vmlinuz-" + RELEASE);
  }

  @Test
  void aModuleIsJudgedOnTheImageInAPackage() throws IOException {
    byte[] asking =
        module("asking").importing("kfree", 0x037a0cba).importing("own_fn", 0xab).build();
    Path file = Files.write(directory.resolve("asking.ko"), asking);
    Path root = Files.createDirectory(directory.resolve("root"));
    WholeRun run =
        run("check", "--root", root.toString(), file.toString(), "--kernel", debian(), "-v");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("(kernel package): 4 symbols of vmlinux, 1 module of its own")
        .contains("!/boot/vmlinuz-" + RELEASE)
        .contains("symbol-crc: own_fn")
        .doesNotContain("symbol-crc: kfree");
  }

  @Test
  void ofSeveralKernelsInAPackageOneMustBeNamed() throws IOException {
    KernelSpec other = KERNEL.released("6.1.0-8-test");
    byte[] image = Payloads.bzImage(Packing.ZSTD.packWithSize(KernelWriter.elf(other, true)));
    String both =
        file(
            "both",
            new TarWriter()
                .file("./boot/vmlinuz-" + RELEASE, image())
                .file("./boot/vmlinuz-6.1.0-8-test", image));
    assertThat(run("inspect", both).messages())
        .containsExactly(
            both + ": images of several kernels; name one with --kernel, such as " + RELEASE);
    assertThat(run("inspect", both, "--kernel", "6.1.0-8-test").out()).startsWith("6.1.0-8-test  ");
  }

  @Test
  void whatIsNoKernelsPackageIsRefusedInOneLine() throws IOException {
    String none = file("none", new TarWriter().file("./readme", new byte[3]));
    String cut = directory.resolve("cut").toString();
    byte[] whole = Files.readAllBytes(Path.of(debian()));
    Files.write(Path.of(cut), Arrays.copyOf(whole, 1000));
    List<String> expected = new ArrayList<>();
    expected.add(none + ": no kernel image in it, such as /boot/vmlinuz-RELEASE");
    expected.add(cut + ": truncated: the tar archive has no end");
    expected.add("/none/such: no such file; several files must be a kernel's packages");
    List<String> messages = new ArrayList<>();
    messages.addAll(run("inspect", "--symvers", none).messages());
    messages.addAll(run("inspect", "--symvers", cut).messages());
    messages.addAll(run("inspect", "--symvers", none, "/none/such").messages());
    assertThat(messages).isEqualTo(expected);
  }
}
