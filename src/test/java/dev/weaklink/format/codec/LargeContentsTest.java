package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.Workers;
import dev.weaklink.testing.Packing;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that all workers together need little more memory than one large file has. */
class LargeContentsTest {
    private static final int SIZE = 96 << 20;

    @TempDir
    Path directory;

    /** The program of the child process: several workers load files, and print the lengths. */
    static final class Loader {
        private Loader() {}

        public static void main(String... files) {
            Workers.start(files.length, 3, () -> {
                        FileContents contents = FileContents.ofWorker();
                        return task -> {
                            try {
                                contents.load(Path.of(files[task]));
                                System.out.println(contents.length());
                            } catch (UnreadableException e) {
                                System.out.println(e.getMessage());
                            } finally {
                                contents.release();
                            }
                        };
                    })
                    .finish();
        }
    }

    @Test
    void manyLargeFilesNeedTheMemoryOfOne() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-Xmx150m", "-Xmn16m", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(Loader.class.getName());
        for (Packing packing : List.of(Packing.GZIP, Packing.ZSTD, Packing.XZ)) {
            byte[] packed = packing.pack(new byte[SIZE]);
            command.add(Files.write(directory.resolve(packing + "-1"), packed).toString());
            command.add(Files.write(directory.resolve(packing + "-2"), packed).toString());
        }
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(out.lines()).hasSize(6).containsOnly(Integer.toString(SIZE));
    }

    @Test
    void laterWorkerReusesTheArrayOfAnEarlierWorker() throws Exception {
        Path file = Files.write(directory.resolve("module"), new byte[3 << 20]);
        FileContents earlier = FileContents.ofWorker();
        earlier.load(file);
        byte[] array = earlier.bytes();
        earlier.release();
        FileContents later = FileContents.ofWorker();
        later.load(file);

        assertThat(later.bytes() == array).isTrue();
        later.release();
    }
}
