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

/** A system program that tests run. A test is skipped if it needs a missing program. */
public final class ExternalTool {
    private final Path program;

    private ExternalTool(Path program) {
        this.program = program;
    }

    /** Finds the program in PATH, /usr/sbin or /sbin. */
    public static Optional<ExternalTool> find(String name) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.concat(Arrays.stream(path.split(File.pathSeparator)), Stream.of("/usr/sbin", "/sbin"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .map(ExternalTool::new)
                .findFirst();
    }

    /** Finds the program; skips the running JUnit test if the program is missing. */
    public static ExternalTool orSkip(String name) {
        Optional<ExternalTool> tool = find(name);
        assumeTrue(tool.isPresent(), missing(name));
        return tool.orElseThrow();
    }

    /** Returns the reason for skipping a test that needs the program. */
    static String missing(String name) {
        return name + " is not installed";
    }

    public Path path() {
        return program;
    }

    /**
     * Returns the kernel's own tool for signing modules, from any version of linux-kbuild; skips the test if it is
     * missing.
     */
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

    /**
     * Runs the program with these arguments and returns its output and error output. Fails the test if the exit status
     * is not 0.
     */
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
