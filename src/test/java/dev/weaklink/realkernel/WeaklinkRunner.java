package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs the built program in its own process, as a user would. */
final class WeaklinkRunner {
    private static final Path JAR = Path.of(System.getProperty("weaklink.build", "target"), "weaklink.jar")
            .toAbsolutePath();

    private static final Path NOTHING = Path.of("/dev/null");
    private static final String CACHE = "WEAKLINK_CACHE";

    private WeaklinkRunner() {}

    /** Runs {@code weaklink ARGUMENTS} without a cache. */
    static Run run(List<String> arguments) {
        return run(command(arguments), Map.of(), NOTHING);
    }

    /**
     * Runs {@code weaklink ARGUMENTS}.
     *
     * @param cache the cache's directory, or "off"
     */
    static Run run(List<String> arguments, String cache) {
        return run(command(arguments), Map.of(CACHE, cache), NOTHING);
    }

    /** Runs {@code weaklink ARGUMENTS < FILE} without a cache. */
    static Run run(List<String> arguments, Path stdin) {
        return run(command(arguments), Map.of(), stdin);
    }

    /** Runs {@code weaklink ARGUMENTS} with additional environment variables and without a cache. */
    static Run run(List<String> arguments, Map<String, String> environment) {
        return run(command(arguments), environment, NOTHING);
    }

    /** Runs {@code weaklink ARGUMENTS} with these options of the JVM and without a cache. */
    static Run run(List<String> jvmOptions, List<String> arguments) {
        return run(command(jvmOptions, arguments), Map.of(), NOTHING);
    }

    /** Returns the command line of {@code weaklink ARGUMENTS}. */
    static List<String> command(List<String> arguments) {
        return command(List.of(), arguments);
    }

    private static List<String> command(List<String> jvmOptions, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", JAR.toString()));
        command.addAll(arguments);
        return command;
    }

    private static Run run(List<String> command, Map<String, String> environment, Path stdin) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put(CACHE, "off");
        builder.environment().putAll(environment);
        builder.redirectInput(stdin.toFile());
        try {
            return run(builder, Files.createTempDirectory("weaklink-run"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Run run(ProcessBuilder builder, Path scratch) throws IOException, InterruptedException {
        Path out = scratch.resolve("stdout");
        Path err = scratch.resolve("stderr");
        try {
            int exitCode = builder.redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start()
                    .waitFor();
            return new Run(exitCode, Files.readAllLines(out), Files.readString(err));
        } finally {
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
            Files.deleteIfExists(scratch);
        }
    }

    /** The result of a run. */
    record Run(int exitCode, List<String> stdout, String stderr) {}
}
