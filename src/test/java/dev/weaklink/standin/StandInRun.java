package dev.weaklink.standin;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The result of a script's run.
 *
 * @param output the standard output, unchanged, including colours
 * @param stderr the standard error
 */
public record StandInRun(int exitCode, String output, String stderr) {
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

    /**
     * Runs a command without standard input.
     *
     * @param environment the whole environment; its PATH is appended to this system's
     */
    static StandInRun of(List<String> command, Map<String, String> environment) throws IOException {
        Path stderr = Files.createTempFile("standin", ".err");
        try {
            Process process =
                    builder(command, environment).redirectError(stderr.toFile()).start();
            byte[] output = process.getInputStream().readAllBytes();
            return new StandInRun(
                    process.waitFor(), new String(output, StandardCharsets.ISO_8859_1), Files.readString(stderr));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + command.get(0), e);
        } finally {
            Files.deleteIfExists(stderr);
        }
    }

    /** Returns a builder for a process without standard input, and with only these variables and PATH. */
    static ProcessBuilder builder(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command);
        String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        builder.environment().clear();
        builder.environment().putAll(environment);
        String more = environment.getOrDefault("PATH", "/nonexistent");
        builder.environment().put("PATH", path + ":/usr/sbin:/sbin:" + more);
        return builder.redirectInput(Redirect.from(Path.of("/dev/null").toFile()));
    }

    /** Returns the lines of the standard output without colours. */
    public List<String> lines() {
        return COLOUR.matcher(output).replaceAll("").lines().toList();
    }

    public String lastLine() {
        List<String> lines = lines();
        return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    /** Returns the path after {@code Created } at the start of a line. */
    public Path created() {
        return lines().stream()
                .filter(line -> line.startsWith("Created "))
                .map(line -> Path.of(line.substring("Created ".length())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing created: " + lines() + stderr));
    }
}
