package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.codec.Packing.UnpackingObstacle;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tukaani.xz.ARM64Options;
import org.tukaani.xz.DeltaOptions;
import org.tukaani.xz.FilterOptions;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.X86Options;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZOutputStream;

/** Expects the answers of booted kernels: 7.2 for xz, 6.12 for gzip and zstd. */
class PackingTest {
    private static final byte[] PLAIN = new byte[5000];

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"0, NONE", "1, NONE", "4, CHECK", "10, CHECK"})
    void findsAnIntegrityCheckThatKernelsDoNotHave(int check, UnpackingObstacle obstacle) throws IOException {
        assertThat(packing(xz(check, new LZMA2Options()))).isEqualTo(new Packing(Compression.XZ, obstacle));
    }

    @Test
    void findsFiltersThatKernelsDoNotHave() throws IOException {
        assertThat(packing(xz(XZ.CHECK_CRC32, new X86Options(), new LZMA2Options()))
                        .obstacle())
                .isEqualTo(UnpackingObstacle.NONE);
        assertThat(packing(xz(XZ.CHECK_CRC32, new ARM64Options(), new LZMA2Options()))
                        .obstacle())
                .isEqualTo(UnpackingObstacle.NONE);
        assertThat(packing(xz(XZ.CHECK_CRC32, new DeltaOptions(), new LZMA2Options()))
                        .obstacle())
                .isEqualTo(UnpackingObstacle.FILTER);
        assertThat(packing(xz(XZ.CHECK_CRC32, new DeltaOptions(), new X86Options(), new LZMA2Options()))
                        .obstacle())
                .isEqualTo(UnpackingObstacle.FILTER);
    }

    @ParameterizedTest
    @CsvSource({"1, NONE", "64, NONE", "65, MEMORY", "96, MEMORY", "512, MEMORY"})
    void findsALargeDictionary(int mebibytes, UnpackingObstacle obstacle) throws IOException {
        byte[] file = xz(XZ.CHECK_CRC32, new LZMA2Options());
        int at = indexOfDictionary(file);
        file[at] = (byte) dictionary((long) mebibytes << 20);

        assertThat(Packing.of(file, file.length).obstacle()).isEqualTo(obstacle);
    }

    /** Returns the code of the smallest dictionary of 2^n or 3 * 2^n bytes that is large enough. */
    private static int dictionary(long wanted) {
        int bits = 0;
        while (2L + (bits & 1) << (bits >> 1) + 11 < wanted) {
            bits++;
        }
        return bits;
    }

    private static int indexOfDictionary(byte[] file) {
        for (int at = 12; ; at++) {
            if (file[at] == 0x21 && file[at + 1] == 1) {
                return at + 2;
            }
        }
    }

    /** Uses frames whose header has a window descriptor, the size of the contents, or both. */
    @ParameterizedTest
    @CsvSource({
        "04 50, NONE",
        "04 80, NONE",
        "04 81, MEMORY",
        "04 88, MEMORY",
        "04 89, WINDOW",
        "04 a8, WINDOW",
        "a4 0000000401, NONE"
    })
    void findsALargeWindow(String header, UnpackingObstacle obstacle) {
        byte[] file = new byte[64];
        System.arraycopy(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd}, 0, file, 0, 4);
        String hex = header.replace(" ", "");
        for (int i = 0; i < hex.length(); i += 2) {
            file[4 + i / 2] = (byte) Integer.parseInt(hex.substring(i, i + 2), 16);
        }

        assertThat(Packing.of(file, file.length)).isEqualTo(new Packing(Compression.ZSTD, obstacle));
    }

    @Test
    void acceptsFilesThatAreCutOff() throws IOException {
        for (byte[] file : List.of(xz(1, new LZMA2Options()), xz(1, new X86Options(), new LZMA2Options()))) {
            for (int length = 0; length < 40; length++) {
                assertThat(Packing.of(file, length).obstacle()).isIn(UnpackingObstacle.NONE, UnpackingObstacle.FILTER);
            }
        }
    }

    /** Writes a first stream, a second stream, and the bytes that follow them. */
    @ParameterizedTest
    @EnumSource(
            value = dev.weaklink.testing.Compression.class,
            names = {"XZ_CRC32", "GZIP", "ZSTD"})
    void findsContentsBehindTheFirstStream(dev.weaklink.testing.Compression compression) throws IOException {
        byte[] plain = new byte[300_000];
        new Random(1).nextBytes(plain);
        byte[] all = compression.compress(plain);
        byte[] empty = compression.compress(new byte[0]);

        assertThat(packing(all).obstacle()).isEqualTo(UnpackingObstacle.NONE);
        assertThat(packing(joined(all, empty)).obstacle()).isEqualTo(UnpackingObstacle.NONE);
        assertThat(packing(compression.compressInTwo(plain)).obstacle()).isEqualTo(UnpackingObstacle.STREAMS);
        assertThat(packing(joined(empty, all)).obstacle()).isEqualTo(UnpackingObstacle.STREAMS);
        assertThat(packing(joined(all, all)).obstacle()).isEqualTo(UnpackingObstacle.STREAMS);
    }

    @Test
    void acceptsPaddingOfXzAndSeveralBlocks() throws IOException {
        byte[] file = xz(XZ.CHECK_CRC32, new LZMA2Options());
        ByteArrayOutputStream blocks = new ByteArrayOutputStream();
        try (XZOutputStream out = new XZOutputStream(blocks, new LZMA2Options(), XZ.CHECK_CRC32)) {
            out.write(PLAIN);
            out.endBlock();
            out.write(PLAIN);
        }

        assertThat(packing(joined(file, new byte[8])).obstacle()).isEqualTo(UnpackingObstacle.NONE);
        assertThat(packing(blocks.toByteArray()).obstacle()).isEqualTo(UnpackingObstacle.NONE);
    }

    @ParameterizedTest
    @CsvSource({"0, NONE", "1, NONE", "8, NONE", "2, HEADER", "4, HEADER", "16, HEADER"})
    void findsGzipHeadersThatTheKernelDoesNotSkip(int flags, UnpackingObstacle obstacle) {
        byte[] file = dev.weaklink.testing.Compression.GZIP.compress(PLAIN);
        file[3] = (byte) flags;

        assertThat(Packing.of(file, file.length)).isEqualTo(new Packing(Compression.GZIP, obstacle));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(first);
        bytes.writeBytes(second);
        return bytes.toByteArray();
    }

    private static byte[] xz(int check, FilterOptions... filters) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (XZOutputStream out = new XZOutputStream(bytes, filters, check)) {
            out.write(PLAIN);
        }
        return bytes.toByteArray();
    }

    private Packing packing(byte[] file) throws IOException, UnreadableException {
        Path path = Files.write(directory.resolve("m.ko.xz"), file);
        FileContents contents = new FileContents();
        contents.load(path);
        return contents.packing();
    }
}
