package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileContentsTest {
    @TempDir
    Path temp;

    private final FileContents contents = new FileContents();

    /** Returns half random and half repeated bytes, so that every compressor both stores and compresses. */
    private static byte[] sample(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Arrays.fill(bytes, size / 2, size, (byte) 'x');
        return bytes;
    }

    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("m.ko"), bytes);
    }

    private static byte[] loaded(FileContents contents) {
        return Arrays.copyOf(contents.bytes(), contents.length());
    }

    private void assertUnreadable(FileContents reader, Path file, String reason) {
        assertThatThrownBy(() -> reader.load(file))
                .isInstanceOf(UnreadableException.class)
                .hasMessageStartingWith(file + ": ")
                .hasMessageContaining(reason)
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "XZ", "ZSTD"})
    void readsBackWhatWasPackedWhateverTheName(Packing packing) throws IOException {
        byte[] sample = sample(300_000);
        contents.load(file(packing.pack(sample)));
        assertThat(contents.compression()).isEqualTo(Compression.valueOf(packing.name()));
        assertThat(loaded(contents)).isEqualTo(sample);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073})
    void readsFilesThatEndNearTheEndOfAChunk(int size) throws IOException {
        contents.load(file(sample(size)));
        assertThat(loaded(contents)).isEqualTo(sample(size));
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "XZ", "ZSTD"})
    void buffersAreReusedWithoutTracesOfTheFileBefore(Packing packing) throws IOException {
        for (int size : new int[] {2_500_000, 10, 0, 70_000}) {
            contents.load(file(packing.pack(sample(size))));
            assertThat(loaded(contents)).isEqualTo(sample(size));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "XZ", "ZSTD"})
    void readsConcatenatedStreams(Packing packing) throws IOException {
        byte[] first = sample(5_000);
        byte[] second = sample(9_000);
        contents.load(file(Payloads.concat(packing.pack(first), packing.pack(second))));
        assertThat(loaded(contents)).isEqualTo(Payloads.concat(first, second));
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "XZ", "ZSTD"})
    void everyTruncationIsAnError(Packing packing) throws IOException {
        byte[] packed = packing.pack(sample(400));
        for (int length = Compression.MAGIC_LENGTH; length < packed.length; length++) {
            Path file = file(Arrays.copyOf(packed, length));
            assertUnreadable(contents, file, packing.name().toLowerCase(java.util.Locale.ROOT));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "XZ"})
    void detectsEveryFlippedByte(Packing packing) throws IOException {
        byte[] packed = packing.pack(sample(200));
        for (int at = 12; at < packed.length; at++) {
            byte[] flipped = packed.clone();
            flipped[at] ^= 0x55;
            Path file = file(flipped);
            assertThatThrownBy(() -> contents.load(file)).isInstanceOf(UnreadableException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "XZ", "ZSTD"})
    void contentsBeyondTheLimitAreRefused(Packing packing) throws IOException {
        FileContents small = new FileContents(new Limits(10_000, 4096));
        small.load(file(packing.pack(new byte[10_000])));
        assertThat(small.length()).isEqualTo(10_000);
        assertUnreadable(small, file(packing.pack(new byte[10_001])), "exceed the limit of 10000 bytes");
    }

    @Test
    void gzipHeadersWithAllOptionalFieldsAreSkipped() throws IOException {
        byte[] plain = Packing.GZIP.pack(sample(100));
        byte[] header = Arrays.copyOf(plain, 10);
        header[3] = 2 | 4 | 8 | 16;
        byte[] optional = {3, 0, 1, 2, 3, 'n', 0, 'c', 'o', 0};
        CRC32 crc = new CRC32();
        crc.update(Payloads.concat(header, optional));
        byte[] check = {(byte) crc.getValue(), (byte) (crc.getValue() >> 8)};
        byte[] rest = Arrays.copyOfRange(plain, 10, plain.length);
        contents.load(file(Payloads.concat(header, optional, check, rest)));
        assertThat(loaded(contents)).isEqualTo(sample(100));
    }

    @Test
    void bytesBehindAGzipMemberAreIgnored() throws IOException {
        contents.load(file(Payloads.concat(Packing.GZIP.pack(sample(100)), new byte[512])));
        assertThat(loaded(contents)).isEqualTo(sample(100));
    }

    @Test
    void zstdFramesWithoutADeclaredSizeAreRead() throws IOException {
        byte[] sample = sample(3_000_000);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZstdOutputStream out = new ZstdOutputStream(bytes)) {
            out.write(sample);
        }
        assertThat(Zstd.getFrameContentSize(bytes.toByteArray())).isLessThanOrEqualTo(0);
        contents.load(file(bytes.toByteArray()));
        assertThat(loaded(contents)).isEqualTo(sample);
    }

    @Test
    void allocatesNothingForAClaimedHugeSize() throws IOException {
        // The frame has a magic, a descriptor (content size of 8 bytes, single segment), the size, and an empty last
        // raw block.
        byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, (byte) 0xe0, 0, 0, 0, 0x1f, 0, 0, 0, 0, 1, 0, 0};
        assertUnreadable(contents, file(frame), "zstd");
        assertThat(contents.bytes().length).isLessThan(4 << 20);
    }

    @Test
    void refusesAnXzStreamThatNeedsTooMuchMemory() throws IOException {
        FileContents small = new FileContents(new Limits(1 << 20, 100));
        assertUnreadable(small, file(Packing.XZ.pack(sample(100))), "KiB of memory to decode");
    }

    @Test
    void keepsNothingAfterAFailure() throws IOException {
        assertUnreadable(contents, file(new byte[] {0x1f, (byte) 0x8b, 8}), "truncated gzip data");
        assertThat(contents.length()).isZero();
        assertThat(contents.compression()).isEqualTo(Compression.NONE);
    }

    @Test
    void namesAMissingFile() {
        assertUnreadable(contents, temp.resolve("none.ko"), "no such file");
    }

    @Test
    void doesNotReadADirectory() {
        assertUnreadable(contents, temp, "is a directory");
    }

    @Test
    void doesNotReadADevice() {
        assertUnreadable(contents, Path.of("/dev/zero"), "not a regular file");
    }

    @Test
    @Timeout(20)
    void refusesAPipeWithoutWaiting() throws Exception {
        Path pipe = temp.resolve("pipe.ko");
        assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertUnreadable(contents, pipe, "not a regular file");
    }

    @Test
    void namesAFileWithoutPermission() throws IOException {
        Path file = file(sample(10));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(file)).as("running as root").isFalse();
        assertUnreadable(contents, file, "permission denied");
    }

    @Test
    void namesALinkLoop() throws IOException {
        Path loop = temp.resolve("loop.ko");
        Files.createSymbolicLink(loop, loop);
        assertUnreadable(contents, loop, "symbolic link");
    }
}
