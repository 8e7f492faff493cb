package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the whole program, with little memory, on small files that are large when decompressed. */
@Tag("slow")
class LittleMemoryTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    /** Runs the program in its own process. Returns the lines of both outputs, then the exit status. */
    private List<String> run(String heap, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                heap,
                "-Xmn64m",
                "-XX:ActiveProcessorCount=4",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.weaklink.cli.Main"));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("WEAKLINK_CACHE", "off");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>(said.lines().toList());
        lines.add("exit status " + process.waitFor());
        return lines;
    }

    /** Writes a gzip file with these bytes, followed by {@code mib} MiB of one byte. */
    private Path packed(String name, byte[] beginning, int mib, char filler) throws IOException {
        byte[] chunk = String.valueOf(filler).repeat(MIB).getBytes(StandardCharsets.US_ASCII);
        Path file = directory.resolve(name);
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file), MIB)) {
            out.write(beginning);
            for (int i = 0; i < mib; i++) {
                out.write(chunk);
            }
        }
        return file;
    }

    private Path symvers() throws IOException {
        return Files.write(
                directory.resolve("Module.symvers"),
                new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                        .bytes());
    }

    @Test
    @Timeout(300)
    void severalModulesOf160MebibytesAreReadOneAfterTheOther() throws Exception {
        byte[] module = ModuleBuilder.typical(Machine.X86_64, "m").build();
        Path first = packed("m0.ko.gz", module, 160, '\0');
        List<String> arguments =
                new ArrayList<>(List.of("check", "--kernel", symvers().toString(), "--alone", "--format", "ndjson"));
        arguments.add(first.toString());
        for (int i = 1; i < 4; i++) {
            arguments.add(
                    Files.copy(first, directory.resolve("m" + i + ".ko.gz")).toString());
        }

        List<String> said = run("-Xmx560m", arguments.toArray(new String[0]));

        assertThat(said).noneMatch(line -> line.contains("memory"));
        assertThat(said).filteredOn(line -> line.contains("weaklink.verdict/1")).hasSize(4);
    }

    @Test
    @Timeout(120)
    void reportsASymversFileOfHalfAGigabyteInOneLine() throws Exception {
        Path symvers = packed("symvers.gz", new byte[0], 500, '\n');
        Path module = Files.write(
                directory.resolve("m.ko"),
                ModuleBuilder.typical(Machine.X86_64, "m").build());

        List<String> said = run("-Xmx256m", "check", "--kernel", symvers.toString(), module.toString());

        assertThat(said)
                .anyMatch(line -> line.contains("contents exceed the limit of 67108864 bytes"))
                .noneMatch(line -> line.contains("out of memory"));
    }

    @Test
    @Timeout(120)
    void skipsManyEmptyLines() throws Exception {
        String line = new NodeLines("6.1").line("cn1") + "\n";
        Path input = packed("nodes.gz", line.getBytes(StandardCharsets.UTF_8), 256, '\n');

        List<String> said = run("-Xmx128m", "audit", input.toString(), "--format", "json");

        assertThat(said).anyMatch(text -> text.contains("cn1")).contains("exit status 0");
    }
}
