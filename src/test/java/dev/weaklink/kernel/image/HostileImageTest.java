package dev.weaklink.kernel.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.weaklink.kernel.image.ByteView.TextSearch;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests crafted images: the reader must give one reason, and limit memory and time. */
class HostileImageTest {
    private static final byte[] VMLINUX = KernelWriter.elf(KernelSpec.of(Machine.X86_64), true);
    private static final long MEBIBYTE = 1 << 20;

    private static KernelImage read(byte[] file) throws UnreadableException {
        return ImageReader.read(file, file.length);
    }

    /** Returns the reason why the reader refuses the file. */
    private static String reason(byte[] file) {
        try {
            read(file);
        } catch (UnreadableException e) {
            assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
            return e.getMessage();
        }
        throw new AssertionError("was not refused");
    }

    private static void readOrRefuse(byte[] file) {
        try {
            assertThat(read(file)).isNotNull();
        } catch (UnreadableException e) {
            assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "LZ4_FRAME"})
    void refusesATruncatedImage(Packing packing) {
        byte[] payload = packing.packWithSize(VMLINUX);
        byte[] whole = Payloads.bzImage(payload);
        for (int length = 0; length < whole.length - 100; length += 1 + whole.length / 60) {
            assertThat(reason(Arrays.copyOf(whole, length))).isNotBlank();
        }
    }

    @Test
    void refusesAPayloadOutsideTheFile() {
        byte[] payload = Packing.ZSTD.packWithSize(VMLINUX);
        for (long length : new long[] {0, 7, payload.length + 200, 0x7fffffffL, 0xffffffffL}) {
            assertThat(reason(Payloads.bzImage(payload, length))).contains("the payload is outside");
        }
    }

    @Test
    void refusesWrongSizes() {
        byte[] packed = Packing.ZSTD.pack(VMLINUX);
        for (long size : new long[] {1, VMLINUX.length - 1, VMLINUX.length + 1, 100_000_000}) {
            byte[] image = Payloads.bzImage(Payloads.concat(packed, Payloads.u32(size)));
            assertThat(reason(image)).startsWith("its kernel cannot be unpacked: ");
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "BZIP2", "LZO", "LZ4_FRAME"})
    @Timeout(60)
    void refusesACompressionBombWithinItsLimits(Packing packing) {
        byte[] bomb = bomb(packing);
        byte[] image = Payloads.zImage(bomb);

        long before = allocated();
        assertThat(reason(image)).contains("limit");
        assertThat(allocated() - before).isLessThan(500 * MEBIBYTE);
    }

    @Test
    @Timeout(60)
    void refusesALzopBombWithinLimits(@TempDir Path directory) throws IOException {
        ExternalTool.orSkip("lzop");
        Path packed = directory.resolve("bomb");
        String zeros = "head -c " + (ContentsFinder.LIMIT + (1 << 20)) + " /dev/zero";
        ExternalTool.orSkip("sh").run("-c", zeros + " | lzop -1 > '" + packed + "'");
        byte[] image = Payloads.zImage(Files.readAllBytes(packed));

        long before = allocated();
        assertThat(reason(image)).contains("limit");
        assertThat(allocated() - before).isLessThan(500 * MEBIBYTE);
    }

    /** Returns more zeros than a kernel may have, compressed. */
    private static byte[] bomb(Packing packing) {
        byte[] zeros = new byte[ContentsFinder.LIMIT + (1 << 20)];
        return packing.pack(zeros);
    }

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    @Test
    void refusesAnImageThatIsNestedManyTimes() {
        byte[] unified = VMLINUX;
        for (int i = 0; i < 10; i++) {
            unified = Payloads.unified(unified);
        }
        assertThat(reason(unified)).contains("packed inside one another");
    }

    @Test
    @Timeout(60)
    void stopsInTimeAtAFileFullOfMagicNumbers() {
        byte[] image = Packing.GZIP.pack(new byte[100_000]);
        for (int level = 0; level < 3; level++) {
            byte[][] copies = new byte[40][];
            Arrays.fill(copies, Packing.GZIP.pack(image));
            image = Payloads.concat(copies);
        }
        assertThat(reason(Payloads.zImage(image))).isNotBlank();
    }

    @Test
    void namesTheKindOfARefusedFile() {
        byte[] module = ModuleBuilder.typical(Machine.X86_64, "m").build();
        assertThat(reason(module)).startsWith("is a module or object file");
        assertThat(reason(new byte[0])).isEqualTo("no Linux kernel was found in it");
        assertThat(reason("remember the milk\n".getBytes())).isEqualTo("no Linux kernel was found in it");
        assertThat(reason(new byte[] {0x7f, 'E', 'L', 'F'})).isEqualTo("truncated ELF file");
        byte[] text = Packing.GZIP.pack("remember the milk\n".getBytes());
        assertThat(reason(text)).isEqualTo("no Linux kernel was found in it");
    }

    @Test
    void refusesAFileLongerThanAKernelUnread() {
        assertThatThrownBy(() -> ImageReader.read(new byte[0], ContentsFinder.LIMIT + 1))
                .isInstanceOf(UnreadableException.class)
                .hasMessage(ContentsFinder.TOO_LARGE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void damagedKernelsAreReadOrRefused(long seed) {
        Random random = new Random(seed);
        for (Machine machine : List.of(Machine.X86_64, Machine.S390X, Machine.ARM)) {
            KernelSpec spec = KernelSpec.of(machine);
            for (byte[] whole :
                    List.of(KernelWriter.elf(spec, true), KernelWriter.elf(spec, false), KernelWriter.raw(spec))) {
                for (int i = 0; i < 25; i++) {
                    byte[] damaged = whole.clone();
                    for (int change = 0; change < 12; change++) {
                        damage(damaged, random);
                    }
                    readOrRefuse(damaged);
                }
            }
        }
    }

    /** Damages a byte in the headers, in the tables, or anywhere. */
    private static void damage(byte[] image, Random random) {
        int where = switch (random.nextInt(3)) {
            case 0 -> random.nextInt(128);
            case 1 -> 0x1000 + random.nextInt(image.length - 0x1000);
            default -> image.length - 1 - random.nextInt(800);
        };
        int[] telling = {0, 1, 0x7f, 0x80, 0xff, random.nextInt(256)};
        image[where] = (byte) telling[random.nextInt(telling.length)];
    }

    /** Uses many entries that all lead to the same long chain. */
    @Test
    @Timeout(60)
    void stopsInTimeAtAnImageOfCandidates() throws UnreadableException {
        KernelSpec spec = KernelSpec.of(Machine.AARCH64).exporting(many());
        byte[] kernel = KernelWriter.arm64(spec);
        byte[] image = Arrays.copyOf(kernel, 8 << 20);
        int name = indexOf(image, "module_layout\0");
        ByteBuffer words = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = kernel.length + 3 & -4; at < image.length - 4; at += 4) {
            words.putInt(at, name - at);
        }
        assertThat(read(image).release()).isEqualTo(spec.release());
    }

    private static List<Export> many() {
        return java.util.stream.IntStream.range(0, 400)
                .mapToObj(i -> new Export(i == 0 ? "module_layout" : "n" + (1000 + i), false, i, ""))
                .toList();
    }

    private static int indexOf(byte[] image, String text) {
        return new TextSearch(text).next(image, 0, image.length);
    }
}
