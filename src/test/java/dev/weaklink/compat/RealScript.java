package dev.weaklink.compat;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A script of a distribution that weaklink replaces. The project has no copy: a system property names the file, and
 * tests that need the script are skipped without the property.
 */
final class RealScript {
    /** The exit status and the output of a run. */
    record Run(int status, String out, String err) {}

    private final List<String> command;
    private final Map<String, String> environment = new TreeMap<>();

    private RealScript(List<String> command) {
        this.command = command;
    }

    /**
     * Returns the script that the property names. If the property is not set, skips the running test with a message.
     */
    static Path named(String property) {
        String path = System.getProperty(property, "");
        if (path.isEmpty()) {
            System.err.println("SKIPPED: not compared with the real script; give -D" + property + "=FILE");
        }
        assumeTrue(!path.isEmpty(), "no -D" + property);
        return Path.of(path).toAbsolutePath();
    }

    /**
     * Returns a copy of the script that calls a helper program by another path.
     *
     * @param body the shell script that replaces the helper program
     */
    static Path replacing(Path script, String helper, Path to, String body) throws IOException {
        tool(to, body);
        Path copy = to.resolveSibling(script.getFileName() + "-" + to.getFileName());
        Files.writeString(copy, Files.readString(script).replace(helper, to.toString()));
        return copy;
    }

    /** Writes an executable shell script. */
    static void tool(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        file.toFile().setExecutable(true);
    }

    static RealScript of(String... command) {
        return new RealScript(List.of(command));
    }

    RealScript with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Run run(Path scratch, String stdin, List<String> words) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(words);
        Path in = Files.writeString(scratch.resolve("stdin"), stdin);
        Path out = scratch.resolve("stdout");
        Path err = scratch.resolve("stderr");
        ProcessBuilder builder = new ProcessBuilder(all)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("TMPDIR", scratch.toString());
        builder.environment().putAll(environment);
        try {
            int status = builder.start().waitFor();
            return new Run(status, read(out), read(err));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
