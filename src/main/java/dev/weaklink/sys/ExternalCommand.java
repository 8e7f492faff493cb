package dev.weaklink.sys;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program with its arguments, run without a shell and with an empty standard input. After the time limit, the program
 * is killed with all descendants that can be found. Both output streams are captured together; of long output, only the
 * last part is kept.
 *
 * @param words the program, as a path or a name to find in PATH, and its arguments
 * @param environment all environment variables of the program; null for the variables of this process
 * @param limit the maximum running time
 * @param outputLimit the number of bytes of output to keep
 */
public record ExternalCommand(
        List<String> words, @Nullable Map<String, String> environment, Duration limit, int outputLimit) {
    private static final int DEFAULT_OUTPUT_LIMIT = 1 << 16;

    /** The time to wait for output after the program has ended; orphaned descendants may hold the stream open. */
    private static final long DRAIN_MILLIS = 2_000;

    public ExternalCommand {
        words = List.copyOf(words);
        environment = environment == null ? null : Map.copyOf(environment);
    }

    public static ExternalCommand of(List<String> words, Duration limit) {
        return new ExternalCommand(words, null, limit, DEFAULT_OUTPUT_LIMIT);
    }

    public ExternalCommand withEnvironment(Map<String, String> variables) {
        return new ExternalCommand(words, variables, limit, outputLimit);
    }

    public ExternalCommand withOutputLimit(int bytes) {
        return new ExternalCommand(words, environment, limit, bytes);
    }

    /**
     * The result of a command.
     *
     * @param status the exit status, or 128 + N after signal N
     * @param timedOut whether the command was killed at the time limit
     * @param output the output, with undecodable bytes replaced
     * @param truncated whether earlier output is missing
     */
    public record Result(int status, boolean timedOut, String output, boolean truncated) {
        public boolean succeeded() {
            return status == 0 && !timedOut;
        }

        public String reason() {
            if (timedOut) {
                return "killed because it took too long";
            }
            return status > 128 ? "killed by signal " + (status - 128) : "exit status " + status;
        }

        public List<String> lines() {
            List<String> lines = new ArrayList<>();
            int start = 0;
            for (int end = 0; end <= output.length(); end++) {
                if (end == output.length() || output.charAt(end) == '\n') {
                    if (end > start) {
                        lines.add(output.substring(start, end));
                    }
                    start = end + 1;
                }
            }
            return lines;
        }
    }

    /**
     * Runs the command and waits for its end.
     *
     * @throws IOException if the command cannot be started, or the waiting thread is interrupted; an interrupt kills
     *     the command, and the interrupt flag is set again
     */
    public Result run() throws IOException {
        Process process = start();
        OutputTail tail = new OutputTail(outputLimit);
        Thread reader = new Thread(() -> drain(process.getInputStream(), tail), "output of a program");
        reader.setDaemon(true);
        reader.start();
        try {
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                killTree(process);
            }
            int status = process.waitFor();
            reader.join(DRAIN_MILLIS);
            return new Result(status, !ended, tail.text(), tail.truncated());
        } catch (InterruptedException e) {
            killTree(process);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + words.get(0), e);
        }
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        if (environment != null) {
            builder.environment().clear();
            builder.environment().putAll(environment);
        }
        return builder.start();
    }

    private static void drain(InputStream output, OutputTail tail) {
        byte[] buffer = new byte[8192];
        try (output) {
            for (int count = output.read(buffer); count >= 0; count = output.read(buffer)) {
                tail.add(buffer, count);
            }
        } catch (IOException e) {
            // The stream was closed during reading; no more output follows.
        }
    }

    /**
     * Kills the program and all its descendants. The descendants are listed first, because the children of a dead
     * program get another parent. Children that a descendant has started in the meantime are killed, too.
     */
    private static void killTree(Process process) {
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        for (ProcessHandle descendant : descendants) {
            descendant.descendants().forEach(ProcessHandle::destroyForcibly);
            descendant.destroyForcibly();
        }
    }

    /** The last bytes of a stream, in bounded memory; one thread writes and another reads. */
    private static final class OutputTail {
        private static final int FIRST_SIZE = 1 << 13;

        private final int limit;
        private byte[] ring;
        private long total;

        OutputTail(int limit) {
            this.limit = limit;
            this.ring = new byte[Math.min(limit, FIRST_SIZE)];
        }

        synchronized void add(byte[] bytes, int count) {
            grow(total + count);
            for (int i = Math.max(0, count - ring.length); i < count; i++) {
                ring[(int) ((total + i) % ring.length)] = bytes[i];
            }
            total += count;
        }

        /** Enlarges the buffer up to the limit. The buffer wraps only at the limit, so copying keeps the order. */
        private void grow(long wanted) {
            if (wanted > ring.length && ring.length < limit) {
                ring = Arrays.copyOf(ring, (int) Math.min(limit, Math.max(wanted, 2L * ring.length)));
            }
        }

        synchronized boolean truncated() {
            return total > ring.length;
        }

        synchronized String text() {
            int length = (int) Math.min(total, ring.length);
            byte[] tail = new byte[length];
            for (int i = 0; i < length; i++) {
                tail[i] = ring[(int) ((total - length + i) % ring.length)];
            }
            return new String(tail, StandardCharsets.UTF_8);
        }
    }
}
