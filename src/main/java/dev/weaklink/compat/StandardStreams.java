package dev.weaklink.compat;

import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The standard streams and the working directory of weak-modules or weak-modules2.
 *
 * @param program the name that messages begin with
 * @param directory the directory that relative paths are resolved against
 */
public record StandardStreams(String program, InputStream in, OutputStream out, PrintStream err, Path directory) {

    void say(String line) throws IOException {
        out.write((Escape.text(line) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Prints text of several lines, unescaped, on standard output; the text must be weaklink's own. */
    void print(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    void complain(String message) {
        log(program + ": " + message);
    }

    void log(String line) {
        err.print(Escape.text(line) + "\n");
        err.flush();
    }
}
