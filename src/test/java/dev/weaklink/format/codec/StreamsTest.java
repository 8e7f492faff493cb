package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StreamsTest {
    private static final byte[] TEXT =
            "0x12345678\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n".repeat(5000).getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path temp;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("symvers"), bytes);
    }

    private static byte[] readAll(Path file, Limits limits) throws IOException {
        try (InputStream in = Streams.open(file, limits)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "XZ", "ZSTD"})
    void readsTextInEveryPacking(Packing packing) throws IOException {
        Path file = file(packing.pack(TEXT));
        assertThat(readAll(file, Limits.DEFAULT)).isEqualTo(TEXT);
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "XZ", "ZSTD"})
    void concatenatedPiecesAreReadToTheEnd(Packing packing) throws IOException {
        byte[] packed = packing.pack(TEXT);
        Path file = file(Payloads.concat(packed, packed));
        assertThat(readAll(file, Limits.DEFAULT)).hasSize(2 * TEXT.length);
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "XZ", "ZSTD"})
    void truncationIsAnErrorThatNamesTheFile(Packing packing) throws IOException {
        byte[] packed = packing.pack(TEXT);
        for (int length : new int[] {Compression.MAGIC_LENGTH, 15, packed.length - 1}) {
            Path file = file(Arrays.copyOf(packed, length));
            assertThatThrownBy(() -> readAll(file, Limits.DEFAULT))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageStartingWith(file + ": truncated");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "XZ", "ZSTD"})
    void enforcesTheLimitToTheByte(Packing packing) throws IOException {
        Path file = file(packing.pack(TEXT));
        assertThat(readAll(file, new Limits(TEXT.length, 65536))).hasSize(TEXT.length);
        assertThatThrownBy(() -> readAll(file, new Limits(TEXT.length - 1, 65536)))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("exceed the limit");
    }

    @Test
    void emptyAndVeryShortFilesAreJustShort() throws IOException {
        assertThat(readAll(file(new byte[0]), Limits.DEFAULT)).isEmpty();
        assertThat(readAll(file(new byte[] {0x28}), Limits.DEFAULT)).hasSize(1);
    }

    @Test
    void directoriesAndMissingFilesAreNamed() {
        assertThatThrownBy(() -> Streams.open(temp)).hasMessage(temp + ": is a directory");
        Path none = temp.resolve("none");
        assertThatThrownBy(() -> Streams.open(none)).hasMessage(none + ": no such file");
    }
}
