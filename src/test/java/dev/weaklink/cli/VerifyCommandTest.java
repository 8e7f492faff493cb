package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What runs against what is installed, with a /proc and /sys of our own. */
class VerifyCommandTest {
  private static final String KERNEL = "5.14.0-1.el9";

  @TempDir Path directory;
  private TreeBuilder image;

  @BeforeEach
  void install() throws IOException {
    image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
    image.modulesOrder(KERNEL, List.of("kernel/own.ko"));
    installed("mlx_compat", "AAA");
    installed("ib_core", "BBB");
    file("proc/sys/kernel/osrelease", KERNEL + "\n");
  }

  private void installed(String name, String srcversion) {
    image.module(
        KERNEL,
        "extra/mlnx-ofa_kernel/" + name + ".ko",
        ModuleBuilder.typical(Machine.X86_64, name)
            .withoutModInfo("srcversion")
            .modInfo("srcversion=" + srcversion));
  }

  private void file(String path, String text) {
    image.file(path, text.getBytes(StandardCharsets.UTF_8));
  }

  private void loaded(String modules, String... srcversions) {
    file("proc/modules", modules);
    for (String pair : srcversions) {
      int equals = pair.indexOf('=');
      file(
          "sys/module/" + pair.substring(0, equals) + "/srcversion",
          pair.substring(equals + 1) + "\n");
    }
  }

  private WholeRun verify() {
    return WholeRun.of("verify", "--root", image.root().toString());
  }

  @Test
  void whatRunsAndIsInstalledNeedsNothing() {
    loaded(
        "ib_core 1 0 - Live 0x0\nmlx_compat 1 1 ib_core, Live 0x0\n",
        "ib_core=BBB",
        "mlx_compat=AAA");
    WholeRun run = verify();
    assertThat(run.out()).isEqualTo("5.14.0-1.el9: what is loaded is what is installed\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void anotherBuildThatNobodyUsesCanBeReloaded() {
    loaded("ib_core 1 0 - Live 0x0\nmlx_compat 1 1 ib_core, Live 0x0\n", "ib_core=OLD");
    WholeRun run = verify();
    assertThat(run.out())
        .isEqualTo(
            """
            5.14.0-1.el9: 1 loaded module of another build than what is installed
              stale: ib_core
            Next: a reload can work: /etc/init.d/openibd restart, or mlnx-en.d restart
            """);
    assertThat(run.status()).isZero();
  }

  @Test
  void everythingInTheWayOfAReloadIsNamed() throws IOException {
    loaded(
        """
        ko2iblnd 1 1 - Live 0x0
        ksmbd 1 0 - Live 0x0
        ib_core 1 5 ko2iblnd,ksmbd, Live 0x0
        """,
        "ib_core=OLD");
    file("proc/7/comm", "opensm\n");
    file("sys/bus/pci/devices/0000:03:00.0/sriov_numvfs", "4\n");
    file("sys/bus/pci/devices/0000:04:00.0/sriov_numvfs", "0\n");
    file("proc/8/comm", "mpi\u001b[2J\n");
    Files.createDirectories(image.root().resolve("proc/8/fd"));
    Files.createSymbolicLink(
        image.root().resolve("proc/8/fd/3"), Path.of("/dev/infiniband/uverbs0"));
    WholeRun run = verify();
    assertThat(run.out())
        .isEqualTo(
            """
            5.14.0-1.el9: 1 loaded module of another build than what is installed
              stale: ib_core
              in the way: 0000:03:00.0 has virtual functions
              in the way: ib_core is in use
              in the way: ib_core is in use by ko2iblnd, which is not part of it
              in the way: ib_core is in use by ksmbd, which is not part of it
              in the way: ko2iblnd is in use
              in the way: ko2iblnd is loaded and serves storage or a file system
              in the way: mpi\\x1b[2J (process 8) has a device below /dev/infiniband open
              in the way: opensm is running; stop it first
            Next: reboot; with Slurm, drained first: scontrol reboot ASAP nextstate=RESUME NODE
            """);
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void aModuleOfTheKernelInPlaceOfTheProductsIsNamedWithAllThreeMessages() {
    image.module(KERNEL, "kernel/rdma_cm.ko", ModuleBuilder.typical(Machine.X86_64, "rdma_cm"));
    loaded("");
    WholeRun run = verify();
    assertThat(run.out().replaceAll("\\s+", " "))
        .contains("rdma_cm would be the kernel's own (/lib/modules/5.14.0-1.el9/kernel/rdma_cm.ko)")
        .contains("'belong to kernel which is not a part of MLNX_OFED'")
        .contains("'Avoid loading inbox module: rdma_cm'");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void withoutProcNothingCanBeTold() {
    image.file("proc/sys/kernel/osrelease", new byte[0]);
    WholeRun run = verify();
    assertThat(run.messages())
        .containsExactly("/proc/sys/kernel/osrelease does not tell which kernel runs");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void oneProductIsLookedAtByItself() {
    image.module(
        KERNEL,
        "extra/zfs/zfs.ko",
        ModuleBuilder.typical(Machine.X86_64, "zfs")
            .withoutModInfo("srcversion")
            .modInfo("srcversion=ZZZ"));
    loaded(
        "zfs 1 2 - Live 0x0\nib_core 1 0 - Live 0x0\nmlx_compat 1 1 ib_core, Live 0x0\n",
        "ib_core=OLD",
        "zfs=OLD");
    assertThat(verify().status()).isEqualTo(1);
    String root = image.root().toString();
    WholeRun run = WholeRun.of("verify", "--root", root, "--product", "mlnx-ofed");
    assertThat(run.out()).contains("  stale: ib_core\n").doesNotContain("zfs");
    assertThat(run.status()).isZero();
    WholeRun unknown = WholeRun.of("verify", "--root", root, "--product", "acme");
    assertThat(unknown.messages())
        .containsExactly(
            "no rule knows a product 'acme'; there are: doca-ofed, generic, mlnx-en, mlnx-ofed");
    assertThat(unknown.status()).isEqualTo(2);
  }
}
