package dev.weaklink.realkernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * This system with empty directories mounted over some directories, for one process and its children. The sandbox is
 * for programs without an option for the root directory (unshare(1), mount_namespaces(7)).
 */
record HostSandbox(Path scratch, List<String> covered) {
    /** Creates a sandbox; skips the running test if mounts are not permitted. */
    static HostSandbox orSkip(Path scratch, String... covered) throws IOException {
        ExternalTool.orSkip("unshare");
        Process probe = new ProcessBuilder("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt")
                .redirectErrorStream(true)
                .start();
        probe.getOutputStream().close();
        try {
            probe.getInputStream().readAllBytes();
            assumeTrue(probe.waitFor() == 0, "mounts cannot be made here");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return new HostSandbox(scratch, List.of(covered));
    }

    /**
     * Runs weaklink in the sandbox.
     *
     * @param before a shell script to run before weaklink
     * @param after a shell script to run after weaklink; the exit status is that of weaklink
     */
    Result run(String before, List<String> arguments, Map<String, String> environment, String after)
            throws IOException {
        StringBuilder script = new StringBuilder("set -e\n");
        for (String directory : covered) {
            script.append("mkdir -p ").append(directory);
            script.append("\nmount -t tmpfs none ").append(directory).append('\n');
        }
        script.append(before).append("\nset +e\n\"$@\"\nstatus=$?\n");
        script.append(after).append("\nexit $status\n");
        Path file = Files.writeString(scratch.resolve("in-sandbox"), script);
        List<String> words = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private"));
        words.addAll(List.of("sh", file.toString()));
        words.addAll(WeaklinkRunner.command(arguments));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("WEAKLINK_CACHE", "off");
        Path output = scratch.resolve("output");
        builder.redirectOutput(output.toFile());
        builder.redirectInput(Path.of("/dev/null").toFile());
        try {
            int status = builder.start().waitFor();
            return new Result(status, Files.readAllLines(output));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /**
     * The output of all programs in the sandbox.
     *
     * @param status weaklink's exit status
     */
    record Result(int status, List<String> lines) {}
}
