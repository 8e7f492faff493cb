package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class PayloadDecoderTest {
    private static final int LIMIT = 16 << 20;

    @TempDir
    Path directory;

    /** Returns random bytes, near and far repetitions, and more than one block of lz4. */
    private static byte[] sample(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Arrays.fill(bytes, size / 4, size / 2, (byte) 'x');
        System.arraycopy(bytes, 0, bytes, size / 2, size / 8);
        for (int i = size / 2; i < size - 3; i += 97) {
            System.arraycopy(bytes, i - 61, bytes, i, 3);
        }
        return bytes;
    }

    /** Decodes bytes that lie between other bytes, as in an image. */
    private static byte[] decode(byte[] packed, long expected, int limit) throws IOException {
        int start = 250;
        byte[] image = Payloads.concat(new byte[start], packed, new byte[8]);
        Compression compression = Compression.of(packed, 0, packed.length);
        PayloadDecoder.Decoded decoded =
                PayloadDecoder.decode(image, start, packed.length, compression, expected, limit);
        return Arrays.copyOf(decoded.bytes(), decoded.length());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void decodesWithAndWithoutAKnownSize(Packing packing) throws IOException {
        byte[] sample = sample(300_000);
        byte[] packed = packing.packWithSize(sample);

        assertThat(decode(packed, sample.length, LIMIT)).isEqualTo(sample);
        assertThat(decode(packed, 0, LIMIT)).isEqualTo(sample);
        assertThat(decode(Payloads.concat(packed, new byte[4096]), 0, LIMIT)).isEqualTo(sample);
    }

    @Test
    void lz4MayHaveSeveralBlocksAndEndWithOneThatIsFull() throws IOException {
        for (int size : new int[] {8 << 20, (8 << 20) + 1}) {
            byte[] sample = sample(size);
            byte[] packed = Packing.LZ4.packWithSize(sample);
            assertThat(decode(packed, size, LIMIT)).isEqualTo(sample);
            assertThat(decode(packed, 0, LIMIT)).isEqualTo(sample);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void refusesAnotherSizeThanRecorded(Packing packing) {
        byte[] packed = packing.packWithSize(sample(100_000));

        for (long wrong : new long[] {1, 99_999, 100_001, 10_000_000}) {
            assertThatThrownBy(() -> decode(packed, wrong, LIMIT)).isInstanceOf(UnreadableException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void refusesASizeBeyondTheLimitBeforeDecoding(Packing packing) {
        byte[] packed = packing.packWithSize(sample(100_000));

        assertThatThrownBy(() -> decode(packed, 0xffffffffL, LIMIT))
                .hasMessage("contents exceed the limit of " + LIMIT + " bytes");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void moreThanTheLimitIsNotDecoded(Packing packing) {
        byte[] packed = packing.pack(new byte[3_000_000]);

        assertThatThrownBy(() -> decode(packed, 0, 2_000_000)).hasMessage("contents exceed the limit of 2000000 bytes");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void exactlyTheLimitIsDecoded(Packing packing) throws IOException {
        byte[] sample = sample(500_000);

        assertThat(decode(packing.pack(sample), 0, sample.length)).isEqualTo(sample);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void refusesTruncatedBytesWithOneReason(Packing packing) {
        byte[] packed = packing.pack(sample(100_000));

        for (int length = 20; length < packed.length - 8; length += 1 + packed.length / 50) {
            byte[] part = Arrays.copyOf(packed, length);
            assertThatThrownBy(() -> decode(part, 100_000, LIMIT))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageNotContaining("\n");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void refusesDamagedBytesOrDecodesOthers(Packing packing) {
        byte[] packed = packing.pack(sample(20_000));
        Random random = new Random(7);
        for (int i = 0; i < 60; i++) {
            byte[] damaged = packed.clone();
            damaged[14 + random.nextInt(packed.length - 14)] ^= (byte) (1 << random.nextInt(8));
            try {
                decode(damaged, 0, 1 << 20);
            } catch (IOException e) {
                assertThat(e).isInstanceOf(UnreadableException.class);
            }
        }
    }

    @Test
    void refusesLzoInstructionsBeyondTheBlock() throws IOException {
        byte[] plain = "abcdabcdabcd".getBytes(StandardCharsets.US_ASCII);
        byte[] block = {0x15, 'a', 'b', 'c', 'd', (byte) 0xec, 0, 0x11, 0, 0};
        assertThat(decode(Packing.lzop(plain, block), 0, LIMIT)).isEqualTo(plain);
        for (int i = 0; i < block.length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                if (i == 8 && bit < 2) {
                    continue; // says how many literals follow the end, which is not checked
                }
                byte[] damaged = block.clone();
                damaged[i] ^= (byte) (1 << bit);
                byte[] packed = Packing.lzop(plain, damaged);
                assertThatThrownBy(() -> decode(packed, 0, LIMIT))
                        .as("bit %d of byte %d", bit, i)
                        .isInstanceOf(UnreadableException.class)
                        .hasMessage("corrupt lzo data");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "lz4, -l -9",
        "lzma, -9",
        "bzip2, -9",
        "xz, --check=crc32",
        "zstd, -19",
        "gzip, -9",
        "lzop, -9",
        "lzop, -3",
        "lzop, -1 --crc32",
        "lzop, -F"
    })
    void decodesTheOutputOfTheUsualPrograms(String program, String options) throws IOException {
        ExternalTool tool = ExternalTool.orSkip(program);
        byte[] sample = sample(program.startsWith("lz") ? 9_000_000 : 200_000);
        Path file = Files.write(directory.resolve("vmlinux.bin"), sample);
        Path packed = directory.resolve("vmlinux.packed");
        String command = program + " " + options + " -c '" + file + "' > '" + packed + "'";

        ExternalTool.orSkip("sh").run("-c", command);

        assertThat(tool).isNotNull();
        assertThat(decode(Files.readAllBytes(packed), 0, LIMIT)).isEqualTo(sample);
    }
}
