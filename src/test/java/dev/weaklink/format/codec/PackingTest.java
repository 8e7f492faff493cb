package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.codec.Packing.UnpackingObstacle;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tukaani.xz.ARM64Options;
import org.tukaani.xz.DeltaOptions;
import org.tukaani.xz.FilterOptions;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.X86Options;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZOutputStream;

/** Each of these files was given to a booted kernel of 7.2. */
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

    /** The smallest size of the form 2^n or 3 * 2^n that is large enough, as the format writes it. */
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

    /** Frames whose header has a window descriptor, one with the size of its contents, and one with both. */
    @ParameterizedTest
    @CsvSource({"04 50, NONE", "04 80, NONE", "04 81, MEMORY", "04 90, MEMORY", "04 a8, MEMORY", "a4 0000000401, NONE"})
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
