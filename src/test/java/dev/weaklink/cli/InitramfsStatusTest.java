package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.system.initramfs.CpioWriter;
import dev.weaklink.system.initramfs.InitramfsTools;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of the whole program on initramfs images and the trees that they were made from. */
class InitramfsStatusTest {
    private static final String KERNEL = "6.1.0-9-test";
    private static final String EXTRA = "usr/lib/modules/" + KERNEL + "/extra/";
    private static final int NEW_CRC = 0x2222;
    private static final int OLD_CRC = 0x1111;

    @TempDir
    Path directory;

    private TreeBuilder root;

    /** Installs the two modules of a driver: core imports a symbol from firmware. */
    @BeforeEach
    void install() throws IOException {
        root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
        root.symvers(
                SymversPlace.MODULES_XZ,
                KERNEL,
                new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344));
        root.module(KERNEL, "kernel/own.ko", module("own", "OWN"));
        root.module(KERNEL, "extra/firmware.ko", firmware("NEW", NEW_CRC));
        root.module(KERNEL, "extra/core.ko", core("NEW", NEW_CRC));
    }

    private static ModuleBuilder module(String name, String source) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + KERNEL + " SMP mod_unload modversions ")
                .modInfo("srcversion=" + source);
    }

    private static ModuleBuilder firmware(String source, int crc) {
        return module("firmware", source).exporting("flash", Export.Table.NORMAL, crc);
    }

    private static ModuleBuilder core(String source, int crc) {
        return module("core", source).importing("flash", crc);
    }

    private static CpioWriter image() {
        return new CpioWriter().entry(CpioWriter.FILE, "init", new byte[9]);
    }

    private static CpioWriter with(CpioWriter image, String name, byte[] module) {
        return image.entry(CpioWriter.FILE, EXTRA + name, module);
    }

    private static byte[] current() {
        CpioWriter image = with(image(), "firmware.ko", firmware("NEW", NEW_CRC).build());
        return with(image, "core.ko", core("NEW", NEW_CRC).build()).end();
    }

    private void boot(byte[] image) {
        root.file("boot/initrd.img-" + KERNEL, image);
    }

    private WholeRun check(String... more) {
        List<String> words =
                new ArrayList<>(List.of("status", "--root", root.root().toString(), "--kernel", KERNEL));
        words.addAll(List.of(more));
        return WholeRun.of(words.toArray(new String[0]));
    }

    @ParameterizedTest
    @EnumSource(Packing.class)
    void acceptsAnImageOfTheInstalledModules(Packing packing) {
        boot(packing.pack(current()));

        WholeRun run = check();

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .isEqualTo("0 links, none defective\n\n/boot/initrd.img-"
                        + KERNEL
                        + " ("
                        + KERNEL
                        + "): 2 modules: 2 as installed\n");
    }

    @Test
    void searchesFurtherArchivesBehindMicrocode() {
        byte[] microcode = new CpioWriter()
                .entry(CpioWriter.FILE, "kernel/x86/microcode/GenuineIntel.bin", new byte[777])
                .end();
        byte[] stale = with(
                        new CpioWriter(),
                        "firmware.ko",
                        firmware("OLD", OLD_CRC).build())
                .end();
        boot(Payloads.concat(microcode, new byte[512], Packing.ZSTD.pack(current()), Packing.GZIP.pack(stale)));

        assertThat(check()).isEqualTo(new WholeRun(1, """
                0 links, none defective

                /boot/initrd.img-6.1.0-9-test (6.1.0-9-test): 3 modules: 2 as installed, 1 stale
                  stale  firmware  usr/lib/modules/6.1.0-9-test/extra/firmware.ko
                      source version OLD, and NEW in /lib/modules/6.1.0-9-test/extra/firmware.ko
                Next: to regenerate it, run the tool that made it (update-initramfs and dracut are not installed)
                """, ""));
    }

    @Test
    void ignoresCompressionSignatureAndStripping() {
        Oddities built = Oddities.NONE.andBuildId("00112233445566778899aabbccddeeff00112233");
        byte[] plain = module("odd", "X").oddities(built).build();
        root.file("lib/modules/" + KERNEL + "/extra/odd.ko", plain);
        CpioWriter image = image().entry(CpioWriter.FILE, EXTRA + "odd.ko.xz", Compression.XZ_CRC32.compress(plain))
                .entry(CpioWriter.FILE, "lib/odd.ko", SigningKey.ec("k").sign(plain));
        boot(image.end());

        WholeRun run = check();

        assertThat(run).isEqualTo(new WholeRun(0, """
                0 links, none defective

                /boot/initrd.img-6.1.0-9-test (6.1.0-9-test): 2 modules: 1 as installed, 1 of the same build
                """, ""));
    }

    @Test
    void ignoresLinksAndModulesOfOtherKernels() {
        boot(image().entry(CpioWriter.FILE, "lib/modules/5.0.0-1/extra/core.ko", new byte[3])
                .entry(CpioWriter.LINK, EXTRA + "core.ko", "x".getBytes(StandardCharsets.US_ASCII))
                .entry(
                        CpioWriter.FILE,
                        EXTRA + "firmware.ko",
                        firmware("NEW", NEW_CRC).build())
                .end());

        WholeRun run = check();

        assertThat(run).isEqualTo(new WholeRun(0, """
                0 links, none defective

                /boot/initrd.img-6.1.0-9-test (6.1.0-9-test): 2 modules: 1 as installed, 1 of another kernel
                """, ""));
    }

    @Test
    void refusesAModuleOfAnImpossibleSize() {
        byte[] header = new CpioWriter().header(CpioWriter.FILE, 0xffffffffL, 5).withoutTrailer();
        boot(Payloads.concat(header, "m.ko\0\0".getBytes(StandardCharsets.US_ASCII)));

        WholeRun run = check();
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .startsWith("0 links, none defective\n\n6.1.0-9-test: may not be safe: 2 modules would load, but")
                .endsWith("""

                        /boot/initrd.img-6.1.0-9-test (6.1.0-9-test): cannot be read: contains a module of 4294967295 bytes, over the limit of 256 MiB
                        """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "xz", "zstd"})
    void acceptsDracutsImageOfTheInstalledModules(String compressor) throws IOException {
        ExternalTool dracut = ExternalTool.orSkip("dracut");
        Path image = directory.resolve("image");
        dracut.run(
                "--force",
                "--no-kernel",
                "--no-hostonly",
                "--tmpdir",
                directory.toString(),
                "-m",
                " ",
                "-i",
                root.root().resolve("lib/modules/" + KERNEL).toString(),
                "/usr/lib/modules/" + KERNEL,
                "--compress",
                compressor,
                image.toString(),
                KERNEL);

        WholeRun run = check("--initramfs", image.toString());

        assertThat(run.at(directory))
                .isEqualTo(new WholeRun(0, "DIR/image (6.1.0-9-test): 3 modules: 3 of the same build\n", ""));

        root.module(KERNEL, "extra/core.ko", core("NEWER", NEW_CRC));
        assertThat(check("--initramfs", image.toString()).at(directory)).isEqualTo(new WholeRun(1, """
                DIR/image (6.1.0-9-test): 3 modules: 2 of the same build, 1 stale
                  stale  core  usr/lib/modules/6.1.0-9-test/extra/core.ko
                      source version NEW, and NEWER in /lib/modules/6.1.0-9-test/extra/core.ko
                Next: to regenerate it, run the tool that made it, for kernel 6.1.0-9-test
                """, ""));
    }

    @Test
    void acceptsInitramfsToolsImageOfTheInstalledModules() throws IOException {
        Path modules = root.root().resolve("lib/modules/" + KERNEL);
        String copy = "mkdir -p \"$DESTDIR/usr/lib/modules\"; cp -r '" + modules + "' \"$DESTDIR/usr/lib/modules\"";

        Path image = InitramfsTools.make(directory, KERNEL, "zstd", copy);

        WholeRun run = check("--initramfs", image.toString());
        assertThat(run.at(directory))
                .isEqualTo(new WholeRun(0, "DIR/image (6.1.0-9-test): 3 modules: 3 as installed\n", ""));
    }
}
