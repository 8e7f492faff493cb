package dev.weaklink.system.initramfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.system.initramfs.InitramfsImage.InitramfsModule;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Initramfs images made by dracut and initramfs-tools. */
class RealImageTest {
    private static final String KERNEL = "6.1.0-weaklink";
    private static final String INSIDE = "usr/lib/modules/" + KERNEL + "/extra/weak.ko";

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "xz", "zstd", "bzip2", "lzma", "lz4", "cat"})
    void findsAModuleInAnImageOfDracut(String compressor) throws IOException {
        ExternalTool dracut = ExternalTool.orSkip("dracut");
        ExternalTool.orSkip(compressor);
        Path module = Files.writeString(directory.resolve("weak.ko"), "a module");
        Path image = directory.resolve("image");
        dracut.run(
                "--force",
                "--no-kernel",
                "--no-hostonly",
                "--nostrip",
                "--tmpdir",
                directory.toString(),
                "-m",
                " ",
                "-i",
                module.toString(),
                "/" + INSIDE,
                "--compress",
                compressor,
                image.toString(),
                KERNEL);
        assertThat(InitramfsImage.read(image).modules()).containsExactly(new InitramfsModule(INSIDE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "xz", "zstd", "lz4", "lzma"})
    void findsAModuleInAnImageOfInitramfsTools(String compressor) throws IOException {
        Path image = InitramfsTools.make(
                directory,
                KERNEL,
                compressor,
                "f=$DESTDIR/" + INSIDE + "; mkdir -p \"${f%/*}\"; echo a module >\"$f\"");
        assertThat(InitramfsImage.read(image).modules()).containsExactly(new InitramfsModule(INSIDE));
    }

    @Test
    void readsTheLegacyFormatAsTheToolWritesIt() throws IOException {
        ExternalTool lz4 = ExternalTool.orSkip("lz4");
        byte[] archive =
                new CpioWriter().file("firmware", 20 << 20).file(INSIDE, 5).end();
        Path plain = Files.write(directory.resolve("plain"), archive);
        Path image = directory.resolve("image");
        lz4.run("-l", "-q", plain.toString(), image.toString());
        assertThat(InitramfsImage.read(image).modules()).containsExactly(new InitramfsModule(INSIDE));
    }
}
