package dev.weaklink.system.initramfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.initramfs.InitramfsImage.ImageLimits;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HostileImageTest {
    private static final ImageLimits SMALL = new ImageLimits(1 << 20, 1 << 20, 100, 16 << 10);

    @TempDir
    Path directory;

    @Test
    void refusesFilesThatAreNotImages() throws IOException {
        assertRefused(new byte[0], "empty file");
        assertRefused(new byte[9000], "contains no archive, only zeros");
        assertRefused(ascii("#!/bin/sh\n"), "neither a cpio archive nor a known compression");
        assertRefused(Arrays.copyOf(Packing.LZO.pack(new byte[9]), 12), "truncated lzo data");
        assertThatThrownBy(() -> InitramfsImage.read(directory))
                .isInstanceOf(UnreadableException.class)
                .hasMessage(directory + ": not a regular file");
        assertThatThrownBy(() -> InitramfsImage.read(directory.resolve("none")))
                .hasMessage(directory.resolve("none") + ": no such file");
    }

    @Test
    void refusesArchivesWithImpossibleFields() throws IOException {
        assertRefused(new CpioWriter().header(CpioWriter.FILE, 0, 0).end(), "a name of 0 bytes");
        assertRefused(new CpioWriter().header(CpioWriter.FILE, 0, 4097).end(), "a name of 4097 bytes");
        assertRefused(new CpioWriter().header(CpioWriter.FILE, 0, 0xffff_ffffL).end(), "a name of 4294967295 bytes");
        assertRefused(new CpioWriter().header(CpioWriter.FILE, 0, 3).end(), "a name does not end with a NUL byte");
        assertRefused(new CpioWriter("070707").file("a", 1).end(), "the old portable format");
        assertRefused(new CpioWriter("070703").file("a", 1).end(), "an entry has no magic");
        byte[] image = new CpioWriter().file("a", 1).end();
        image[20] = 'g';
        assertRefused(image, "a header is not hexadecimal");
    }

    @Test
    void treatsASizeBeyondTheFileAsATruncatedArchive() throws IOException {
        CpioWriter writer = new CpioWriter().header(CpioWriter.FILE, 0xffff_fff0L, 2);
        assertRefused(joined(writer.withoutTrailer(), ascii("a\0")), "truncated: the last entry is cut off");
    }

    @ParameterizedTest
    @EnumSource(Packing.class)
    void refusesAnImageTruncatedAnywhere(Packing packing) throws IOException {
        byte[] image =
                packing.pack(new CpioWriter().file("lib/modules/6/a.ko", 300).end());
        for (int length = 1; length < image.length; length++) {
            Path file = write(Arrays.copyOf(image, length));
            if (packing == Packing.NONE && length >= image.length - 3) {
                continue; // Padding behind the trailer may be of any length.
            }
            assertThatThrownBy(() -> InitramfsImage.read(file))
                    .as("%d of %d bytes", length, image.length)
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageStartingWith(file + ": ")
                    .message()
                    .doesNotContain("\n");
        }
    }

    @ParameterizedTest
    @EnumSource(Packing.class)
    void answersEveryCorruptByteWithAnImageOrOneReason(Packing packing) throws IOException {
        byte[] image =
                packing.pack(new CpioWriter().file("lib/modules/6/a.ko", 300).end());
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            byte[] corrupt = image.clone();
            corrupt[random.nextInt(corrupt.length)] = (byte) random.nextInt(256);
            try {
                assertThat(InitramfsImage.read(write(corrupt), SMALL).modules()).hasSizeLessThan(2);
            } catch (UnreadableException e) {
                assertThat(e.reason()).isNotBlank().doesNotContain("\n");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Packing.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "LZO"}) // stored as it is
    void stopsAtTheLimitOfUnpackedBytes(Packing packing) throws IOException {
        byte[] bomb = packing.pack(new CpioWriter().file("a", 2 << 20).end());
        assertRefused(bomb, "unpacks to more than the limit of 1048576 bytes");
    }

    @Test
    void countsPaddingInsideACompressedStreamToo() throws IOException {
        byte[] zeros = joined(new CpioWriter().end(), new byte[2 << 20]);
        assertRefused(Packing.ZSTD.pack(zeros), "unpacks to more than the limit");
    }

    @Test
    void limitsEntriesOfAllArchivesTogether() throws IOException {
        byte[][] archives = new byte[11][];
        for (int i = 0; i < archives.length; i++) {
            CpioWriter writer = new CpioWriter();
            for (int entry = 0; entry < 10; entry++) {
                writer.file("f", 0);
            }
            archives[i] = writer.end();
        }
        assertRefused(joined(archives), "has more than 100 entries");
    }

    @Test
    void refusesALargeFileBeforeOpeningIt() throws IOException {
        assertRefused(new byte[(1 << 20) + 1], "larger than the limit of 1048576 bytes");
    }

    @Test
    void refusesAnXzStreamThatAsksForTooMuchMemory() throws IOException {
        ImageLimits little = new ImageLimits(1 << 20, 1 << 20, 100, 64);
        Path file = write(Packing.XZ.pack(new CpioWriter().file("a", 1).end()));
        assertThatThrownBy(() -> InitramfsImage.read(file, little))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("KiB of memory to decode, but the limit is 64 KiB");
    }

    @Test
    void doesNotPretendToKnowWhatAnInnerFileSystemHolds() throws IOException {
        assertRefused(
                new CpioWriter().file("squashfs-root.img", 10).end(),
                "the modules are in squashfs-root.img, a file system image that weaklink cannot read");
    }

    private void assertRefused(byte[] image, String reason) throws IOException {
        Path file = write(image);
        assertThatThrownBy(() -> InitramfsImage.read(file, SMALL))
                .isInstanceOf(UnreadableException.class)
                .hasMessageStartingWith(file + ": ")
                .hasMessageContaining(reason);
    }

    private Path write(byte[] image) throws IOException {
        return Files.write(directory.resolve("image"), image);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] joined(byte[]... parts) {
        return InitramfsImageTest.joined(parts);
    }
}
