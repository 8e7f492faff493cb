package dev.weaklink.kernel.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Crcs;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads types and exports of an image that is unpacked only up to the end of its types. */
class ImagePrefixTest {
    private static final KernelSpec X86 = KernelSpec.of(Machine.X86_64);
    private static final String BANNER = "Linux version 6.1.0-7-test (gcc) #1 SMP\n";
    private static final int MIB = 1 << 20;

    private static BtfBuilder builder() {
        BtfBuilder types = new BtfBuilder();
        int number = types.integer("int", 4);
        types.struct("module", 64, new BtfBuilder.Member("state", number, 0));
        return types;
    }

    private static byte[] types() {
        return builder().build(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(17).nextBytes(bytes);
        return bytes;
    }

    /** Returns a kernel with the banner and the types at these offsets, followed by random bytes. */
    private static byte[] kernel(int banner, int types, byte[] section) {
        byte[] line = BANNER.getBytes(StandardCharsets.US_ASCII);
        return Payloads.concat(
                new byte[banner], line, new byte[Math.max(types - banner - line.length, 0)], section, noise(2 * MIB));
    }

    private static ImageTypes read(byte[] file) throws UnreadableException {
        return ImageReader.types(file, file.length, false);
    }

    private static byte[] bytes(ImageTypes found) {
        ByteBuffer section = found.section();
        byte[] bytes = new byte[section.remaining()];
        section.duplicate().get(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "LZ4_FRAME"})
    void readsTheSameTypesAsFromTheWholeImage(Packing packing) throws UnreadableException {
        byte[] file = Payloads.bzImage(packing.packWithSize(KernelWriter.elf(X86, builder())));

        ImageTypes found = read(file);

        assertThat(found.section())
                .isEqualTo(ImageReader.read(file, file.length).types());
        assertThat(found.release()).isEqualTo(X86.release());
        assertThat(bytes(found)).isEqualTo(types());
    }

    private static Stream<KernelSpec> kernels() {
        return Stream.of(
                X86, X86.flagged(Crcs.PLAIN), X86.flagged(Crcs.NONE), X86.laidOut("4.15.0", false, 2, Crcs.WORDS));
    }

    private static String symvers(ImageTypes found) {
        return new String(SymversWriter.write(found.exports()), StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void exportsAreThoseOfTheWholeImage(KernelSpec spec) throws UnreadableException {
        byte[] elf = KernelWriter.elf(spec, builder());
        byte[] payload = Packing.XZ_X86.packWithSize(Payloads.concat(elf, noise(2 * MIB)));
        byte[] whole = Payloads.bzImage(payload);
        byte[] damaged = Payloads.bzImage(damagedBehind(payload));

        ImageTypes found = ImageReader.types(damaged, damaged.length, true);

        assertThat(symvers(found))
                .isEqualTo(symvers(ImageReader.read(whole, whole.length).imageTypes()))
                .hasLineCount(spec.exports().size());
        assertThat(bytes(found)).isEqualTo(types());
    }

    @Test
    void readsTheWholeImageIfNoExportsPrecedeTheTypes() throws UnreadableException {
        byte[] beginning = Payloads.concat(BANNER.getBytes(StandardCharsets.US_ASCII), types());
        byte[] kernel = Payloads.concat(Arrays.copyOf(beginning, 4096), KernelWriter.elf(X86, true));
        byte[] file = Payloads.bzImage(Packing.GZIP.packWithSize(kernel));

        ImageTypes found = ImageReader.types(file, file.length, true);

        assertThat(symvers(found)).hasLineCount(X86.exports().size());
    }

    private static byte[] damagedBehind(byte[] packed) {
        byte[] damaged = packed.clone();
        for (int i = damaged.length - 20_000; i < damaged.length - 10_000; i++) {
            damaged[i] ^= 0x55;
        }
        return damaged;
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"GZIP", "LZMA", "XZ_X86"})
    void ignoresDamageBehindTheTypes(Packing packing) throws UnreadableException {
        byte[] payload = packing.packWithSize(kernel(100, 5000, types()));
        byte[] file = Payloads.bzImage(damagedBehind(payload));

        assertThat(bytes(read(file))).isEqualTo(types());
        assertThatThrownBy(() -> ImageReader.read(file, file.length)).isInstanceOf(UnreadableException.class);
    }

    /** Moves the types across the border between two pieces of the unpacked kernel. */
    @Property(tries = 60)
    void findsTypesAtAnyOffset(
            @ForAll @IntRange(min = -60, max = 60) int banner,
            @ForAll @IntRange(min = -120, max = 120) int section,
            @ForAll @IntRange(max = 1) int window)
            throws UnreadableException {
        // Each piece begins with the last two KiB of the previous piece.
        int end = MIB + window * (MIB - 2048);
        byte[] kernel = kernel(end + banner, end + 200 + section, types());
        byte[] file = Payloads.bzImage(Packing.GZIP.packWithSize(kernel));

        ImageTypes found = read(file);

        assertThat(found.release()).isEqualTo("6.1.0-7-test");
        assertThat(bytes(found)).isEqualTo(types());
    }

    @Test
    void findsTypesWhoseHeaderIsSplitAtAnyByte() throws UnreadableException {
        for (int cut = 0; cut <= 40; cut++) {
            byte[] kernel = kernel(10, MIB - cut, types());
            assertThat(bytes(read(Payloads.bzImage(Packing.GZIP.packWithSize(kernel)))))
                    .as("%d bytes before the end", cut)
                    .isEqualTo(types());
        }
    }

    @Test
    void findsNoTypesInAKernelWithoutThem() throws UnreadableException {
        byte[] file = Payloads.bzImage(Packing.XZ_X86.packWithSize(kernel(10, 0, new byte[0])));

        assertThat(read(file)).isEqualTo(new ImageTypes("6.1.0-7-test", null, null));
    }

    /** Uses headers that claim more types than the image contains, or than any kernel has. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"GZIP", "XZ_X86"})
    void doesNotTrustALength(Packing packing) throws UnreadableException {
        for (int length : new int[] {MIB, 1 << 30, -1}) {
            byte[] section = types();
            ByteBuffer.wrap(section).order(ByteOrder.LITTLE_ENDIAN).putInt(20, length);
            byte[] file = Payloads.bzImage(packing.packWithSize(kernel(10, 500, section)));

            ImageTypes found = read(file);

            assertThat(found.section())
                    .isEqualTo(ImageReader.read(file, file.length).types());
        }
    }
}
