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
 * This system with some directories covered by empty ones, for one process and its children: for programs that know no
 * root directory (unshare(1), mount_namespaces(7)).
 */
record HostSandbox(Path scratch, List<String> covered) {
    /** Skips the running test where mounts cannot be made. */
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
     * Runs weaklink there.
     *
     * @param before a shell script that is run first, in the same place
     * @param after one that is run afterwards; the exit status is that of weaklink
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
     * What was printed, by all.
     *
     * @param status weaklink's exit status
     */
    record Result(int status, List<String> lines) {}
}
