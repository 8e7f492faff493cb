package dev.weaklink.compat;

import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What connects a dialect to its caller.
 *
 * @param program the name that messages begin with
 * @param in standard input
 * @param out standard output
 * @param err standard error
 * @param directory where relative paths begin
 */
public record StandardStreams(String program, InputStream in, OutputStream out, PrintStream err, Path directory) {

    /** Prints a line on standard output. */
    void say(String line) throws IOException {
        out.write((Escape.text(line) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Prints text of several lines, none of it from elsewhere, on standard output. */
    void print(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Prints a message on standard error. */
    void complain(String message) {
        log(program + ": " + message);
    }

    /** Prints a line on standard error. */
    void log(String line) {
        err.print(Escape.text(line) + "\n");
        err.flush();
    }
}
