package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A program of the system that tests compare with; a test that needs a missing one is skipped. */
public final class ExternalTool {
    private final Path program;

    private ExternalTool(Path program) {
        this.program = program;
    }

    /** Finds the program in PATH or the system's sbin directories. */
    public static Optional<ExternalTool> find(String name) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.concat(Arrays.stream(path.split(File.pathSeparator)), Stream.of("/usr/sbin", "/sbin"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .map(ExternalTool::new)
                .findFirst();
    }

    /** The same, but skips the running JUnit test if there is no such program. */
    public static ExternalTool orSkip(String name) {
        Optional<ExternalTool> tool = find(name);
        assumeTrue(tool.isPresent(), missing(name));
        return tool.orElseThrow();
    }

    /** Why a test that needs it does not run. */
    static String missing(String name) {
        return name + " is not installed";
    }

    public Path path() {
        return program;
    }

    /** The kernel's own tool for signing modules, of any version of linux-kbuild; else skips. */
    public static ExternalTool signFileOrSkip() throws IOException {
        try (Stream<Path> packages = Files.list(Path.of("/usr/lib"))) {
            Optional<ExternalTool> tool = packages.filter(
                            path -> path.getFileName().toString().startsWith("linux-kbuild-"))
                    .map(path -> path.resolve("scripts/sign-file"))
                    .filter(Files::isExecutable)
                    .sorted()
                    .findFirst()
                    .map(ExternalTool::new);
            assumeTrue(tool.isPresent(), "sign-file (linux-kbuild) is not installed");
            return tool.orElseThrow();
        }
    }

    /** What it prints, both streams, when run with these arguments; it must succeed. */
    public String run(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + program, e);
        }
        return output;
    }
}
