package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged kernel images. Undamaged images are in test-fixtures/cases/command. */
class InspectKernelTest {
    private static final String RELEASE = "6.1.0-7-test";
    private static final KernelSpec KERNEL = KernelSpec.of(Machine.X86_64)
            .exporting(List.of(
                    new Export("_printk", false, 0x92997ed8, ""),
                    new Export("kfree", false, 0x037a0cba, ""),
                    new Export("module_layout", false, 0x11223344, ""),
                    new Export("dma_buf_get", true, 0x1a2b3c4d, "DMA_BUF"),
                    new Export("fput", true, 0x00000007, "")));

    @TempDir
    Path directory;

    private Path vmlinuz(byte[] image) throws IOException {
        return Files.write(directory.resolve("vmlinuz"), image);
    }

    private static byte[] image(KernelSpec kernel) {
        return Payloads.bzImage(Packing.ZSTD.packWithSize(KernelWriter.elf(kernel, true)));
    }

    @Test
    void reportsATruncatedImageInOneLine() throws IOException {
        Path cut = vmlinuz(Arrays.copyOf(image(KERNEL), 3000));
        String message = " is truncated, or its header is corrupt: the payload is outside the file\n";
        WholeRun said = new WholeRun(2, "", "weaklink: " + cut + ":" + message);
        assertThat(WholeRun.of("inspect", cut.toString())).isEqualTo(said);
        assertThat(WholeRun.of("inspect", "--symvers", cut.toString())).isEqualTo(said);
    }

    @Test
    void readsTheReleaseFromTheBannerWithoutVermagic() throws IOException {
        byte[] elf = KernelWriter.elf(KERNEL, true);
        String text = new String(elf, StandardCharsets.ISO_8859_1);
        int at = text.indexOf("\0" + KERNEL.vermagic());
        Arrays.fill(elf, at + 1, at + KERNEL.vermagic().length(), (byte) 'x');
        String out = WholeRun.of("inspect", vmlinuz(elf).toString()).out();
        assertThat(out.lines().toList().get(4))
                .isEqualTo("  vermagic           6.1.0-7-test  (release from the image's banner; vermagic not found)");
    }

    @Test
    void escapesTheNameInAnImage() throws IOException {
        String evil = vmlinuz(image(KERNEL.released("6.1.0\u001b[2J"))).toString();
        assertThat(WholeRun.of("inspect", evil).out()).contains("\\x1b").doesNotContain("\u001b");
        assertThat(WholeRun.of("inspect", "--format", "json", evil).out()).doesNotContain("\u001b");
    }
}
