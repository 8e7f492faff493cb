package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole program on kernel images: what they export, what they tell, and checks against them.
 */
class InspectKernelTest {
  private static final String RELEASE = "6.1.0-7-test";
  private static final KernelSpec KERNEL =
      KernelSpec.of(Machine.X86_64)
          .exporting(
              List.of(
                  new Export("_printk", false, 0x92997ed8, ""),
                  new Export("kfree", false, 0x037a0cba, ""),
                  new Export("module_layout", false, 0x11223344, ""),
                  new Export("dma_buf_get", true, 0x1a2b3c4d, "DMA_BUF"),
                  new Export("fput", true, 0x00000007, "")));
  private static final String VMLINUX_ROWS =
      """
      0x92997ed8\t_printk\tvmlinux\tEXPORT_SYMBOL\t
      0x1a2b3c4d\tdma_buf_get\tvmlinux\tEXPORT_SYMBOL_GPL\tDMA_BUF
      0x00000007\tfput\tvmlinux\tEXPORT_SYMBOL_GPL\t
      0x037a0cba\tkfree\tvmlinux\tEXPORT_SYMBOL\t
      0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t
      """;
  private static final String OWN_ROW = "0x000000aa\town_fn\tdrivers/own\tEXPORT_SYMBOL\t\n";

  @TempDir Path directory;
  private TreeBuilder root;
  private Path vmlinuz;

  @BeforeEach
  void install() throws IOException {
    root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
    root.module(RELEASE, "kernel/drivers/own.ko", own());
    vmlinuz = Files.write(directory.resolve("vmlinuz"), image(KERNEL));
  }

  private static byte[] image(KernelSpec kernel) {
    return Payloads.bzImage(Packing.ZSTD.packWithSize(KernelWriter.elf(kernel, true)));
  }

  private static ModuleBuilder own() {
    return module("own").exporting("own_fn", ModuleSpec.Export.Table.NORMAL, 0xaa);
  }

  private static ModuleBuilder module(String name) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + KERNEL.vermagic());
  }

  private WholeRun kernel(String... words) {
    return run("inspect", words);
  }

  private static WholeRun run(String command, String... words) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(words));
    return WholeRun.of(all.toArray(new String[0]));
  }

  private String modules() {
    return root.modules(RELEASE).toString();
  }

  @Test
  void symversOfAnImageAloneAreTheRowsOfVmlinux() {
    WholeRun run = kernel("--symvers", vmlinuz.toString());

    assertThat(run.out()).isEqualTo(VMLINUX_ROWS);
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
  }

  @Test
  void symversWithModulesAreAllRowsWhereverTheyAreFound() {
    root.module(RELEASE, "extra/other.ko", module("other"));
    WholeRun given = kernel("--symvers", vmlinuz.toString(), "--modules", modules());
    root.file("boot/vmlinuz-" + RELEASE, image(KERNEL));
    WholeRun installed = kernel("--symvers", "--root", root.root().toString());
    WholeRun named = kernel("--symvers", "--root", root.root().toString(), "--kernel", RELEASE);

    assertThat(given.out()).isEqualTo(VMLINUX_ROWS + OWN_ROW);
    assertThat(installed).isEqualTo(given);
    assertThat(named).isEqualTo(given);
  }

  @Test
  void modulesOfAnotherKernelThanTheImageAreRefusedInOneLine() {
    root.module(RELEASE, "kernel/a.ko", module("a").importing("kfree", 5));

    WholeRun run = kernel("--symvers", vmlinuz.toString(), "--modules", modules());

    assertThat(run.out()).isEmpty();
    assertThat(run.messages())
        .containsExactly(
            modules()
                + "/kernel/a.ko: was built with another kernel than "
                + vmlinuz
                + ": kfree has CRC 0x00000005, not 0x037a0cba");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void whatCannotBeReadIsOneLine() throws IOException {
    Path cut = directory.resolve("cut");
    Files.write(cut, java.util.Arrays.copyOf(Files.readAllBytes(vmlinuz), 3000));
    Path module = root.modules(RELEASE).resolve("kernel/drivers/own.ko");
    assertThat(kernel("--symvers", module.toString()).messages())
        .singleElement()
        .asString()
        .startsWith(module + ": is a module or object file");
    for (String verb : List.of("--symvers", "--color=never")) {
      assertThat(kernel(verb, cut.toString()).messages())
          .containsExactly(
              cut + ": is truncated, or its header is corrupt: the payload is outside");
      assertThat(kernel(verb, directory.resolve("none").toString()).err())
          .contains(directory.resolve("none") + ": no such file; give ");
      assertThat(kernel(verb, directory.toString()).err()).contains(directory + ": is a directory");
      assertThat(kernel(verb, "--root", root.root().toString()).messages())
          .singleElement()
          .asString()
          .startsWith(RELEASE + ": no image of it, such as /boot/vmlinuz-" + RELEASE);
      assertThat(kernel(verb, cut.toString()).status()).isEqualTo(2);
    }
  }

  @Test
  void inspectShowsWhatTheImageTells() {
    WholeRun run = kernel(vmlinuz.toString());

    assertThat(run.out())
        .startsWith(RELEASE + "  " + vmlinuz + "\n")
        .contains("  format             x86 bzImage, packed with zstd\n")
        .contains("  machine            x86_64\n")
        .contains("  vermagic           " + KERNEL.vermagic() + "\n")
        .contains("5 symbols, 2 GPL-only, 1 in namespaces, with CRCs\n")
        .contains("3 relative fields of 4 bytes, found by section names\n")
        .contains("  modversions        yes  its message is in the image\n")
        .contains("  force-load         no  no message in the image\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void withoutVermagicInTheImageItsReleaseIsThatOfTheBanner() throws IOException {
    byte[] elf = KernelWriter.elf(KERNEL, true);
    String text = new String(elf, StandardCharsets.ISO_8859_1);
    int at = text.indexOf("\0" + KERNEL.vermagic());
    Arrays.fill(elf, at + 1, at + KERNEL.vermagic().length(), (byte) 'x');
    Files.write(vmlinuz, elf);

    assertThat(kernel(vmlinuz.toString()).out())
        .contains("  vermagic           " + RELEASE + "  (release of the banner;");
  }

  @Test
  void theNameInAnImageCannotControlTheTerminal() throws IOException {
    KernelSpec evil = KERNEL.released("6.1.0\u001b[2J");
    Files.write(vmlinuz, image(evil));

    assertThat(kernel(vmlinuz.toString()).out()).contains("\\x1b").doesNotContain("\u001b");
    assertThat(kernel("--format", "json", vmlinuz.toString()).out()).doesNotContain("\u001b");
  }

  @Test
  void aCheckTakesTheInstalledImageWhereThereIsNoSymvers() throws IOException {
    root.file("boot/vmlinuz-" + RELEASE, image(KERNEL));
    Path good =
        write("good", module("good").importing("_printk", 0x92997ed8).importing("own_fn", 0xaa));
    Path bad = write("bad", module("bad").importing("fput", 8));
    Path lost = write("lost", module("lost").importing("nobody_has_it", 1));

    WholeRun run = run("check", "--root", root.root().toString(), "" + good, "" + bad, "" + lost);

    assertThat(run.out())
        .contains("5 symbols of vmlinux, 1 module of its own")
        .contains("what vmlinux exports is read from\n    /boot/vmlinuz-" + RELEASE)
        .contains("3 verdicts: 1 compatible, 2 incompatible");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void anImageOfAnotherBuildIsANoteAndNotUsed() throws IOException {
    KernelSpec other =
        KERNEL.exporting(
            List.of(
                new Export("_printk", false, 1, ""),
                new Export("kfree", false, 2, ""),
                new Export("module_layout", false, 3, "")));
    root.module(RELEASE, "kernel/user.ko", module("user").importing("_printk", 0x92997ed8));
    root.file("boot/vmlinuz-" + RELEASE, image(other.released("5.5.5")));
    root.file("lib/modules/" + RELEASE + "/vmlinuz", image(other));
    Path good = write("good", module("good").importing("_printk", 0x92997ed8));

    WholeRun run = run("check", "--root", root.root().toString(), good.toString());

    assertThat(run.out())
        .contains("/boot/vmlinuz-" + RELEASE + ": is of kernel 5.5.5; not used")
        .contains("/vmlinuz: is of another build than the kernel's\n    own modules; not used")
        .contains("no Module.symvers: what vmlinux exports is known only as far as");
    assertThat(run.status()).isZero();
  }

  @Test
  void aBareImageIsAKernelWhoseModulesAreNotKnown() throws IOException {
    Path good = write("good", module("good").importing("_printk", 0x92997ed8));
    Path bad = write("bad", module("bad").importing("kfree", 5));
    Path open = write("open", module("open").importing("own_fn", 0xaa));

    WholeRun run =
        run("check", "" + good, "" + bad, "" + open, "--alone", "--kernel", vmlinuz.toString());

    assertThat(run.out())
        .startsWith(vmlinuz + " (kernel image): 5 symbols of vmlinux, 0 modules of its own\n")
        .contains("3 verdicts: 1 compatible, 1 incompatible, 1 undetermined");
    assertThat(run.status()).isEqualTo(1);
  }

  private Path write(String name, ModuleBuilder module) throws IOException {
    return Files.write(directory.resolve(name + ".ko"), module.build());
  }
}
