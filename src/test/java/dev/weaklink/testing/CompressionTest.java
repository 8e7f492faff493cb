package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompressionTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"GZIP, gzip", "XZ_CRC32, xz", "ZSTD, zstd"})
    void isReadableByTheFormatsTool(Compression compression, String tool) throws IOException {
        ExternalTool program = ExternalTool.orSkip(tool);
        byte[] text = "several several several words\n".repeat(50).getBytes("US-ASCII");
        Path file = Files.write(directory.resolve("text" + compression.ending()), compression.compress(text));

        assertThat(program.run("-d", "-c", file.toString()).getBytes("US-ASCII"))
                .isEqualTo(text);
        assertThat(Files.size(file)).isLessThan(text.length);
    }

    @Test
    void xzHasTheOnlyCheckThatTheKernelKnows() {
        byte[] stream = Compression.XZ_CRC32.compress(new byte[9]);

        assertThat(stream[7]).as("check id in the stream flags").isEqualTo((byte) 1);
    }
}
