package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the permissions of files do not depend on the umask. */
class OpenUmaskTest {
    @TempDir
    Path directory;

    /** The program of the child process: stores files, and decodes zstd data. */
    static final class Writer {
        private Writer() {}

        public static void main(String... arguments) throws Exception {
            Path here = Path.of(arguments[0]);
            DurableFiles.create(here.resolve("journal"), new byte[1]);
            DurableFiles.replace(here.resolve("progress"), new byte[1]);
            DurableFiles.createDirectories(here.resolve("a/b"));
            DurableFiles.draft(here, "draft", new byte[1]);
            LockFile.acquire(here.resolve("lock"), "", Duration.ZERO, holder -> {});
            new FileContents().load(here.resolve("packed"));
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
                maps.filter(line -> line.contains("libzstd")).limit(1).forEach(System.out::println);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"000", "077"})
    void otherUsersMayReadAndNotWriteFiles(String umask) throws Exception {
        Files.write(directory.resolve("packed"), Zstd.compress(new byte[1000]));
        String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "umask " + umask + "; exec \"$@\"",
                        "sh",
                        java,
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(out).isZero();
        assertThat(out).contains(directory + "/weaklink-zstd");
        assertThat(directory.resolve("packed")).exists();
        Files.delete(directory.resolve("packed"));
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(OpenUmaskTest::permissions))
                    .hasSize(7)
                    .allMatch(mode -> mode.charAt(4) != 'w' && mode.charAt(7) != 'w');
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.filter(file -> String.valueOf(file.getFileName()).matches("journal|progress|draft.*")))
                    .hasSize(3)
                    .allMatch(file -> permissions(file).charAt(6) == 'r');
        }
    }

    private static String permissions(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
