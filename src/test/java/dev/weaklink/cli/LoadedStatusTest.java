package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loaded modules in {@code status}, with a made-up /proc and /sys. */
class LoadedStatusTest {
    private static final String KERNEL = "5.14.0-1.el9";

    private static final String LINKS = "0 links, none defective\n\n";

    @TempDir
    Path directory;

    private TreeBuilder image;

    @BeforeEach
    void install() throws IOException {
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        image.modulesOrder(KERNEL, List.of("kernel/own.ko"));
        image.symvers(
                SymversPlace.MODULES_XZ,
                KERNEL,
                new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344));
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
            file("sys/module/" + pair.substring(0, equals) + "/srcversion", pair.substring(equals + 1) + "\n");
        }
    }

    /** Writes a note as the kernel shows it: sizes, type, owner and the id. */
    private void buildId(String module, String hex) {
        byte[] id = HexFormat.of().parseHex(hex);
        ByteBuffer note = ByteBuffer.allocate(16 + id.length).order(ByteOrder.LITTLE_ENDIAN);
        note.putInt(4).putInt(id.length).putInt(3).put("GNU\0".getBytes(StandardCharsets.US_ASCII));
        image.file(
                "sys/module/" + module + "/notes/.note.gnu.build-id",
                note.put(id).array());
    }

    private WholeRun verify() {
        return WholeRun.of("status", "--root", image.root().toString());
    }

    @Test
    void loadedAndInstalledBuildNeedsNoStep() {
        loaded("ib_core 1 0 - Live 0x0\nmlx_compat 1 1 ib_core, Live 0x0\n", "ib_core=BBB", "mlx_compat=AAA");
        WholeRun run = verify();
        assertThat(run.out()).isEqualTo(LINKS + "5.14.0-1.el9: loaded modules match the installed ones\n");
        assertThat(run.status()).isZero();
    }

    @Test
    void buildIdsDistinguishBuildsWithoutSrcversion() {
        image.module(
                KERNEL,
                "extra/dkms/acpi_call.ko",
                ModuleBuilder.typical(Machine.X86_64, "acpi_call")
                        .withoutModInfo("srcversion")
                        .oddities(Oddities.NONE.andBuildId("00ff17")));
        loaded("acpi_call 1 0 - Live 0x0\n");
        buildId("acpi_call", "00ff17");
        assertThat(verify().out()).isEqualTo(LINKS + "5.14.0-1.el9: loaded modules match the installed ones\n");
        assertThat(verify().status()).isZero();
        buildId("acpi_call", "00ff18");
        assertThat(verify()).isEqualTo(new WholeRun(1, """
                0 links, none defective

                5.14.0-1.el9: 1 loaded module from another build than the installed module
                  stale: acpi_call
                Next: reboot, or reload the stale modules (RDMA: /etc/init.d/openibd restart, or mlnx-en.d restart)
                """, ""));
    }

    @Test
    void isUndeterminedWithoutBuildIdAndSrcversion() {
        image.module(
                KERNEL,
                "extra/dkms/acpi_call.ko",
                ModuleBuilder.typical(Machine.X86_64, "acpi_call").withoutModInfo("srcversion"));
        loaded("acpi_call 1 0 - Live 0x0\nmlx_compat 1 0 - Live 0x0\n", "mlx_compat=AAA");
        WholeRun run = verify();
        assertThat(run.out()).isEqualTo(LINKS + """
            5.14.0-1.el9: it cannot be determined whether loaded modules match the installed ones
              no build-id or srcversion to compare: acpi_call
            """);
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void doesNotCompareModulesThatAreNotLoaded() {
        loaded("ext4 1 0 - Live 0x0\n");
        WholeRun run = verify();
        assertThat(run.out())
                .isEqualTo(LINKS + "5.14.0-1.el9: none of the 2 installed out-of-tree modules is loaded\n");
        assertThat(run.status()).isZero();
    }

    @Test
    void namesALoadedModuleThatIsNoLongerInstalled() {
        loaded("nvidia 1 0 - Live 0x0 (POE)\nkpatch 1 0 - Live 0x0 (OEK)\nib_core 1 0 - Live 0x0\n", "ib_core=BBB");
        WholeRun run = verify();
        assertThat(run.out()).isEqualTo(LINKS + """
            5.14.0-1.el9: 1 loaded module no longer installed
              no longer installed: nvidia
            Next: reboot (with Slurm: scontrol reboot ASAP nextstate=RESUME NODE, which drains the node first)
            """);
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void namesARunningKernelWithoutAModulesDirectory() {
        assertThat(verify().messages())
                .containsExactly("loaded modules: kernel "
                        + KERNEL
                        + " is running, but "
                        + image.root()
                        + "/proc/modules does not exist, so the loaded modules are not known");
        file("proc/sys/kernel/osrelease", "9.9-gone\n");
        WholeRun run = verify();
        assertThat(run.messages())
                .containsExactly("loaded modules: kernel 9.9-gone is running, but "
                        + image.root()
                        + "/lib/modules/9.9-gone does not exist; was that kernel removed?");
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void offersToReloadAnUnusedModuleOfAnotherBuild() {
        loaded("ib_core 1 0 - Live 0x0\nmlx_compat 1 1 ib_core, Live 0x0\n", "ib_core=OLD", "mlx_compat=AAA");
        WholeRun run = verify();
        assertThat(run.out()).isEqualTo(LINKS + """
            5.14.0-1.el9: 1 loaded module from another build than the installed module
              stale: ib_core
            Next: reboot, or reload the stale modules (RDMA: /etc/init.d/openibd restart, or mlnx-en.d restart)
            """);
        assertThat(run.status()).as("until that is done").isEqualTo(1);
    }

    @Test
    void namesAllObstaclesToAReload() throws IOException {
        loaded("""
        ko2iblnd 1 1 - Live 0x0
        ksmbd 1 0 - Live 0x0
        ib_core 1 5 ko2iblnd,ksmbd, Live 0x0
        """, "ib_core=OLD");
        file("proc/7/comm", "opensm\n");
        file("sys/bus/pci/devices/0000:03:00.0/sriov_numvfs", "4\n");
        file("sys/bus/pci/devices/0000:04:00.0/sriov_numvfs", "0\n");
        file("proc/8/comm", "mpi\u001b[2J\n");
        Files.createDirectories(image.root().resolve("proc/8/fd"));
        Files.createSymbolicLink(image.root().resolve("proc/8/fd/3"), Path.of("/dev/infiniband/uverbs0"));
        WholeRun run = verify();
        assertThat(run.out()).isEqualTo(LINKS + """
            5.14.0-1.el9: 1 loaded module from another build than the installed module
              stale: ib_core
              a reload would fail: 0000:03:00.0 has virtual functions
              a reload would fail: ib_core is in use
              a reload would fail: ib_core is in use by ko2iblnd, which a reload would not unload
              a reload would fail: ib_core is in use by ksmbd, which a reload would not unload
              a reload would fail: ko2iblnd is in use
              a reload would fail: ko2iblnd is loaded for storage or a file system
              a reload would fail: mpi\\x1b[2J (process 8) has a device below /dev/infiniband open
              a reload would fail: opensm is running; stop it first
            Next: reboot (with Slurm: scontrol reboot ASAP nextstate=RESUME NODE, which drains the node first)
            """);
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void namesAnInTreeModuleInPlaceOfTheProductsOne() {
        image.module(KERNEL, "kernel/rdma_cm.ko", ModuleBuilder.typical(Machine.X86_64, "rdma_cm"));
        loaded("");
        WholeRun run = verify();
        assertThat(run.at(image.root()).out().replaceAll("\\s+", " "))
                .isEqualTo("0 links, none defective 5.14.0-1.el9: none of the 2 installed out-of-tree modules is"
                        + " loaded not the vendor's module: rdma_cm: modprobe would load the"
                        + " in-tree module /lib/modules/5.14.0-1.el9/kernel/rdma_cm.ko; the start script openibd up"
                        + " to 5.8 prints 'belong to kernel which is not a part of MLNX_OFED', openibd 23.10 skips the"
                        + " module without a message, and later versions print 'Avoid loading inbox module: rdma_cm'"
                        + " Next: see 'weaklink plan --root DIR' for the missing lines of depmod.d ");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void isSilentWithoutARunningKernel() throws IOException {
        Files.delete(image.root().resolve("proc/sys/kernel/osrelease"));
        WholeRun run = verify();
        assertThat(run.out()).isEqualTo("0 links, none defective\n");
        assertThat(run.status()).isZero();
    }
}
