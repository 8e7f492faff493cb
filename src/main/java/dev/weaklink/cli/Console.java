package dev.weaklink.cli;

import dev.weaklink.compat.StandardStreams;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * The streams and the environment of a run.
 *
 * @param in standard input
 * @param out standard output, which receives only the result; must throw if writing fails
 * @param err standard error, for messages and progress
 * @param environment the environment variables
 * @param terminal the terminal of the process
 */
record Console(InputStream in, OutputStream out, PrintStream err, Map<String, String> environment, Terminal terminal) {
    static final int STDOUT = 1;
    static final int STDERR = 2;
    private static final int BUFFER_SIZE = 1 << 16;

    /** Returns the console of the process. {@code System.out} is not used, because it ignores write errors. */
    static Console ofProcess() {
        Map<String, String> environment = System.getenv();
        return new Console(
                System.in,
                new BufferedOutputStream(new ResultStream(new FileOutputStream(FileDescriptor.out)), BUFFER_SIZE),
                System.err,
                environment,
                Terminal.ofProcess(environment));
    }

    /**
     * Returns the streams of this console for a command that replaces another program. Relative paths are resolved
     * against this process's directory.
     *
     * @param program the name of the replaced program, with which its messages begin
     */
    StandardStreams streams(String program) {
        return new StandardStreams(program, in, out, err, Path.of("").toAbsolutePath());
    }

    Console quiet() {
        return new Console(in, OutputStream.nullOutputStream(), err, environment, terminal);
    }

    void print(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    void report(Iterable<InputProblem> problems) {
        for (InputProblem problem : problems) {
            message(problem.subject() + ": " + problem.message());
        }
    }

    void message(String line) {
        err.print("weaklink: " + Escape.text(line) + "\n");
        err.flush();
    }

    /** Prints a line without the prefix of messages, with control characters escaped. */
    void hint(String line) {
        err.print(Escape.text(line) + "\n");
        err.flush();
    }

    /**
     * A stream for standard output that tolerates a closed pipe. After EPIPE, or EBADF if standard output is closed,
     * the stream silently discards all output, and the program can still compute its exit status. Other errors are
     * thrown.
     */
    static final class ResultStream extends OutputStream {
        private final OutputStream target;
        private boolean readerIsGone;

        ResultStream(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (readerIsGone) {
                return;
            }
            try {
                target.write(bytes, offset, length);
            } catch (IOException e) {
                if (!isReaderGone(e)) {
                    throw e;
                }
                readerIsGone = true;
            }
        }

        @Override
        public void flush() throws IOException {
            if (!readerIsGone) {
                target.flush();
            }
        }

        /** Returns whether the error is EPIPE, or EBADF if the program was started with standard output closed. */
        private static boolean isReaderGone(IOException e) {
            String message = String.valueOf(e.getMessage());
            return message.contains("Broken pipe") || message.contains("Bad file descriptor");
        }
    }
}
